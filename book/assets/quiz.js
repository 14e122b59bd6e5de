/* A choice shows at once what the fold says about it. First choices are counted, and kept nowhere but on the page. */
"use strict";
(() => {
  const fields = [...document.querySelectorAll("fieldset.quiz")];
  const first = new Map();
  const bar = Object.assign(document.createElement("p"), { className: "quiz-score" });
  bar.innerHTML = '<button type="button">Shuffle, and begin anew</button> <output></output>';
  document.querySelector("h1").after(bar);
  const said = bar.querySelector("output");
  const shuffled = (list) => list.map((item) => [Math.random(), item]).sort(([a], [b]) => a - b).map(([, item]) => item);

  addEventListener("change", ({ target }) => {
    const field = target.closest("fieldset.quiz");
    if (!field) return;
    const reason = field.querySelectorAll("details .why")[target.value];
    field.querySelector("output").innerHTML = reason.innerHTML;
    if (!first.has(field)) first.set(field, reason.querySelector(".holds") !== null);
    const right = [...first.values()].filter(Boolean).length;
    said.textContent = `${right} of ${first.size} right at the first choice; ${fields.length} questions in all.`;
  });
  bar.querySelector("button").addEventListener("click", () => {
    first.clear();
    said.textContent = "";
    for (const section of new Set(fields.map((field) => field.parentElement)))
      section.append(...shuffled([...section.querySelectorAll("fieldset.quiz")]));
    for (const field of fields) {
      field.querySelector("legend").after(...shuffled([...field.querySelectorAll("label")]));
      field.querySelectorAll("input").forEach((input) => { input.checked = false; });
      field.querySelector("output").textContent = "";
    }
  });
})();
