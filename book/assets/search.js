/* The search page. Pagefind finds; a page opened from a file, which may read no other, looks through the titles. */
"use strict";
const COMMON = new Set("a an and are be by can do does for how i in is it not of on only or rather than that the to use what when where which why with 的 是 了 如何 为什么 什么".split(" "));
(async () => {
  const root = document.documentElement.dataset.content_root;
  const status = document.getElementById("search-progress");
  const list = document.getElementById("search-results");
  const query = (new URLSearchParams(location.search).get("q") ?? "").normalize("NFKC").trim();
  for (const field of document.querySelectorAll("[name=q]")) field.value = query;
  if (!query) return;
  status.textContent = "Searching …";
  const say = (text) => (status.textContent = text);
  const chinese = (html) => html.replace(/\p{Script=Han}+/gu, '<span lang="zh-Hans">$&</span>');
  const show = (hits) => {
    for (const { address, title, section, excerpt } of hits) {
      const link = Object.assign(document.createElement("a"), { href: address });
      link.innerHTML = chinese(title + (section ? ` › ${section}` : ""));
      const item = document.createElement("li");
      item.append(link);
      if (excerpt) item.append(Object.assign(document.createElement("p"), { className: "context", innerHTML: chinese(excerpt) }));
      list.append(item);
    }
    say(hits.length ? `${hits.length} ${hits.length === 1 ? "page" : "pages"}` : "Nothing was found.");
  };
  // Exercise 7.3 stands in the chapter of this number.
  const number = query.match(/(?:chapter|exercise|figure|第)\s*(\d+)/i)?.[1];
  const first = (hits) => hits.sort((a, b) => b.title.startsWith(`${number}. `) - a.title.startsWith(`${number}. `));

  if (location.protocol === "file:") {
    document.getElementById("from-file").hidden = false;
    const titlesOf = Object.assign(document.createElement("script"), { src: `${root}searchindex.js` });
    await new Promise((resolve) => {
      titlesOf.onload = resolve;
      document.head.append(titlesOf);
    });
    const { titles, docnames, alltitles, indexentries } = Search.index;
    const text = (html) => new DOMParser().parseFromString(html, "text/html").body.textContent;
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const places = new Map();
    for (const phrases of [alltitles, indexentries])
      for (const [phrase, entries] of Object.entries(phrases))
        for (const [page, id] of entries) {
          const place = places.get(`${page}#${id}`) ?? { page, id, words: "", section: "" };
          if (phrases === alltitles && id) place.section = phrase;
          place.words += ` ${phrase} ${titles[page]}`.toLowerCase();
          places.set(`${page}#${id}`, place);
        }
    const chapters = ({ page }) => /^notebooks\/\d/.test(docnames[page]);
    return show(first([...places.values()]
      .filter((place) => words.every((word) => place.words.includes(word)))
      .sort((a, b) => chapters(b) - chapters(a))
      .map(({ page, id, section }) => ({
        address: `${root}${docnames[page]}.html${id ? `#${id}` : ""}`,
        title: text(titles[page]),
        section: text(section) === text(titles[page]) ? "" : text(section),
      }))));
  }

  let pagefind;
  try {
    pagefind = await import(new URL(`${root}pagefind/pagefind.js`, location.href));
    await pagefind.init();
  } catch {
    return say("The search could not be fetched. Reload the page to try again.");
  }
  // Pagefind asks for all words of a query. Where few pages have them all, those that have most of them are good, too;
  // Chinese has no blanks between its words.
  const score = new Map(), pageOf = new Map();
  const look = async (words, worth) => {
    const { results } = await pagefind.search(words);
    for (const result of results) {
      pageOf.set(result.id, pageOf.get(result.id) ?? result);
      score.set(result.id, (score.get(result.id) ?? 0) + worth(results.length) * result.score);
    }
    return results;
  };
  const segments = [...new Intl.Segmenter("zh", { granularity: "word" }).segment(query)];
  const words = segments.filter(({ segment, isWordLike }) => isWordLike && !COMMON.has(segment.toLowerCase()))
    .map(({ segment }) => segment);
  const found = (await look(query, () => 100)).length + (await look(words.join(" "), () => 100)).length;
  const rarity = new Map(), rarest = new Map(); // of words; of a page, where its rarest word of the query stands
  for (const word of words) {
    const results = await look(word, (pages) => (found < 10 ? 1 / pages : 0));
    rarity.set(word.toLowerCase(), 1 / Math.max(1, results.length));
    for (const result of results) if (!(rarest.get(result.id)?.pages < results.length)) rarest.set(result.id, { result, pages: results.length });
  }
  // A chapter stands above an appendix, an appendix above a page of reference, what has the words of the query side by
  // side above what has them apart, and what has rare ones in its title above what has not. Pages that quote other texts
  // come last, and the chapter that is an overview after the one that it leads to.
  const kind = (url) => (/notebooks\/00/.test(url) ? 2.5 : /notebooks\/\d/.test(url) ? 4 : /notebooks\/a/.test(url) ? 1.5 : /claims|every_size/.test(url) ? 1e-4 : 1);
  const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
  const titled = (title) => {
    const inTitle = [...rarity].filter(([word]) => title.toLowerCase().includes(word.replace(/s$/, "")));
    return 1 + (3 * sum(inTitle.map(([, rare]) => rare))) / (sum([...rarity.values()]) || 1);
  };
  // Of a word that stands nowhere Pagefind looks up the beginning, however short: what shares less with it is no answer.
  const beginnings = words.map((word) => word.toLowerCase().slice(0, /\p{Script=Han}/u.test(word) ? 1 : 4));
  const answers = ({ excerpt }) => [...excerpt.matchAll(/<mark>(.*?)<\/mark>/g)]
    .some(([, word]) => !words.length || beginnings.some((letters) => word.toLowerCase().includes(letters)));
  const best = [...score].sort((a, b) => b[1] - a[1]).slice(0, 30);
  const pages = await Promise.all(best.map(async ([id, points]) => {
    const [page, { weighted_locations }] = await Promise.all([pageOf.get(id), rarest.get(id)?.result ?? pageOf.get(id)].map((result) => result.data()));
    return { points, ...page, weighted_locations };
  }));
  const flat = (text) => text.toLowerCase().replace(/\s+/g, "");
  const together = ({ content }) => (flat(content).includes(flat(query)) ? 3 : 1);
  const worth = (page) => page.points * kind(page.url) * titled(page.meta.title) * together(page);
  const hits = pages.filter(answers).sort((a, b) => worth(b) - worth(a));
  show(first(hits.map(({ url, meta, excerpt, anchors, weighted_locations }) => {
    const read = weighted_locations.filter(({ weight }) => weight !== 10); // not in the words that no reader sees
    const [place] = read.sort((a, b) => b.balanced_score - a.balanced_score);
    const sections = anchors.filter(({ element, location }) => element === "section" && location <= (place?.location ?? 0));
    const id = sections.length > 1 ? sections.at(-1).id : ""; // the first is the page itself
    const section = id.replaceAll("-", " ").replace(/^./, (letter) => letter.toUpperCase());
    return { address: url + (id ? `#${id}` : ""), title: meta.title, section, excerpt };
  })));
})();
