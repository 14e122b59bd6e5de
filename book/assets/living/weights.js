/* The table of attention weights while words are dragged: rows and columns go with the words, unless places have codes. */
"use strict";
(() => {
  const { WORDS, SCORES, softmax, fixed, sequential, set, put, sign, wordOrder } = living;
  const START = [0, 1, 2];
  /* weights[i][j]: how much the token at place i takes from the one at place j. */
  const weights = (order, code) => {
    const codes = (a, i, b, j) => SCORES[a][3 + j] + SCORES[3 + i][b] + SCORES[3 + i][3 + j];
    return order.map((a, i) => softmax(order.map((b, j) => SCORES[a][b] + (code ? codes(a, i, b, j) : 0))));
  };

  living.add("weights", {
    label: "Living figure: a table of attention weights, whose words can be dragged",
    start: { order: START, code: false },
    height: [280, 316],
    values({ order, code }) {
      const table = weights(order, code);
      const first = weights(START, code);
      const changed = table.map((row, i) => row.map((weight, j) => weight - first[order[i]][order[j]]));
      return { weights: table, changed, most: Math.max(...changed.flat().map(Math.abs)) };
    },
    says({ order, code }, { most }) {
      return `${order.map((word) => WORDS[word]).join(" ")}, ${code ? "places with codes" : "no code"}: against dog bites man, the weights differ by up to ${fixed(most)}.`;
    },
    build(view) {
      const { top } = view;
      let raised;
      const words = wordOrder(view);
      const cells = WORDS.map(() => WORDS.map(() => ({ cell: top.appendChild(sign.cell()), change: top.appendChild(sign.label()) })));
      const keys = WORDS.map((_, n) => words.chip(n, "The key"));
      const queries = WORDS.map((_, n) => words.chip(n, "The query", true));
      for (const sliding of cells.flat().flatMap(Object.values)) sliding.classList.add("slides");
      const places = START.map((place) => [top.appendChild(sign.square(place)), top.appendChild(sign.square(place))]);
      const axis = [view.quiet("key", { "text-anchor": "end" }), view.quiet("query")];
      const verdict = [view.words(), view.words(), view.quiet()];
      view.toggle({ name: "code", label: "a code for each place" });

      return ({ order, code }, { weights: table, changed, most }) => {
        const { width, narrow } = view;
        const first = narrow ? 112 : 128;
        const wide = narrow ? (width - first) / 3 : 104;
        const [tall, down] = [56, 94];
        const grid = Object.assign(words.scale, { x: first + wide / 2, y: down + tall / 2, wide, tall });
        const at = words.place;
        WORDS.forEach((_, a) =>
          WORDS.forEach((_, b) => {
            const { cell, change } = cells[a][b];
            const [i, j] = [order.indexOf(a), order.indexOf(b)];
            const [x, y] = [grid.x + at(b) * wide, grid.y + at(a) * tall];
            put(cell.size(wide - 3, tall - 3).show(sequential(table[i][j]), ""), x, y);
            put(change, x, y, { text: fixed(table[i][j]), style: { fill: cell.querySelector("text").style.fill } });
            change.classList.toggle("strong", Math.abs(changed[i][j]) >= 0.005);
            const moves = words.held === a || words.held === b;
            for (const element of [cell, change]) {
              element.classList.toggle("free", !moves);
              if (moves && raised !== words.held) top.insertBefore(element, keys[0]); // above the others
            }
          }),
        );
        raised = words.held;
        keys.forEach((chip, n) => put(chip, grid.x + at(n) * wide, 62));
        queries.forEach((chip, n) => put(chip, first - 44, grid.y + at(n) * tall));
        [...keys, ...queries].forEach((chip, n) => chip.classList.toggle("free", words.held !== n % 3));
        places.forEach(([across, along], n) => {
          const style = { opacity: code ? 1 : 0.25 };
          put(across, grid.x + n * wide, 26, { style });
          put(along, 16, grid.y + n * tall, { style });
        });
        put(axis[0], grid.x - wide / 2 - 14, 62);
        put(axis[1], first - 44, 82);
        const [x, y] = narrow ? [width / 2, down + 3 * tall + 20] : [first + 3 * wide + (width - first - 3 * wide) / 2, down + tall];
        put(verdict[0], x, y, { text: "against “dog bites man”:" + (narrow ? ` difference ${fixed(most)}` : "") });
        put(verdict[1], x, y + 24, { text: narrow ? "" : `largest difference ${fixed(most)}` });
        const hint = narrow ? "drag a word, at the top or at the side" : "drag a word";
        put(verdict[2], x, y + (narrow ? 24 : 60), { text: hint });
      };
    },
  });
})();
