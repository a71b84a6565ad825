// Buttons of things that cannot be undone ask once more.
document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
  if (question && !window.confirm(question)) {
    event.preventDefault();
  }
});

// A part that is renewed stays where its reader moved it: sideways, and with its details open.
(() => {
  let kept = [];
  const movable = (part) => [...part.querySelectorAll(".scroll, details")];
  document.addEventListener("htmx:beforeSwap", (event) => {
    kept = movable(event.detail.target).map((one) => [one.scrollLeft, one.open]);
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    const part = document.getElementById(event.detail.target.id) ?? event.detail.elt;
    movable(part).forEach((one, at) => {
      if (kept[at]) {
        one.scrollLeft = kept[at][0];
        if (one.localName === "details") {
          one.open = kept[at][1];
        }
      }
    });
  });
})();

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

// Time that is left runs down in place: the form and the width stay those that the server wrote, so nothing moves.
(() => {
  const clocks = () => document.querySelectorAll("[data-countdown]");
  if (!clocks().length) {
    return;
  }
  const begin = performance.now();
  const two = (number) => String(number).padStart(2, "0");
  const tick = () => {
    const passed = Math.floor((performance.now() - begin) / 1000);
    for (const clock of clocks()) {
      const left = Math.max(0, Number(clock.dataset.countdown) - passed);
      const days = clock.dataset.days.replace("#", String(Math.floor(left / 86400)));
      const rest = left % 86400;
      const text = `${days} ${two(Math.floor(rest / 3600))}:${two(Math.floor((rest % 3600) / 60))}:${two(rest % 60)}`;
      if (clock.textContent !== text) {
        clock.textContent = text;
      }
    }
  };
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", tick);
})();
