/* What a page needs: folds and wide things within reach, light or dark, the menu. */
"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, place = document) => {
    const found = [...place.querySelectorAll(selector)];
    return place.matches?.(selector) ? [place, ...found] : found;
  };

  // A link to a card inside a fold opens the fold.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    const filter = target.closest("[hidden]") && document.querySelector("form.filter");
    filter?.reset();
    filter?.dispatchEvent(new Event("input"));
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView();
  };

  // What is wider than its place scrolls by keyboard and says so; what is not is no stop for the tab key.
  const WIDE = ".bd-article pre, .bd-article div.math, .bd-article .wide-formula, .pst-scrollable-table-container";
  const NAMES = { PRE: "Code, scrolls sideways", DIV: "Scrolls sideways", SPAN: "Formula, scrolls sideways" };
  const stops = (place = document) => {
    // What of a formula cannot break is set smaller, down to half, until it fits.
    const lines = all(".bd-article .katex-display > .katex", place);
    for (const line of lines) line.style.removeProperty("--fit");
    const widths = lines.map((line) => {
      const parts = all(".base", line).map((part) => part.offsetWidth);
      return getComputedStyle(line).whiteSpace === "nowrap" ? parts.reduce((a, b) => a + b, 0) : Math.max(...parts);
    });
    const fits = lines.map((line, n) => (0.99 * line.parentElement.clientWidth) / widths[n]);
    lines.forEach((line, n) => fits[n] < 1 && line.style.setProperty("--fit", Math.max(0.7, fits[n])));
    const formulas = all(".bd-article span.math", place).map((formula) => {
      const line = formula.parentElement.closest("p, li, td, dd, div, h1, h2, h3");
      return [formula, all(".base", formula).some((part) => part.offsetWidth > line.clientWidth)];
    });
    for (const [formula, wide] of formulas) formula.classList.toggle("wide-formula", wide);
    for (const [thing, wide] of all(WIDE, place).map((thing) => [thing, thing.scrollWidth > thing.clientWidth + 1])) {
      thing.classList.toggle("scrolls", wide);
      for (const [name, value] of [["tabindex", 0], ["role", "group"], ["aria-label", NAMES[thing.tagName]]])
        if (wide) thing.setAttribute(name, value);
        else thing.removeAttribute(name);
    }
  };

  // Light, dark, or what the system prefers.
  const KEY = "posenc-theme";
  const MODES = { auto: "Auto", light: "Light", dark: "Dark" };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const colour = (mode) => {
    root.dataset.mode = mode;
    root.dataset.theme = mode === "auto" ? (dark.matches ? "dark" : "light") : mode;
    document.querySelector(".theme").textContent = `Theme: ${MODES[mode]}`;
  };

  // A formula is copied as its TeX, once: what that takes comes when a reader begins to select.
  const formulas = all(".katex[translate] > .katex-mathml"); // in their order, which a filter may change
  const address = document.currentScript.src;
  const add = (place, tag, properties) => place.appendChild(Object.assign(document.createElement(tag), properties));
  window.copyAs = (sources) =>
    sources.forEach((textContent, n) => add(formulas[n], "annotation", { textContent, hidden: true }));
  const wait = () => document.addEventListener("selectstart", fetchTex, { once: true }); // also where it did not come
  const fetchScript = (name) => add(document.head, "script", { src: address.replace("course.js", name), onerror: wait });
  const fetchTex = () => [`tex/${root.dataset.page}.js`, "copy-tex.js"].forEach(fetchScript);
  wait();

  // A server's policy may refuse what stands within a page: KaTeX's styles, and the pictures in heatmaps.
  const refuse = (what, remedy) => {
    root.classList.add(`no-${what}`);
    const textContent = `The server refuses the ${what} that stand within this page. Its Content-Security-Policy lacks: ${remedy}`;
    document.querySelector("h1").after(Object.assign(document.createElement("p"), { className: "result-count", textContent }));
  };
  if (document.querySelector("[style]")?.style.length === 0) refuse("styles", "style-src 'self' 'unsafe-inline'");
  const picture = document.querySelector(".drawing image");
  const onerror = () => refuse("pictures", "img-src 'self' data:");
  if (picture) Object.assign(new Image(), { onerror, src: picture.getAttribute("xlink:href") ?? picture.getAttribute("href") });

  // What was unfolded is so again after a reload, and with it the place where one was.
  const folds = all("details");
  for (const n of history.state?.open ?? []) folds[n]?.setAttribute("open", "");
  const keep = () => history.replaceState({ open: [...folds.keys()].filter((n) => folds[n].open) }, "");
  document.addEventListener("click", ({ target }) => target.closest?.("summary") && setTimeout(keep));
  reveal();
  const height = () => document.getElementById(location.hash.slice(1))?.getBoundingClientRect().top;
  const arrival = height();
  addEventListener("hashchange", reveal);
  // A link to the place where one is already does not change the address, and its fold may be closed again.
  document.addEventListener("click", ({ target }) => target.closest?.("a")?.href === location.href && reveal());
  // A sign in the text opens the card that it stands for in its place; pressed again, it closes it.
  document.addEventListener("click", (event) => {
    const sign = event.target.closest?.(".bd-article a.mark");
    const card = sign?.pathname === location.pathname && document.getElementById(sign.hash.slice(1));
    if (!card || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const block = sign.closest("p, li, dd, table, .math");
    const open = block.nextElementSibling;
    if (open?.dataset.of === sign.hash) return open.remove();
    const copy = card.cloneNode(true);
    for (const part of all("[id]", copy)) part.removeAttribute("id");
    for (const part of all(".run-here, .desk", copy)) part.remove();
    const shown = Object.assign(document.createElement("aside"), { className: "opened" });
    shown.dataset.of = sign.hash;
    shown.setAttribute("aria-label", "The card of this statement");
    const there = Object.assign(document.createElement("a"), { href: sign.hash, textContent: "Its proof, its run, and where to change it" });
    shown.append(...copy.childNodes, there);
    block.after(shown);
    stops(shown);
  });
  // A part of the page is looked at when it comes near.
  const seen = new Set();
  const near = new IntersectionObserver((entries) => {
    for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
      near.unobserve(target);
      seen.add(target);
      stops(target);
    }
    // Letters that came since moved the heading a little; who has scrolled away stays there.
    if (!("looked" in root.dataset) && Math.abs(height() - arrival) < 100) reveal();
    root.dataset.looked = "";
  }, { rootMargin: "50%" });
  const parts = all(".bd-article > section > *");
  // On a phone much is too wide: there the parts that are far follow when there is nothing else to do.
  const far = () => matchMedia("(max-width: 48rem)").matches && parts.forEach((part) => stops(part));
  const look = () => {
    for (const part of parts.length ? parts : [document.body]) {
      near.unobserve(part);
      near.observe(part);
    }
    (window.requestIdleCallback ?? setTimeout)(far, { timeout: 1000 }); // a busy machine is never idle
  };
  document.fonts.ready.then(look);
  // With a keyboard, what is wide is reached before it comes near.
  const meet = ({ key }) => {
    if (key !== "Tab") return;
    removeEventListener("keydown", meet);
    for (const part of parts) stops(part);
  };
  addEventListener("keydown", meet);
  // Brackets that come late change a formula's width.
  document.fonts.addEventListener("loadingdone", () => seen.forEach((part) => stops(part)));
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, 150);
  });
  document.addEventListener("toggle", ({ target }) => target.closest(".bd-article") && stops(target), true);

  root.classList.add("js");
  colour(root.dataset.mode ?? "auto"); // A host may let no script stand in a page.
  dark.addEventListener("change", () => colour(root.dataset.mode));
  // What is chosen in another tab, or before Back, holds here too.
  const recall = () => colour([localStorage.getItem(KEY), root.dataset.mode].find((mode) => Object.hasOwn(MODES, mode)));
  addEventListener("storage", recall);
  addEventListener("pageshow", ({ persisted }) => persisted && recall());
  document.querySelector(".theme").addEventListener("click", () => {
    const modes = Object.keys(MODES);
    const mode = modes[(modes.indexOf(root.dataset.mode) + 1) % modes.length];
    colour(mode);
    localStorage.setItem(KEY, mode); // Where that is refused, the choice holds for this page.
  });

  // On a phone the contents lie over the page, until one goes there: by a link, also to this page, or by keyboard.
  const menu = document.querySelector(".menu"), contents = document.getElementById("contents");
  const unfold = (open) => menu.setAttribute("aria-expanded", contents.classList.toggle("open", open));
  const show = () => (contents.scrollTop = contents.querySelector("a.current")?.offsetTop - contents.clientHeight / 2);
  show();
  menu.addEventListener("click", () => {
    unfold();
    show(); // where one is
  });
  contents.addEventListener("click", ({ target }) => target.closest("a") && unfold(false));
  document.querySelector(".page").addEventListener("focusin", () => unfold(false));
  if (matchMedia("(min-width: 75rem)").matches) all(".on-this-page details").forEach((toc) => (toc.open = true));

  all(".bd-article .highlight").filter((code) => !code.closest(".cell_output")).forEach((code) => {
    // What an input says is not copied with a page that is selected whole.
    const button = add(code, "input", { className: "copy", type: "button", value: "Copy" });
    button.addEventListener("click", async () => {
      const pre = code.querySelector("pre");
      try {
        await navigator.clipboard.writeText(pre.textContent);
        button.value = "Copied";
      } catch {
        // Without https there is no clipboard, but what is selected can be copied.
        getSelection().selectAllChildren(pre);
        button.value = document.execCommand("copy") ? "Copied" : "Selected: press Ctrl+C";
      }
      setTimeout(() => (button.value = "Copy"), 1500);
    });
  });
})();
