/* Keys: → or space goes on (and shows an answer first), ← goes back, Home, End, N shows the captions, P prints. */
"use strict";
(() => {
  const root = document.documentElement;
  const slides = [...document.querySelectorAll(".slide")];
  let at = Math.min(slides.length, Math.max(1, Number(location.hash.slice(1)) || 1)) - 1;

  // What is larger than its place becomes smaller.
  const fit = () => {
    for (const formula of document.querySelectorAll(".slide .katex-display")) {
      formula.style.zoom = 1;
      formula.style.zoom = Math.min(1, formula.closest("div.math").clientWidth / formula.scrollWidth);
    }
    for (const content of document.querySelectorAll(".slide:not(.figure, .title) .fit")) {
      const place = content.parentElement;
      content.style.zoom = 1;
      content.style.zoom = Math.min(1, place.clientWidth / content.scrollWidth, place.clientHeight / content.scrollHeight);
    }
  };
  const size = () => {
    const scale = Math.min(innerWidth / 1280, innerHeight / 720);
    root.style.setProperty("--scale", scale);
    root.style.setProperty("--gap", `${Math.max(0, innerHeight / scale - 720)}px`);
    show(at, false);
  };
  const show = (next, say = true) => {
    at = Math.min(slides.length - 1, Math.max(0, next));
    slides[at].scrollIntoView({ block: "center", behavior: "instant" });
    if (say) history.replaceState(null, "", `#${at + 1}`);
  };
  const on = () => {
    const answer = slides[at].querySelector("details:not([open])");
    if (answer) {
      answer.open = true;
      fit();
    } else show(at + 1);
  };
  const KEYS = {
    ArrowRight: on, ArrowDown: on, PageDown: on, " ": on,
    ArrowLeft: () => show(at - 1), ArrowUp: () => show(at - 1), PageUp: () => show(at - 1),
    Home: () => show(0), End: () => show(slides.length - 1),
    n: () => root.classList.toggle("captions"), p: () => print(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("a, summary") && event.key === " ") return;
    const act = KEYS[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
  slides.forEach((slide, n) => {
    const place = document.createElement("span");
    place.textContent = `${n + 1} / ${slides.length}`;
    slide.querySelector("footer")?.append(place);
  });
  addEventListener("resize", size);
  addEventListener("hashchange", () => show((Number(location.hash.slice(1)) || 1) - 1)); // typed into the address
  document.fonts.ready.then(() => {
    fit();
    size();
    root.dataset.ready = "";
  });
})();
