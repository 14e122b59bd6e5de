/* "Run it here" on each proved or refuted card, "Answer it here" under most exercises; the rest comes with a click. */
"use strict";
(() => {
  try {
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  } catch {
    return;
  }
  if (!location.protocol.startsWith("http") || !window.Worker) return;
  let desk = document.currentScript.src.replace("run_button", "run/desk");
  for (const card of document.querySelectorAll('.bd-article [id^="result-"]:is(.proved, .refuted), .answer-here')) {
    const value = card.className.startsWith("answer-here") ? "Answer it here" : "Run it here";
    const look = { type: "button", className: "run-here", value };
    const button = Object.assign(document.createElement("input"), look);
    button.dataset.name = value;
    button.setAttribute("aria-expanded", false);
    button.addEventListener("click", async () => {
      try {
        await (await import(desk)).toggle(card, button);
      } catch {
        desk += "&again"; // Chromium keeps the failure of an import under its address
        button.value = "It could not be fetched. Try again";
      }
    });
    (card.lastElementChild ?? card).append(" ", button);
  }
})();
