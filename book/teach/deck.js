/* The deck is run by reveal.js: S opens the speaker's view, ? shows all keys. What is larger than its place becomes smaller. */
"use strict";
(() => {
  const fit = (slide) => {
    for (const formula of slide.querySelectorAll(".katex-display")) {
      formula.style.zoom = 1;
      formula.style.zoom = Math.min(1, formula.closest("div.math").clientWidth / formula.scrollWidth);
    }
    for (const content of slide.querySelectorAll(":scope:not(.figure) .fit")) {
      const place = content.parentElement;
      content.style.zoom = 1;
      content.style.zoom = Math.min(1, place.clientWidth / content.scrollWidth, place.clientHeight / content.scrollHeight);
    }
  };
  const all = () => document.querySelectorAll(".slide").forEach(fit);
  Reveal.on("slidechanged", ({ currentSlide }) => fit(currentSlide));
  Reveal.on("pdf-ready", () => {
    all();
    document.documentElement.dataset.ready = "";
  });
  Reveal.initialize({
    width: 1280, height: 720, margin: 0, maxScale: 4, center: false, display: "flex", hash: true, slideNumber: "c/t",
    controls: false, progress: false, transition: "none", pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1,
    defaultTiming: 60, plugins: [RevealNotes],
  }).then(() => document.fonts.ready).then(() => {
    fit(Reveal.getCurrentSlide());
    if (!Reveal.isPrintView()) document.documentElement.dataset.ready = ""; // sheets are laid out later
  });
})();
