/* A sentence to drag, and what one attention layer hands to each word: with no positions, and with them. */
"use strict";
(() => {
  const { WORDS, SCORES, range, softmax, dot, fixed, signed, rgb, set, svg, put, sign, wordOrder } = living;
  // The values of that layer, rows as of the scores.
  const VALUES = [
    [-1.27150618, 0.68497788, -0.13613807, -0.18993573, 1.18037728, 0.06465867, 0.61466585, 2.66479785],
    [-0.29191787, -0.32192517, -0.97210431, 0.13514065, 0.01979976, -0.99973363, -0.97992582, -0.11546894],
    [0.18991103, -0.96194855, 1.22641979, 1.48791256, -0.66729891, 0.13256654, -0.63773731, -2.1761063],
    [1.23526458, 0.28140643, -0.42502117, -0.16777724, -0.26964903, 0.69599637, 0.27150794, -0.95229904],
    [1.30421269, 0.52887409, -0.29857598, -0.69759452, -0.12120953, 0.64868783, 0.5761556, -0.11515297],
    [0.7999552, 0.59476745, -0.08990083, -0.82128723, 0.06716194, 0.77690058, 0.8312743, 0.785555],
  ];

  /* The column of each place. With codes, a token is its word plus the code of its place, so products have four parts. */
  const columns = (order, coded) =>
    order.map((a, i) => {
      const parts = (x, place) => (coded ? [x, 3 + place] : [x]);
      const of = (rows, columns) => rows.reduce((sum, r) => sum + columns.reduce((s, c) => s + SCORES[r][c], 0), 0);
      const weights = softmax(order.map((b, j) => of(parts(a, i), parts(b, j))));
      return range(8).map((c) => dot(weights, order.map((b, j) => parts(b, j).reduce((sum, r) => sum + VALUES[r][c], 0))));
    });
  const START = [0, 1, 2];
  /* How far each place's column is from the one that its word had at first. */
  const changes = (order, coded, now) => {
    const first = columns(START, coded);
    return order.map((word, i) => Math.max(...now[i].map((x, c) => Math.abs(x - first[word][c]))));
  };
  const BANDS = [["without", "without positions"], ["coded", "with positions"]];

  living.add("front_words", {
    label: "Living figure: three words to drag, and what attention hands to each, without and with positions",
    start: { order: START },
    height: [306, 352],
    values({ order }) {
      const [without, coded] = [false, true].map((on) => columns(order, on));
      return { without, coded, changedWithout: changes(order, false, without), changedCoded: changes(order, true, coded) };
    },
    says({ order }, { changedWithout, changedCoded }) {
      const most = (list) => fixed(Math.max(...list));
      return `${order.map((word) => WORDS[word]).join(" ")}. Without positions the words' columns have changed by ${most(changedWithout)}, with positions by up to ${most(changedCoded)}.`;
    },
    build(view) {
      const { top } = view;
      const words = wordOrder(view);
      const names = BANDS.map(([, name]) => view.words(name, { "text-anchor": "start", class: "strong" }));
      const squares = START.map((place) => top.appendChild(sign.square(place)));
      const bands = BANDS.map(() =>
        WORDS.map(() => {
          const [cells, note] = [range(8).map(() => svg("rect")), sign.label()];
          return { g: view.draw("g", { class: "slides" }, ...cells, note), cells, note };
        }),
      );
      const chips = WORDS.map((_, n) => words.chip(n, "The word"));
      const hint = view.quiet("drag a word");

      return ({ order }, values) => {
        const { width, narrow } = view;
        const left = narrow ? 0 : 168;
        const pitch = (width - left) / 3;
        Object.assign(words.scale, { x: left + pitch / 2, wide: pitch });
        const across = (place) => words.scale.x + place * pitch;
        const tall = 10;
        const wide = Math.min(pitch - 26, 116);
        const tops = narrow ? [74, 258] : [58, 200];
        put(hint, narrow ? width - 40 : 36, narrow ? tops[0] - 10 : 20);
        squares.forEach((square, n) => put(square, across(n), tops[1] - 18));
        BANDS.forEach(([key], band) => {
          put(names[band], 0, narrow ? tops[band] - (band ? 44 : 10) : tops[band] + 4 * tall);
          const changed = values[band ? "changedCoded" : "changedWithout"];
          bands[band].forEach(({ g, cells, note }, n) => {
            const place = order.indexOf(n);
            put(g, across(words.place(n)), tops[band]);
            cells.forEach((cell, c) => {
              const fill = rgb(signed((1 + values[key][place][c] / 2) / 2));
              set(cell, { x: -wide / 2, y: c * tall, width: wide, height: tall - 0.5, style: { fill } });
            });
            const look = changed[place] < 0.005 ? "small quiet" : "small";
            put(note, 0, 8 * tall + 12, { text: `changed by ${fixed(changed[place])}`, class: look });
          });
        });
        chips.forEach((chip, n) => {
          put(chip, across(words.place(n)), 20);
          chip.classList.toggle("free", words.held !== n);
        });
        bands.flat().forEach(({ g }, n) => {
          g.classList.toggle("free", words.held !== n % 3);
          if (words.held === n % 3 && g.nextSibling !== chips[0]) top.insertBefore(g, chips[0]); // above the others
        });
      };
    },
  });
})();
