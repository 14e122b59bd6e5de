/* Brings a living figure when it is near the screen: the shared part, living/core.js and living/core.css, then its own
   script. Nothing is loaded before the reader first moves, so that it delays nothing that is read. */
"use strict";
(() => {
  const loaded = {};
  const load = (tag, attributes) =>
    (loaded[attributes.src ?? attributes.href] ??= new Promise((resolve, reject) => {
      document.head.append(Object.assign(document.createElement(tag), attributes, { onload: resolve, onerror: reject }));
    }));
  const bring = async (place) => {
    const { figure, src } = place.dataset;
    const [folder, version] = src.split(/\/\w+\.js/);
    await Promise.all([
      load("link", { rel: "stylesheet", href: `${folder}/core.css${version}` }),
      load("script", { src: `${folder}/core.js${version}` }),
    ]);
    await load("script", { src });
    window.living.begin(place, figure);
  };
  const observer = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      observer.unobserve(target);
      bring(target).catch(console.error); // The still picture then stays.
    }
  }, { rootMargin: "500px" });
  const EVENTS = ["scroll", "pointermove", "pointerdown", "keydown", "focusin"];
  const start = () => {
    clearTimeout(timer);
    for (const event of EVENTS) removeEventListener(event, start);
    document.querySelectorAll(".living").forEach((place) => observer.observe(place));
  };
  for (const event of EVENTS) addEventListener(event, start, { passive: true });
  const timer = setTimeout(start, 5000);
})();
