/* Mends to Sphinx's search: sections by their words, short Chinese words, formulas printed once, Chinese that says that
   it is, no excerpts where none can be fetched; what became of a search is read out, and true. */
"use strict";
(() => {
  // Sphinx keeps the words of a search, and would stop where a browser keeps nothing.
  try {
    localStorage.getItem("");
  } catch {
    Object.defineProperty(window, "localStorage", { value: { getItem() {}, setItem() {}, removeItem() {} } });
  }
  // Its message stands where a reader of the screen hears of it, and blames nobody's spelling.
  const status = () => document.getElementById("search-progress");
  const query = Search.query;
  Search.query = (words) => {
    Search.status.remove();
    Search.status = status();
    query(words.normalize("NFKC")); // as an input method for Chinese may have set its letters
  };
  Documentation.gettext = () => "Nothing was found. Not searched are numbers, signs, and words such as “the”.";
  addEventListener("DOMContentLoaded", () => {
    if (Search.hasIndex() || !Search.title) return;
    Search.stopPulse();
    Search.title.remove();
    status().textContent = "The search cannot be made: its index, searchindex.js, did not come. Reload the page to try again.";
  });
  // `constructor` is a word of every object in JavaScript, but of no page.
  const setIndex = Search.setIndex;
  Search.setIndex = (index) => {
    const own = Object.create(null, { hasOwnProperty: { value: Object.prototype.hasOwnProperty } });
    for (const words of [index.terms, index.titleterms]) Object.setPrototypeOf(words, own);
    setIndex(index);
  };
  // Sphinx looks for a word within others only if it has three letters and stands nowhere alone; Chinese has no blanks. A
  // word that is nowhere is taken for the most common one among those that differ from it in a letter.
  const shorter = (word) => [word, ...Array.from(word, (_, n) => word.slice(0, n) + word.slice(n + 1))];
  const spell = (word) => {
    const { terms, titleterms } = Search._index;
    const keys = Object.keys({ ...terms, ...titleterms });
    const pages = (key) => [terms[key] ?? [], titleterms[key] ?? []].flat();
    const within = keys.filter((key) => key.includes(word));
    if (/^\p{Script=Han}+$/u.test(word) && within.length) terms[word] = [...new Set(within.flatMap(pages))];
    if (within.length || word.length < 6) return word;
    const parts = new Set(shorter(word));
    const near = keys.filter((key) => shorter(key).some((part) => parts.has(part)));
    return near.sort((a, b) => pages(b).length - pages(a).length)[0] ?? word;
  };
  const result = (file, title, anchor, score) =>
    [Search._index.docnames[file], title, anchor, null, score, Search._index.filenames[file]];
  // Sphinx finds a section only by its whole title, and an index entry by its whole phrase. A question has their words in
  // an order of its own, and others between: sections go by how many of its words their titles and entries have, rare
  // words first. The best result is the last.
  const byWords = (wanted, found) => {
    const { alltitles, indexentries, titles } = Search._index;
    const stemmer = new Stemmer(), places = new Map(), weights = new Map();
    for (const index of [alltitles, indexentries])
      for (const [phrase, entries] of Object.entries(index))
        for (const [file, id] of entries) {
          const title = id && index === alltitles ? `${titles[file]} > ${phrase}` : titles[file];
          const place = places.get(`${file}#${id}`) ?? { file, anchor: id ? `#${id}` : "", title, words: new Set() };
          places.set(`${file}#${id}`, place);
          for (const word of splitQuery(phrase.toLowerCase())) place.words.add(stemmer.stemWord(word));
        }
    for (const word of wanted) {
      const count = [...places.values()].filter((place) => place.words.has(word)).length;
      if (count) weights.set(word, Math.log(places.size / count));
    }
    const sum = (words) => words.reduce((total, word) => total + weights.get(word), 0);
    for (const place of places.values()) {
      place.shared = [...weights.keys()].filter((word) => place.words.has(word));
      place.share = sum(place.shared) / sum([...weights.keys()]);
    }
    // Where hardly a page has all words, a section that has the rarest of them will do; where none has, the best are good.
    const least = found ? 0.5 : Math.max(...[...places.values()].map(({ share }) => share)) / 2;
    return [...places.values()]
      .filter(({ shared, share }) => shared.length >= (found < 3 ? 1 : 2) && share >= least)
      .map(({ file, title, anchor, share }) => result(file, title, anchor, 20 + 80 * share));
  };
  const pages = Search._performSearch;
  Search._performSearch = (query, wanted, ...others) => {
    // A single letter, as in pasted code, would stand for a whole word.
    const long = [...wanted].filter((word) => !/^[a-z]$/.test(word)).map(spell);
    const words = new Set(long.length ? long : wanted);
    const results = new Map(), found = pages(query, words, ...others);
    // Exercise 7.3 stands in the chapter of this number.
    const number = query.match(/(?:chapter|exercise|figure) (\d+)/i)?.[1];
    Search._index.titles.forEach((title, n) => title.includes(`>${number}. <`) && found.push(result(n, title, "", 101)));
    for (const one of [...found, ...byWords(words, found.length)]) {
      // Without an excerpt nothing tells two hits of one page and title apart, and one will do.
      const key = `${one[0]} ${one[DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY ? 2 : 1]}`;
      if (!results.has(key) || results.get(key)[4] < one[4]) results.set(key, one);
    }
    const sorted = [...results.values()].sort((a, b) => a[4] - b[4]);
    return sorted.map(([page, title, ...more]) => [page, inChinese(title), ...more]);
  };
  // A formula stands in a page as MathML, as its source, and as boxes. An excerpt takes the boxes.
  const inChinese = (html) => html.replace(/\p{Script=Han}+/gu, '<span lang="zh-Hans">$&</span>');
  const text = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(".katex-mathml, details.fold").forEach((element) => element.remove());
    return text(page.documentElement.outerHTML, anchor).replace(/\s+/g, " ");
  };
  const summary = Search.makeSearchSummary;
  Search.makeSearchSummary = (...page) => {
    const excerpt = summary(...page);
    return Object.assign(excerpt, { innerHTML: inChinese(excerpt.innerHTML) });
  };
  if (location.protocol === "file:") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
    addEventListener("DOMContentLoaded", () => (document.getElementById("from-file").hidden = false));
  }
})();
