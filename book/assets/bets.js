/* What is kept of a reader, in this browser alone: bets, answers, how far one has read. And the bets of a page. */
"use strict";
window.kept = (() => {
  const KEY = "posenc-kept";
  const KINDS = ["bets", "quizzes", "typed", "read"];
  const OLD = "What this browser kept was of another version, or broken. It was left aside.";
  const NOWHERE = "This browser keeps nothing for this site: what you do lasts until you leave the page.";
  const fresh = () => Object.fromEntries([["version", 1], ...KINDS.map((kind) => [kind, {}])]);
  const sound = (found) => found?.version === 1 && KINDS.every((kind) => found[kind]?.constructor === Object);
  const read = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return "broken";
    }
  };
  let state = fresh();
  let word = ""; // what there is to say about the place where it is kept
  const load = () => {
    try {
      const found = read(localStorage.getItem(KEY));
      state = sound(found) ? found : fresh();
      word = found && state !== found ? OLD : "";
    } catch {
      word = NOWHERE;
    }
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
  addEventListener("storage", ({ key }) => [KEY, null].includes(key) && (load(), tell())); // another tab
  return {
    word: () => word,
    text: () => JSON.stringify(state, null, 1),
    all: (kind) => Object.entries(state[kind]),
    get: (kind, id) => (Object.hasOwn(state[kind], id) ? state[kind][id] : undefined),
    set(kind, id, value) {
      if (word !== NOWHERE) load();
      state[kind][id] = value; // undefined is not written
      save();
    },
    take(text) {
      const found = read(text);
      if (!sound(found)) return false;
      for (const kind of KINDS) Object.assign(state[kind], found[kind]);
      save();
      return true;
    },
    forget() {
      state = fresh();
      save();
    },
  };
})();

(() => {
  const root = document.documentElement;
  const all = (selector, place = document) => [...place.querySelectorAll(selector)];
  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const whenKept = (draw) => (draw(), document.addEventListener("kept", draw));

  /* --- bets, and the veils over what would give them away -------------------------------------- */

  const open = (veil) => {
    veil.removeAttribute("hidden");
    veil.classList.add("open");
    veil.dispatchEvent(new Event("toggle")); // what is wide is looked for now
  };
  const told = (said, right, authors, words) => {
    const came = said < 0 ? `It is <em>${words(right)}</em>.` : said === right ? "That came true." : `What came true: <em>${words(right)}</em>.`;
    return `${said < 0 ? "" : `You said <em>${words(said)}</em>. `}${came}${authors >= 0 ? ` The authors had bet on <em>${words(authors)}</em>.` : ""}`;
  };
  for (const field of all("fieldset.bet")) {
    const id = field.id.slice(4);
    const veil = document.querySelector(`.veil[data-bet="${id}"]`);
    const far = document.getElementById(`told-${id}`);
    const here = field.querySelector("output");
    const said = far?.querySelector("output") ?? here;
    const inputs = all("input", field);
    const words = (n) => inputs[n].parentElement.querySelector("span").innerHTML;
    const { right, authors = -1 } = field.dataset;
    const pass = make("button", { type: "button", textContent: "Just show me" });
    const keys = make("p", { className: "bet-keys" });
    here.before(keys);
    (far?.querySelector("p") ?? keys).append(" ", pass);
    keys.append(make("span", { className: "hint", textContent: "Arrow keys choose, Enter bets." }));
    here.tabIndex = said.tabIndex = -1;
    const bet = (answer) => {
      kept.set("bets", id, [answer, +right]);
      (answer < 0 ? said : here).focus({ preventScroll: true });
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
    pass.addEventListener("click", () => bet(-1));
    veil.addEventListener("beforematch", () => open(veil));
    if (/[?&]highlight=/.test(location.search)) open(veil);
    let shown;
    whenKept(() => {
      const placed = kept.get("bets", id);
      if (shown === (shown = String(placed))) return;
      field.disabled = Boolean(placed);
      for (const part of [field, far]) part?.classList.toggle("placed", field.disabled);
      inputs.forEach((input, n) => {
        input.checked = placed?.[0] === n;
        input.parentElement.className = !placed ? "" : n === +right ? "came-true" : input.checked ? "lost" : "";
      });
      here.innerHTML = placed && far ? `What came true stands <a href="#told-${id}">further down</a>.` : "";
      said.innerHTML = placed ? told(placed[0], +right, +authors, words) : said.innerHTML;
      if (placed) open(veil);
      else if (!veil.matches(".open")) veil.setAttribute("hidden", "until-found");
    });
  }
  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const veil = target?.closest(".veil:not(.open)");
    if (veil) open(veil), target.scrollIntoView();
  };
  follow();
  addEventListener("hashchange", follow);

  /* --- how far one has read -------------------------------------------------------------------- */

  const page = root.dataset.page;
  const parts = all(".bd-article > section > section");
  const lecture = parts.findIndex(({ id }) => id === "exercises");
  const note = () => {
    const seen = parts.filter((part) => part.getBoundingClientRect().top < innerHeight / 2);
    const { id = "", firstElementChild: head } = seen.at(-1) ?? {};
    const far = Math.max(seen.length, kept.get("read", page)?.[0] ?? 0);
    kept.set("read", page, [far, lecture < 0 ? parts.length : lecture, id, head?.firstChild.textContent ?? "", Date.now()]);
  };
  let waiting;
  if (/^notebooks\/\d/.test(page))
    addEventListener("scroll", () => (clearTimeout(waiting), (waiting = setTimeout(note, 400))), { passive: true });
  const chapters = all(".contents a").map((link) => [link, link.pathname.match(/notebooks\/\d\w+(?=\.html$)/)?.[0]]).filter(([, name]) => name);
  const begin = document.querySelector(".begin p");
  const on = begin && begin.appendChild(make("a", { className: "go-on" }));
  whenKept(() => {
    for (const [link, name] of chapters) {
      const [seen, of] = kept.get("read", name) ?? [];
      link.dataset.read = seen === undefined ? "" : seen < of ? "begun" : "read";
    }
    const [name, last] = kept.all("read").sort(([, a], [, b]) => b[4] - a[4])[0] ?? [];
    const [link] = chapters.find(([, other]) => other === name) ?? [];
    if (on) Object.assign(on, { hidden: !link, href: link && `${link.href}#${last[2]}`, textContent: `Go on where you stopped: ${last?.[3] || link?.textContent}` });
  });

  /* --- the score, and the page that shows it all ----------------------------------------------- */

  const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const score = (kind, noun) => {
    const given = kept.all(kind).filter(([, [said]]) => said >= 0);
    return `${many(given.length, noun)}, ${given.filter(([, [said, right]]) => said !== right).length} of them lost`;
  };
  whenKept(() => all(".bets-score output").forEach((place) => (place.textContent = `You: ${score("bets", "bet")}.`)));
  whenKept(() => {
    for (const place of all("output[data-answers]")) {
      const [said, right] = kept.get("bets", place.dataset.bet) ?? [];
      const answers = JSON.parse(place.dataset.answers);
      place.textContent = said >= 0 ? `You said: ${answers[said]}. What came true: ${answers[right]}.` : "";
    }
  });
  const place = document.querySelector(".kept");
  if (!place) return;
  const line = place.appendChild(make("p"));
  const keys = place.appendChild(make("p", { className: "keys" }));
  const said = make("output");
  const key = (textContent, press) => {
    keys.append(make("button", { type: "button", textContent, onclick: async () => (said.textContent = (await press()) ?? "") }), " ");
  };
  const file = make("input", { type: "file", accept: ".json" });
  file.onchange = async () => {
    const done = kept.take(await file.files[0].text());
    said.textContent = done ? "Imported." : "Nothing was changed: this file is of another version, or no export of this page.";
  };
  key("Export", () => {
    const href = URL.createObjectURL(new Blob([kept.text()], { type: "application/json" }));
    make("a", { href, download: "positional-encoding.json" }).click();
  });
  key("Import", () => file.click());
  key("Forget everything", () => (kept.forget(), "Forgotten."));
  keys.append(said);
  whenKept(() => {
    const done = chapters.filter(([link]) => link.dataset.read === "read");
    const typed = kept.all("typed").map(([where]) => `<a href="${root.dataset.content_root}${where.replace("#", ".html#")}">${where.split("answer-").pop()}</a>`);
    line.innerHTML = `${kept.word()} ${many(done.length, "chapter")} read to the end; ${score("bets", "bet")}; ${score("quizzes", "question")};
      ${many(typed.length, "program")} of yours${typed.length ? ": " : ""}${typed.join(", ")}.`;
  });
})();
