// A file can be dropped on the form; without this script it is chosen with the keyboard or mouse as usual.
for (const form of document.querySelectorAll("[data-drop-form]")) {
  const zone = form.querySelector("[data-drop]");
  const input = zone.querySelector("input[type=file]");
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
    if (event.dataTransfer.files.length) {
      input.files = event.dataTransfer.files;
    }
  });
  const button = zone.querySelector("[data-busy]");
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

// The colour of a column follows its role at once.
document.addEventListener("change", (event) => {
  const select = event.target.closest("[data-role]");
  const card = select?.closest(".column");
  if (card) {
    card.className = `card column role-${select.value}`;
  }
});
