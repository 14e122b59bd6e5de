/* Brings a living figure when it is near the screen: the shared part, living/core.js and living/core.css, then its own
   script. Nothing is asked for before the reader first moves, so that it delays nothing that is read. */
"use strict";
(() => {
  const asked = {};
  const ask = (tag, given) =>
    (asked[given.src ?? given.href] ??= new Promise((done, failed) => {
      document.head.append(Object.assign(document.createElement(tag), given, { onload: done, onerror: failed }));
    }));
  const bring = async (place) => {
    const { figure, src } = place.dataset;
    const folder = src.slice(0, src.lastIndexOf("/"));
    await Promise.all([
      ask("link", { rel: "stylesheet", href: `${folder}/core.css` }),
      ask("script", { src: `${folder}/core.js` }),
    ]);
    await ask("script", { src });
    window.living.begin(place, figure);
  };
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        bring(target).catch(console.error); // The still picture then stays.
      }
    },
    { rootMargin: "500px" },
  );
  const SIGNS = ["scroll", "pointermove", "pointerdown", "keydown", "focusin"];
  const start = () => {
    clearTimeout(timer);
    for (const sign of SIGNS) removeEventListener(sign, start);
    document.querySelectorAll(".living").forEach((place) => watch.observe(place));
  };
  for (const sign of SIGNS) addEventListener(sign, start, { passive: true });
  const timer = setTimeout(start, 5000);
})();
