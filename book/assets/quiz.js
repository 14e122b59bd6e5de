/* A choice shows at once what the fold says about it. First choices are counted, and kept in this browser. */
"use strict";
(() => {
  const fields = [...document.querySelectorAll("fieldset.quiz")];
  const first = new Map();
  const bar = Object.assign(document.createElement("p"), { className: "quiz-score" });
  bar.innerHTML = '<button type="button">Shuffle, and begin anew</button> <output></output>';
  document.querySelector("h1").after(bar);
  const said = bar.querySelector("output");
  const shuffled = (list) => list.map((item) => [Math.random(), item]).sort(([a], [b]) => a - b).map(([, item]) => item);

  const answer = (field, value) => {
    const reasons = [...field.querySelectorAll("details .why")];
    const holds = reasons.findIndex((reason) => reason.querySelector(".holds"));
    field.querySelector("output").innerHTML = reasons[value].innerHTML;
    if (!first.has(field)) first.set(field, value === holds);
    if (!window.kept?.get("quizzes", field.id)) window.kept?.set("quizzes", field.id, [value, holds]);
    const right = [...first.values()].filter(Boolean).length;
    said.textContent = `${right} of ${first.size} right at the first choice; ${fields.length} questions in all.`;
  };
  addEventListener("change", ({ target }) => target.closest("fieldset.quiz") && answer(target.closest("fieldset.quiz"), Number(target.value)));
  for (const field of fields) {
    const [value] = window.kept?.get("quizzes", field.id) ?? [];
    if (value === undefined) continue;
    field.querySelector(`[value="${value}"]`).checked = true;
    answer(field, value);
  }
  bar.querySelector("button").addEventListener("click", () => {
    first.clear();
    for (const field of fields) window.kept?.set("quizzes", field.id);
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
