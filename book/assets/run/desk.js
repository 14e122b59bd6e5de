/* A statement, or an exercise, as a program in its place: run it, change it, stop it, have it as in the book. */
const at = (name) => new URL(name + new URL(import.meta.url).search, import.meta.url); // of this version
const desks = new Map();
let page; // what the page holds: programs, and the bytes that they need: the pack's, and all that are sent
let katex;
let worker;
let waiting = null; // the desk that waits for the worker

const make = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  element.append(...children);
  return element;
};

const load = async () => {
  const name = document.documentElement.dataset.page.split("/").pop();
  const programs = page ?? fetch(at(`statements/${name}.json`)).then((response) => response.json());
  katex ??= new Promise((resolve, reject) => {
    const onerror = () => reject((katex = undefined)); // the next click tries again
    const onload = () => (window.katex ? resolve() : onerror()); // a page may be sent in its place
    const script = make("script", { src: at("katex.min.js"), onload, onerror });
    document.head.append(script, make("link", { rel: "stylesheet", href: at("desk.css") }));
  });
  [page] = await Promise.all([programs, katex]);
};

/* --- the worker ------------------------------------------------------------------------------ */

const start = () => {
  worker = new Worker(at("worker.js"), { type: "module" });
  worker.onerror = (event) => {
    stop(); // a click before the program is here finds it so, and starts again
    waiting?.fail(event.message ?? "Python could not be started");
  };
  worker.onmessage = ({ data }) => {
    if (!waiting) return;
    if (data.bytes && !worker.started) waiting.fetching(data.bytes);
    if (data.starting) waiting.tell("Starting Python and SymPy …", (worker.started = true));
    if (data.running) waiting.tell("Running … A few statements take longer than others.");
    if (data.failed) waiting.fail(data.failed);
    if (data.result) waiting.show(data.result, data.seconds);
  };
};

const stop = () => {
  worker?.terminate();
  worker = null;
};

/* --- what is shown --------------------------------------------------------------------------- */

const typeset = (tag, tex) => {
  const formula = make(tag, { className: "math" });
  formula.setAttribute("translate", "no");
  const settings = { throwOnError: false, macros: { "\\arraystretch": "1.35" }, displayMode: tag === "div" };
  window.katex.render(tex, formula, settings);
  return formula;
};
const inline = (text) => text.split("$").map((part, n) => (n % 2 ? typeset("span", part) : part));

const cardOf = ({ kind, title, statement, domain, verdict }) => {
  const card = make("div", { className: `posenc-result ${kind}` });
  card.append(make("p", { className: "card-title" }, make("strong", {}, ...inline(title))));
  if (statement) card.append(typeset("div", statement));
  if (domain) card.append(make("p", { className: "card-domain" }, ...inline(domain)));
  const word = make("strong", { className: `verdict ${kind}` }, kind[0].toUpperCase() + kind.slice(1));
  card.append(make("p", { className: "card-verdict" }, word, " ", ...inline(verdict)));
  return card;
};

const NO_RUN = "The run in numbers belongs to the book: this card has none. ";
const LICENCES = make("a", { href: at("licences.txt"), textContent: "What runs here, and its licences" });

class Desk {
  constructor(card, button, program) {
    this.book = program;
    const rows = Math.min(program.split("\n").length + 1, 30);
    const plain = { spellcheck: false, wrap: "off", autocapitalize: "off", "aria-label": "The program" };
    this.at = `${document.documentElement.dataset.page}#${card.id}`;
    this.text = make("textarea", { value: window.kept?.get("typed", this.at) ?? program, rows, ...plain });
    this.text.addEventListener("input", () => window.kept?.set("typed", this.at, this.text.value));
    const dots = program.indexOf("...");
    if (dots >= 0) this.text.setSelectionRange(dots, dots + 3);
    this.output = make("div", { className: "desk-output", "aria-live": "polite" });
    this.status = make("span", { className: "desk-status", role: "status" });
    this.bar = make("progress", { hidden: true, "aria-label": "Fetched" });
    const key = (name, action) => make("button", { type: "button", textContent: name, onclick: () => action.call(this) });
    this.keys = [key("Run", this.run), key("Stop", this.stop), key("Reset", this.restore)];
    const keys = make("p", { className: "desk-keys" }, ...this.keys, this.status);
    this.place = make("section", { className: "desk", "aria-label": button.dataset.name });
    this.place.append(this.text, keys, this.bar, this.output);
    this.text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.run();
    });
    this.busy(false);
    card.after(this.place);
  }

  busy(is) {
    // The key that was pressed may not lose the focus: it is switched off for those who look and those who listen.
    this.keys[0].setAttribute("aria-disabled", is);
    this.keys[1].setAttribute("aria-disabled", !is);
    this.bar.hidden = true;
  }

  tell(text) {
    this.bar.hidden = true;
    this.status.textContent = text;
  }

  fetching(bytes) {
    this.status.textContent = `Fetching Python and SymPy, once: ${Math.ceil(page.sent / 1e6)} MB`;
    Object.assign(this.bar, { hidden: false, max: page.pack, value: bytes });
  }

  run() {
    if (waiting && waiting !== this) this.tell("Another program is running on this page: wait for it, or stop it.");
    if (waiting) return;
    waiting = this;
    this.busy(true);
    this.output.replaceChildren();
    this.tell("");
    if (!worker) start();
    worker.postMessage({ program: this.text.value });
  }

  stop() {
    if (waiting !== this) return;
    waiting = null;
    stop();
    this.busy(false);
    this.tell("Stopped.");
    start(); // so that the next run need not wait
  }

  restore() {
    this.text.value = this.book;
    window.kept?.set("typed", this.at);
    if (waiting === this) this.stop();
    this.output.replaceChildren();
    this.tell("As in the book.");
  }

  fail(problem) {
    waiting = null;
    stop();
    this.busy(false);
    this.tell(`This could not be started here: ${problem}. The card stays as it is.`);
  }

  show({ cards, printed, refusal }, seconds) {
    waiting = null;
    this.busy(false);
    this.tell(`${seconds.toFixed(1)} seconds, in this page.`);
    this.output.append(...cards.map(cardOf));
    if (printed) this.output.append(make("pre", { className: "desk-words", textContent: printed }));
    if (refusal) this.refuse(refusal);
    else if (cards.some(({ kind }) => kind !== "measured"))
      this.output.append(make("p", { className: "desk-note" }, NO_RUN, LICENCES.cloneNode(true)));
    else if (!cards.length && !printed) this.output.append(make("p", {}, "Nothing was stated: end with prove(…) or refute(…)."));
  }

  refuse({ kind, words: text, line, expected }) {
    const notProved = kind === "NotProved";
    const word = notProved ? "Not proved" : expected ? "Refused" : kind;
    const mark = make("strong", { className: notProved ? "verdict refuted" : "" }, word);
    const head = make("p", {}, mark, line ? ` · line ${line}` : "");
    const words = make("p", { className: "desk-words", textContent: text });
    this.output.append(make("div", { className: "posenc-result refuted refusal" }, head, words));
    if (notProved || !line) return;
    const lines = this.text.value.split("\n");
    const before = lines.slice(0, line - 1).join("\n").length + (line > 1);
    this.text.setSelectionRange(before, before + lines[line - 1].length);
  }
}

/* --- the button ------------------------------------------------------------------------------ */

export const toggle = async (card, button) => {
  if (button.getAttribute("aria-busy") === "true") return;
  const byKeyboard = button.matches(":focus-visible");
  let desk = desks.get(card);
  if (desk) {
    desk.place.hidden = !desk.place.hidden;
  } else {
    button.setAttribute("aria-busy", true);
    if (!worker) start(); // while the program is fetched
    try {
      await load();
      const program = page.answers[card.id] ?? page.statements[card.id.replace("result-", "")];
      desks.set(card, (desk = new Desk(card, button, program)));
    } finally {
      button.setAttribute("aria-busy", false);
    }
    desk.run();
  }
  const open = !desk.place.hidden;
  button.setAttribute("aria-expanded", open);
  button.value = open ? "Close" : button.dataset.name;
  // By keyboard one goes on in the program; a finger would only bring the phone's keys.
  if (open && byKeyboard) desk.text.focus({ preventScroll: true });
};
