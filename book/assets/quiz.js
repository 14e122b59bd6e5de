/* A choice shows at once what the fold says about it. */
"use strict";
addEventListener("change", ({ target }) => {
  const field = target.closest("fieldset.quiz");
  if (!field) return;
  const reasons = field.querySelectorAll("details .why");
  field.querySelector("output").innerHTML = reasons[target.value].innerHTML;
});
