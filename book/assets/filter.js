/* Filters the entries of a page of results or claims. Without it the page shows them all. */
"use strict";
document.querySelectorAll("form.filter").forEach((form) => {
  const entries = [...document.querySelectorAll(".entry")].map((element) => ({
    element,
    words: element.textContent.toLowerCase(),
  }));
  const sections = [...document.querySelectorAll("section")].filter((s) => s.querySelector(":scope > .entry"));
  const output = form.querySelector("output");
  const apply = () => {
    const wanted = form.querySelector("input").value.toLowerCase().split(/\s+/).filter(Boolean);
    const classes = [...form.querySelectorAll("select")].map((select) => select.value).filter(Boolean);
    let shown = 0;
    for (const { element, words } of entries) {
      const fits = classes.every((c) => element.classList.contains(c)) && wanted.every((w) => words.includes(w));
      element.hidden = !fits;
      shown += fits;
    }
    for (const section of sections) section.hidden = !section.querySelector(":scope > .entry:not([hidden])");
    output.textContent = `${shown} of ${entries.length} ${output.dataset.noun}`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
});
