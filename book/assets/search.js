/* Mends to Sphinx's search: short Chinese words, formulas printed once, no excerpts where none can be fetched. */
"use strict";
(() => {
  // Sphinx looks inside longer words for three letters and more; a Chinese word has two.
  const find = Search.performTermsSearch;
  Search.performTermsSearch = (wanted, excluded) => {
    for (const index of [Search._index.terms, Search._index.titleterms])
      for (const word of wanted) {
        if (!/^\p{Script=Han}{1,2}$/u.test(word) || Object.hasOwn(index, word)) continue;
        const keys = Object.keys(index).filter((key) => key.includes(word));
        if (keys.length) index[word] = [...new Set(keys.flatMap((key) => index[key]))];
      }
    return find(wanted, excluded);
  };
  // A formula stands in a page as MathML, as its source, and as boxes. An excerpt takes the boxes.
  const text = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(".katex-mathml, details.fold").forEach((element) => element.remove());
    return text(page.documentElement.outerHTML, anchor).replace(/\s+/g, " ");
  };
  if (location.protocol === "file:") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
    // No excerpt tells two hits of one page apart, so it is listed once; the best result is the last.
    const all = Search._performSearch;
    Search._performSearch = (...query) => {
      const seen = new Set();
      const fresh = ([page, title]) => !seen.has(`${page} ${title}`) && seen.add(`${page} ${title}`);
      return all(...query).reverse().filter(fresh).reverse();
    };
    addEventListener("DOMContentLoaded", () => (document.getElementById("from-file").hidden = false));
  }
})();
