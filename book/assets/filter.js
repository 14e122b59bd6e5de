/* Filters the entries of a page of results, claims or models, and puts them in order. Without it the page shows them all. */
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
    const classes = [...form.querySelectorAll("select:not([data-order])")].map((select) => select.value).filter(Boolean);
    let shown = 0;
    for (const { element, words } of entries) {
      const fits = classes.every((c) => element.classList.contains(c)) && wanted.every((w) => words.includes(w));
      element.hidden = !fits;
      shown += fits;
    }
    for (const section of sections) section.hidden = !section.querySelector(":scope > .entry:not([hidden])");
    output.textContent = `${shown} of ${entries.length} ${output.dataset.noun}`;
  };
  const key = (element, name) => {
    const value = element.querySelector(":scope > [hidden]").dataset[name];
    return value === undefined || Number.isNaN(Number(value)) ? value : Number(value);
  };
  const order = form.querySelector("select[data-order]");
  const arrange = () => {
    const name = order.value.replace("-", "");
    const sign = order.value.startsWith("-") ? -1 : 1;
    const sorted = entries.map(({ element }) => element); // as written, so that ties keep that order
    if (name) {
      sorted.sort((one, other) => {
        const [a, b] = [key(one, name), key(other, name)];
        if (a === b) return 0;
        if (a === undefined || b === undefined) return a === undefined ? 1 : -1; // without a value: last
        return sign * (a < b ? -1 : 1);
      });
    }
    for (const element of sorted) element.parentElement.append(element);
  };
  if (order) order.addEventListener("change", arrange);
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
});
