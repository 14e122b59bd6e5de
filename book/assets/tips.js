/* What a link to the glossary or to a card leads to, shown beside it: by mouse, by keyboard, by touch. */
"use strict";
(() => {
  const LINKS = '.bd-article a[href*="#term-"], .bd-article a[href*="#result-"]';
  const tip = Object.assign(document.createElement("div"), { id: "tip", role: "tooltip", hidden: true });
  let shown = null;
  let waiting = 0;
  let touched = false;

  // The glossary comes as a script, when its first word is wanted: a file may load a script, and read no page.
  let glossary;
  const term = (label) => {
    glossary ??= new Promise((done) => {
      window.terms = done;
      const src = `${document.documentElement.dataset.content_root}_static/terms.js`;
      document.head.append(Object.assign(document.createElement("script"), { src, onerror: () => done({}) }));
    });
    return glossary.then((words) => words[label]);
  };

  // A card is taken from the page where it stands; opened from a file, only this page's can be.
  const pages = { [location.href.split("#")[0]]: Promise.resolve(document) };
  const read = async (page) => new DOMParser().parseFromString(await (await fetch(page)).text(), "text/html");
  const card = async (page, label) => {
    pages[page] ??= read(page).catch(() => null);
    const found = (await pages[page])?.getElementById(label)?.cloneNode(true);
    found?.querySelectorAll("a[href]").forEach((link) => (link.href = new URL(link.getAttribute("href"), page)));
    return found?.innerHTML;
  };

  const hide = () => {
    clearTimeout(waiting);
    shown?.removeAttribute("aria-describedby");
    shown = null;
    tip.hidden = true;
  };

  const show = async (link) => {
    clearTimeout(waiting);
    if (shown === link) return;
    hide();
    shown = link;
    const [page, label] = link.href.split("#");
    const whole = label.startsWith("result-");
    const said = await (whole ? card(page, label) : term(label));
    if (!said || shown !== link) return;
    tip.innerHTML = said;
    tip.className = whole ? "tip card" : "tip";
    tip.hidden = false;
    const line = link.getClientRects()[0];
    const wide = document.documentElement.clientWidth;
    tip.style.left = `${Math.max(8, Math.min(line.left, wide - tip.offsetWidth - 8)) + scrollX}px`;
    const below = line.bottom + tip.offsetHeight + 8 < innerHeight || line.top < tip.offsetHeight + 64;
    tip.style.top = `${(below ? line.bottom + 4 : line.top - tip.offsetHeight - 4) + scrollY}px`;
    link.setAttribute("aria-describedby", tip.id);
  };

  const over = ({ target }) => target.closest?.(LINKS);
  const later = (work, time) => {
    clearTimeout(waiting);
    waiting = setTimeout(work, time);
  };
  document.body.append(tip);
  addEventListener("pointerdown", (event) => {
    touched = event.pointerType === "touch";
    if (shown && !over(event) && !tip.contains(event.target)) hide();
  });
  // A pointer that moves on to the tip keeps it; one that leaves both lets it go.
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const link = over(event);
    if (link) later(() => show(link), 150);
    else if (tip.contains(event.target)) clearTimeout(waiting);
    else if (document.activeElement !== shown) later(hide, 250);
  });
  document.addEventListener("focusin", (event) => {
    const link = over(event);
    if (link && link.matches(":focus-visible")) show(link);
  });
  document.addEventListener("focusout", (event) => event.target === shown && hide());
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  // A finger's first tap shows, the second follows.
  document.addEventListener("click", (event) => {
    const link = over(event);
    if (!link || !touched || shown === link) return;
    event.preventDefault();
    show(link);
  });
})();
