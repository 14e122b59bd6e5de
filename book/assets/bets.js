/* What is kept of a reader, in this browser alone: bets, answers, how far one has read. And the bets of a page. */
"use strict";
window.kept = (() => {
  const KEY = "posenc-kept";
  const OLD = "What this browser kept is of another version, or broken, and was left aside.";
  const NOWHERE = "This browser keeps nothing for this site: what you do lasts until you leave the page.";
  const fresh = () => Object.fromEntries([["version", 1], ...KINDS.map((kind) => [kind, {}])]);
  const holds = { bets: Array.isArray, quizzes: Array.isArray, read: Array.isArray, typed: (value) => typeof value === "string" };
  const KINDS = Object.keys(holds);
  const fits = (found, kind) => found[kind]?.constructor === Object && Object.values(found[kind]).every(holds[kind]);
  const sound = (found) => found?.version === 1 && KINDS.every((kind) => fits(found, kind));
  let state = fresh();
  let word = ""; // what there is to say about the place where it is kept
  const load = () => {
    let text, found;
    try {
      text = localStorage.getItem(KEY);
      found = JSON.parse(text);
    } catch {
      if (text === undefined) return (word = NOWHERE);
    }
    state = sound(found) ? found : fresh();
    word = text && state !== found ? OLD : "";
  };
  const tell = () => document.dispatchEvent(new Event("kept"));
  const save = () => {
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
      word = "";
    } catch {
      word = NOWHERE;
    }
    tell();
  };
  load();
  addEventListener("storage", () => (load(), tell())); // another tab
  return {
    word: () => word,
    text: () => JSON.stringify(state, null, 1),
    all: (kind) => Object.entries(state[kind]),
    get: (kind, id) => (Object.hasOwn(state[kind], id) ? state[kind][id] : undefined),
    set(kind, id, value) {
      if (word !== NOWHERE) load(); // what another tab has added stays
      state[kind] = { ...state[kind], [id]: value };
      if (value === undefined) delete state[kind][id];
      save();
    },
    take(text) {
      const found = JSON.parse(text);
      if (!sound(found)) throw new Error("of another version");
      for (const kind of KINDS) Object.assign(state[kind], found[kind]);
      save();
    },
    forget() {
      state = fresh();
      save();
    },
  };
})();

(() => {
  const { content_root: up, page } = document.documentElement.dataset;
  const all = (selector, place = document) => [...place.querySelectorAll(selector)];
  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const whenKept = (draw) => (draw(), document.addEventListener("kept", draw));

  /* --- bets, and the veils over what would give them away -------------------------------------- */

  const open = (veil) => {
    veil.removeAttribute("hidden");
    veil.classList.add("open");
    veil.dispatchEvent(new Event("toggle")); // what is wide is looked for now
  };
  // Figure 0.2: each text of the right table comes from where the left one has it, so two words exchange their places.
  const exchange = (drawing) => {
    const texts = all("text", drawing);
    const left = texts.splice(0, texts.length / 2);
    const scale = drawing.viewBox.baseVal.width / drawing.clientWidth;
    for (const text of texts) {
      const [from] = left.splice(left.findLastIndex((other) => other.textContent === text.textContent), 1);
      const [a, b] = [from, text].map((part) => part.getBoundingClientRect());
      text.animate({ translate: [`${scale * (a.x - b.x)}px ${scale * (a.y - b.y)}px`, "0px 0px"] }, { duration: 1600, easing: "ease-in-out" });
    }
  };
  const article = document.querySelector(".bd-article");
  for (const field of all("fieldset.bet")) {
    const id = field.id.slice(4);
    const veil = document.querySelector(`.veil[data-bet="${id}"]`);
    const far = document.getElementById(`told-${id}`);
    const here = field.querySelector("output");
    const said = far?.querySelector("output") ?? here;
    const inputs = all("input", field);
    const words = (n) => `<em>${inputs[n].parentElement.querySelector("span").innerHTML}</em>.`;
    const [right, authors] = [field.dataset.right, field.dataset.authors].map(Number);
    const bet = (answer) => {
      article.style.overflowAnchor = "none"; // the bet stays where it is, and what follows moves
      setTimeout(() => (article.style.overflowAnchor = ""), 500);
      kept.set("bets", id, [answer, right]);
      Object.assign(answer < 0 ? said : here, { tabIndex: -1 }).focus({ preventScroll: true });
      if (id === "nine-numbers" && !matchMedia("(prefers-reduced-motion: reduce)").matches) exchange(veil.querySelector(".drawing svg"));
    };
    let arrow = false; // an arrow key only chooses
    field.addEventListener("pointerdown", () => (arrow = false));
    field.addEventListener("keydown", (event) => {
      arrow = event.key.startsWith("Arrow");
      if (!inputs.includes(event.target) || ![" ", "Enter"].includes(event.key)) return;
      event.preventDefault();
      bet(inputs.indexOf(event.target));
    });
    field.addEventListener("change", ({ target }) => arrow || bet(inputs.indexOf(target)));
    (far ?? field).querySelector("button").addEventListener("click", () => bet(-1));
    veil.addEventListener("beforematch", () => open(veil));
    if (/[?&]highlight=/.test(location.search)) open(veil);
    let shown; // what is shown stays as it is, with the focus in it
    whenKept(() => {
      const answer = [-1, ...inputs.keys()].find((n) => n === kept.get("bets", id)?.[0]);
      if (field.disabled && shown === answer) return;
      shown = answer;
      field.disabled = answer !== undefined;
      for (const part of [field, far]) part?.classList.toggle("placed", field.disabled);
      inputs.forEach((input, n) => {
        input.checked = n === answer;
        const came = n === right ? "came-true" : n === answer ? "lost" : "";
        input.parentElement.className = field.disabled && !far ? came : "";
      });
      if (!field.disabled && !veil.matches(".open")) veil.setAttribute("hidden", "until-found");
      here.innerHTML = said.innerHTML = "";
      if (!field.disabled) return;
      const yours = answer < 0 ? "" : `You said ${words(answer)}`;
      const came = answer === right ? "That came true." : `What came true: ${words(right)}`;
      here.innerHTML = `${yours} <a href="#told-${id}">What came true</a> stands further down.`;
      said.innerHTML = `${yours} ${came} ${authors >= 0 ? `The authors had bet on ${words(authors)}` : ""}`;
      open(veil);
    });
  }
  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target?.closest(".veil:not(.open)")) return;
    open(target.closest(".veil"));
    target.scrollIntoView();
  };
  follow();
  addEventListener("hashchange", follow);

  /* --- how far one has read -------------------------------------------------------------------- */

  const parts = all(".bd-article > section > section");
  const lecture = parts.findIndex(({ id }) => id === "exercises");
  const note = () => {
    const seen = parts.filter((part) => part.getBoundingClientRect().top < innerHeight / 2);
    const far = Math.max(seen.length, kept.get("read", page)?.[0] ?? 0);
    const [last] = seen.slice(-1);
    const of = lecture < 0 ? parts.length : lecture + 1;
    kept.set("read", page, [far, of, Date.now(), last?.id, last?.firstElementChild.firstChild.textContent]);
  };
  let waiting;
  const wait = () => (clearTimeout(waiting), (waiting = setTimeout(note, 400)));
  if (/^notebooks\/\d/.test(page)) addEventListener("scroll", wait, { passive: true });
  const chapters = new Map(all(".contents a").map((link) => [link.pathname.match(/notebooks\/\d\w+(?=\.html$)/)?.[0], link]));
  chapters.delete(undefined);
  const [line, on] = [make("p", { className: "go-on", textContent: "Go on where you stopped: " }), make("a")];
  document.querySelector(".begin")?.after(line);
  line.append(on);
  whenKept(() => {
    for (const [name, link] of chapters) {
      const [seen, of] = kept.get("read", name) ?? [];
      link.dataset.read = seen >= of ? "read" : seen >= 0 ? "begun" : "";
    }
    const [name, last] = kept.all("read").sort(([, a], [, b]) => b[2] - a[2])[0] ?? [];
    line.hidden = !chapters.has(name);
    if (line.hidden) return;
    on.href = `${chapters.get(name).href}#${last[3] ?? ""}`;
    on.textContent = [chapters.get(name).textContent, last[4]].filter(Boolean).join(", ");
  });

  /* --- the score, and the page that shows it all ----------------------------------------------- */

  const score = (kind) => {
    const given = kept.all(kind).filter(([, [said]]) => said >= 0);
    return [given.length, given.filter(([, [said, right]]) => said !== right).length];
  };
  const place = document.querySelector(".kept");
  whenKept(() => {
    const [[bets, lost], [answers, wrong]] = ["bets", "quizzes"].map(score);
    for (const output of all(".bets-score output")) output.textContent = `Of your ${bets} you lost ${lost}.`;
    for (const output of all("output[data-answers]")) {
      const [said, right] = kept.get("bets", output.dataset.bet) ?? [];
      const words = JSON.parse(output.dataset.answers);
      output.textContent = words[said] ? `You said: ${words[said]}. What came true: ${words[right]}.` : "";
    }
    const read = [...chapters.values()].filter((link) => link.dataset.read === "read").length;
    const links = kept.all("typed").map(([at]) => make("a", { href: up + at.replace("#", ".html#"), textContent: at.replace(/.*#\w+?-/, "") }));
    place?.firstElementChild.replaceChildren(`${kept.word()} Chapters read to the end: ${read} of ${chapters.size}. Bets placed: ${bets}, lost: ${lost}. \
Questions answered: ${answers}, at first not rightly: ${wrong}. Programs of yours: ${links.length} `, ...links.flatMap((link) => [link, " "]));
  });
  if (!place) return;
  const said = make("output");
  const key = (textContent, press) => {
    place.append(make("button", { type: "button", textContent, onclick: () => (said.textContent = press() ?? "") }), " ");
  };
  const file = make("input", { type: "file", accept: ".json" });
  file.onchange = async () => {
    try {
      kept.take(await file.files[0].text());
      said.textContent = "Imported.";
    } catch {
      said.textContent = "Nothing was changed: this file is of another version, or no export of this page.";
    }
  };
  key("Export", () => {
    const href = URL.createObjectURL(new Blob([kept.text()], { type: "application/json" }));
    make("a", { href, download: "positional-encoding.json" }).click();
  });
  key("Import", () => Object.assign(file, { value: "" }).click()); // the same file once more, too
  key("Forget everything", () => (kept.forget(), "Forgotten."));
  place.append(said);
})();
