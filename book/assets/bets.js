/* What is kept of a reader, in this browser alone: bets, answers, how far one has read. And the bets of a page. */
"use strict";
window.kept = (() => {
  const KEY = "posenc-kept";
  const fresh = () => ({ version: 1, bets: {}, quizzes: {}, typed: {}, read: {} });
  let state = fresh();
  let trouble = "";
  let lasts = true; // whether what is kept outlasts the page
  const sound = (found) =>
    found?.version === 1 && Object.keys(fresh()).every((kind) => kind === "version" || found[kind]?.constructor === Object);
  const load = () => {
    try {
      const text = localStorage.getItem(KEY);
      let found = null;
      try {
        found = JSON.parse(text);
      } catch {}
      trouble = text && !sound(found) ? "What was kept here comes from another version of the course, or is broken: it is left aside." : "";
      state = sound(found) ? found : fresh();
    } catch {
      lasts = false;
    }
  };
  const save = () => {
    try {
      localStorage.setItem(KEY, JSON.stringify(state));
      trouble = "";
    } catch {
      lasts = false;
    }
    document.dispatchEvent(new Event("kept"));
  };
  load();
  addEventListener("storage", ({ key }) => {
    if (key !== KEY && key !== null) return;
    load();
    document.dispatchEvent(new Event("kept"));
  });
  return {
    get: (kind, id) => (Object.hasOwn(state[kind], id) ? state[kind][id] : undefined),
    all: (kind) => Object.entries(state[kind]),
    set(kind, id, value) {
      if (lasts) load(); // what another tab has added
      if (value === undefined) delete state[kind][id];
      else state[kind][id] = value;
      save();
    },
    take(text) {
      const found = JSON.parse(text);
      if (!sound(found)) throw new Error("another version");
      for (const kind in state) if (kind !== "version") Object.assign(state[kind], found[kind]);
      save();
    },
    forget() {
      state = fresh();
      save();
    },
    text: () => JSON.stringify(state, null, 1),
    word: () => (lasts ? trouble : "This browser keeps nothing for this site: what you do here lasts until you leave the page."),
  };
})();

(() => {
  const all = (selector, place = document) => [...place.querySelectorAll(selector)];
  const make = (tag, properties = {}) => Object.assign(document.createElement(tag), properties);
  const root = document.documentElement;
  const name = root.dataset.page;
  const score = () => {
    const bets = kept.all("bets").map(([, bet]) => bet).filter(([said]) => said >= 0);
    return [bets.length, bets.filter(([said, right]) => said !== right).length];
  };
  const many = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const scored = () => {
    const [placed, lost] = score();
    return placed ? `You have placed ${many(placed, "bet")} so far, and lost ${lost}.` : "You have not placed a bet yet.";
  };

  /* --- bets and veils ------------------------------------------------------------------------ */

  const open = (veil) => {
    if (veil.classList.contains("open")) return;
    veil.removeAttribute("hidden");
    veil.classList.add("open");
    veil.dispatchEvent(new Event("toggle")); // what is wide is looked for again
  };
  const told = (what, said, right, authors) => {
    const so = [`It is <em>${what(right)}</em>.`, `You said <em>${what(said)}</em>, and that came true.`,
      `You said <em>${what(said)}</em>. What came true: <em>${what(right)}</em>.`];
    const theirs = authors >= 0 ? ` The authors had bet on <em>${what(authors)}</em>.` : "";
    return so[said < 0 ? 0 : said === right ? 1 : 2] + theirs;
  };
  const bets = all("fieldset.bet").map((field) => {
    const id = field.id.slice(4);
    const labels = all("label", field);
    const inputs = all("input", field);
    const right = Number(field.dataset.right);
    const authors = Number(field.dataset.authors ?? -1);
    const far = document.getElementById(`told-${id}`);
    const here = field.querySelector("output");
    const said = far?.querySelector("output") ?? here;
    const keys = make("p", { className: "bet-keys" });
    const pass = make("button", { type: "button", textContent: "Just show me" });
    (far?.querySelector("p") ?? keys).append(" ", pass);
    keys.append(make("span", { className: "hint", textContent: "Arrow keys choose, Enter bets." }));
    here.before(keys);
    said.tabIndex = here.tabIndex = -1;
    const veils = all(`.veil[data-bet="${id}"]`);
    const show = () => {
      const placed = kept.get("bets", id);
      field.disabled = Boolean(placed);
      field.classList.toggle("placed", Boolean(placed));
      far?.classList.toggle("placed", Boolean(placed));
      labels.forEach((label, n) => {
        inputs[n].checked = placed?.[0] === n;
        label.classList.toggle("came-true", Boolean(placed) && n === right);
        label.classList.toggle("lost", placed?.[0] === n && n !== right);
      });
      if (placed) veils.forEach(open);
      said.innerHTML = placed ? told((n) => labels[n].querySelector("span").innerHTML, placed[0], right, authors) : "";
      if (far) here.innerHTML = placed ? `What came true stands <a href="#told-${id}">further down</a>.` : "";
    };
    const bet = (answer) => {
      kept.set("bets", id, [answer, right]);
      (answer < 0 ? said : here).focus({ preventScroll: true });
    };
    let arrow = false; // an arrow key chooses, and is no bet yet
    field.addEventListener("pointerdown", () => (arrow = false));
    field.addEventListener("keydown", (event) => {
      arrow = event.key.startsWith("Arrow");
      const at = inputs.indexOf(event.target);
      if (at < 0 || !["Enter", " "].includes(event.key)) return;
      event.preventDefault();
      bet(at);
    });
    field.addEventListener("change", ({ target }) => arrow || bet(inputs.indexOf(target)));
    pass.addEventListener("click", () => bet(-1));
    for (const veil of veils) {
      if (/[?&]highlight=/.test(location.search)) open(veil);
      else veil.setAttribute("hidden", "until-found");
      veil.addEventListener("beforematch", () => open(veil));
    }
    return show;
  });
  const show = () => bets.forEach((one) => one());
  show();
  document.addEventListener("kept", show);
  const follow = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const veil = target?.closest(".veil");
    if (veil) open(veil);
    if (veil) target.scrollIntoView();
  };
  follow();
  addEventListener("hashchange", follow);
})();
