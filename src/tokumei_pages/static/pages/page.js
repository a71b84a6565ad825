// Buttons of things that cannot be undone ask once more.
document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
  if (question && !window.confirm(question)) {
    event.preventDefault();
  }
});

// A link, token or command to pass on is copied with one press.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  const source = button && document.getElementById(button.dataset.copy);
  if (!source || !navigator.clipboard) {
    return;
  }
  navigator.clipboard.writeText(source.value ?? source.textContent.trim()).then(() => {
    button.textContent = button.dataset.copied;
  });
});
