// Files can be dropped on an upload form; without this script they are chosen with the keyboard or mouse as usual.
for (const form of document.querySelectorAll("[data-upload]")) {
  const zone = form.querySelector("[data-drop]");
  const inputs = [...zone.querySelectorAll("input[type=file]")];
  const whole = inputs.find((input) => !input.dataset.name);

  const put = (input, file) => {
    const box = new DataTransfer();
    box.items.add(file);
    input.files = box.files;
  };
  const place = (file) => {
    const stem = file.name.split(".")[0].toLowerCase();
    const named = inputs.find((input) => (input.dataset.name ?? "").toLowerCase() === stem);
    const free = inputs.find((input) => input.dataset.name && !input.files.length);
    put(file.name.toLowerCase().endsWith(".zip") ? whole : (named ?? free ?? whole), file);
  };

  for (const kind of ["dragenter", "dragover"]) {
    zone.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    [...event.dataTransfer.files].forEach(place);
  });

  // One press is enough, however long the upload takes.
  const button = form.querySelector("[data-busy]");
  const label = button.textContent;
  form.addEventListener("submit", () => {
    button.disabled = true;
    button.textContent = button.dataset.busy;
  });
  // Whoever comes back to this page finds the button as it was.
  window.addEventListener("pageshow", () => {
    button.disabled = false;
    button.textContent = label;
  });
}
