// Tells the server the zone of the browser, so that times are shown in it from the next page on.
(() => {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone && /^[A-Za-z0-9_+\-/]+$/.test(zone) && !document.cookie.split("; ").includes(`arena_zone=${zone}`)) {
    const secure = location.protocol === "https:" ? "; Secure" : "";
    document.cookie = `arena_zone=${zone}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  }
})();

// Buttons of things that cannot be undone ask once more.
document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
  if (question && !window.confirm(question)) {
    event.preventDefault();
  }
});

// A link or token to pass on is copied with one press.
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
