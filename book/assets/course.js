/* What the pages need beyond the theme: every fold and every wide thing within reach. */
"use strict";
(() => {
  // A link to a card inside a fold opens the fold.
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView();
  };
  // What is wider than its place scrolls by keyboard and says so; what is not is no stop for the tab key.
  const WIDE = ".bd-article pre, .bd-article div.math, .bd-article .wide-formula, .pst-scrollable-table-container";
  const NAMES = { PRE: "Code, scrolls sideways", DIV: "Scrolls sideways", SPAN: "Formula, scrolls sideways" };
  const stops = () => {
    document.querySelectorAll(".bd-article span.math").forEach((formula) => {
      formula.classList.remove("wide-formula");
      const place = formula.parentElement.closest("p, li, td, dd, div, h1, h2, h3");
      const wide = [...formula.querySelectorAll(".base")].some((part) => part.offsetWidth > place.clientWidth);
      formula.classList.toggle("wide-formula", wide);
    });
    document.querySelectorAll(WIDE).forEach((thing) => {
      const wide = thing.scrollWidth > thing.clientWidth + 1;
      thing.classList.toggle("scrolls", wide);
      if (wide) {
        thing.tabIndex = 0;
        thing.setAttribute("role", "group");
        thing.setAttribute("aria-label", NAMES[thing.tagName]);
      } else {
        for (const name of ["tabindex", "role", "aria-label"]) thing.removeAttribute(name);
      }
    });
  };
  const ready = () => {
    reveal();
    addEventListener("hashchange", reveal);
    stops();
    document.fonts.ready.then(stops);
    let waiting = 0;
    addEventListener("resize", () => {
      clearTimeout(waiting);
      waiting = setTimeout(stops, 150);
    });
    document.addEventListener("toggle", stops, true);
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", ready);
  else ready();
})();
