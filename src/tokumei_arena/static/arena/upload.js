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
  const busy = () => {
    button.disabled = true;
    button.textContent = button.dataset.busy;
  };
  const free = () => {
    form.querySelector("input[type=hidden][name=confirmed]")?.remove();
    button.disabled = false;
    button.textContent = label;
  };
  // An answer in which little is guessed: the server says what to ask before a try is spent on it.
  const question = async () => {
    try {
      const answer = await fetch(form.dataset.ask, { method: "POST", body: new FormData(form) });
      return answer.ok ? (await answer.json()).question : "";
    } catch {
      return "";
    }
  };
  form.addEventListener("submit", async (event) => {
    if (!form.dataset.ask || form.elements.confirmed) {
      busy();
      return;
    }
    event.preventDefault();
    busy();
    const asked = await question();
    if (asked && !window.confirm(asked)) {
      free();
      return;
    }
    const consent = document.createElement("input");
    consent.type = "hidden";
    consent.name = "confirmed";
    consent.value = "yes";
    form.append(consent);
    form.submit();
  });
  // Whoever comes back to this page finds the button as it was.
  window.addEventListener("pageshow", free);
}
