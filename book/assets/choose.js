/* Three questions, one answer: shows the section of the case again. Without it the page shows every case, and no form. */
"use strict";
const chooser = document.querySelector("form.chooser");
const answers = JSON.parse(chooser.dataset.answers);
const sectionOf = (name) => document.getElementById(name).closest("section");
const titleOf = (name) => {
  const title = sectionOf(name).querySelector("h3").cloneNode(true);
  title.querySelector(".headerlink")?.remove();
  return title.textContent.trim();
};
const linkTo = (name) =>
  Object.assign(document.createElement("a"), { href: `#${sectionOf(name).id}`, textContent: titleOf(name) });
const answer = () => {
  const said = Object.fromEntries(new FormData(chooser));
  const asked = (rule) => Object.keys(said).filter((name) => rule[name]);
  const fits = (rule) => asked(rule).every((name) => !said[name] || rule[name].includes(said[name]));
  const settled = (rule) => asked(rule).every((name) => said[name]);
  const head = chooser.querySelector("output");
  const first = answers.find((rule) => !rule.also && fits(rule));
  if (!settled(first)) {
    head.replaceChildren("Choose an answer to each question; fewer may be enough.");
    chooser.querySelector(".chosen").replaceChildren();
    return;
  }
  const name = first.case;
  const others = new Set(
    answers.filter((rule) => rule.also && rule.case !== name && fits(rule) && settled(rule)).map((rule) => rule.case),
  );
  const body = sectionOf(name).querySelector("dl").cloneNode(true);
  body.querySelectorAll("[id]").forEach((element) => element.removeAttribute("id"));
  const list = [...body.children].find((term) => term.textContent === "Models do"); // it is long, and a click away
  list?.nextElementSibling.remove();
  list?.remove();
  head.replaceChildren(linkTo(name));
  [...others].forEach((other, place) => head.append(place ? ", " : " · and for you also: ", linkTo(other)));
  chooser.querySelector(".chosen").replaceChildren(body);
};
chooser.addEventListener("change", answer);
chooser.addEventListener("submit", (event) => event.preventDefault());
chooser.hidden = false;
answer();
