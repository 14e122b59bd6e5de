/* A sentence to drag, and what one attention layer hands to each word: with no positions, and with them. */
"use strict";
(() => {
  const { range, clamp, dot, fixed, signed, rgb, set, svg, put, sign, grip } = living;
  const WORDS = ["dog", "bites", "man"];
  /* The random layer of chapter 1: the score of every query with every key. Rows and columns 0 to 2 are the words,
     3 to 5 the codes of the places 0 to 2. */
  const SCORES = [
    [-1.77349221, -0.43655101, 0.46582315, 0.9439074, 1.0310035, 0.43407629],
    [0.45027727, 0.10924599, 0.2555146, -0.60862867, -0.59381877, -0.12507118],
    [1.68368698, 0.20801484, -0.64095652, -0.79062515, -0.39056051, 0.0635132],
    [-0.17508109, 0.03103147, 0.46144463, -0.01914911, -0.46683185, -0.44561999],
    [-0.53558937, 0.00942709, 0.31492995, 0.32071212, -0.11839008, -0.34324401],
    [-1.2777472, -0.23318384, 0.58742879, 0.80984355, 0.3490684, -0.21750909],
  ];
  // The values of that layer, rows as of the scores.
  const VALUES = [
    [-1.27150618, 0.68497788, -0.13613807, -0.18993573, 1.18037728, 0.06465867, 0.61466585, 2.66479785],
    [-0.29191787, -0.32192517, -0.97210431, 0.13514065, 0.01979976, -0.99973363, -0.97992582, -0.11546894],
    [0.18991103, -0.96194855, 1.22641979, 1.48791256, -0.66729891, 0.13256654, -0.63773731, -2.1761063],
    [1.23526458, 0.28140643, -0.42502117, -0.16777724, -0.26964903, 0.69599637, 0.27150794, -0.95229904],
    [1.30421269, 0.52887409, -0.29857598, -0.69759452, -0.12120953, 0.64868783, 0.5761556, -0.11515297],
    [0.7999552, 0.59476745, -0.08990083, -0.82128723, 0.06716194, 0.77690058, 0.8312743, 0.785555],
  ];

  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const softmax = (scores) => {
    const most = Math.max(...scores);
    const powers = scores.map((score) => Math.exp(score - most));
    return powers.map((power) => power / sum(powers));
  };
  /* The column of each place. With codes, a token is its word plus the code of its place, so a score has four parts. */
  const columns = (order, coded) => {
    const tokens = order.map((word, place) => (coded ? [word, 3 + place] : [word]));
    const score = (query, key) => sum(query.flatMap((r) => key.map((c) => SCORES[r][c])));
    const value = (token, c) => sum(token.map((r) => VALUES[r][c]));
    return tokens.map((query) => {
      const weights = softmax(tokens.map((key) => score(query, key)));
      return range(8).map((c) => dot(weights, tokens.map((token) => value(token, c))));
    });
  };
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
    sentence({ order }, { changedWithout, changedCoded }) {
      const most = (list) => fixed(Math.max(...list));
      return `${order.map((word) => WORDS[word]).join(" ")}. Without positions the words' columns have changed by ${most(changedWithout)}, with positions by up to ${most(changedCoded)}.`;
    },
    build(view) {
      const { top } = view;
      const scale = { x: 0, step: 1 }; // where the first word stands, and how far apart they are
      let held = null; // the word under the hand, and where it is, between two places
      const place = (n) => (held?.word === n ? held.place : view.state.order.indexOf(n));
      const move = (word, to) => {
        const order = view.state.order.filter((other) => other !== word);
        order.splice(to, 0, word);
        view.change({ order });
      };
      const chip = (n) =>
        grip(top.appendChild(sign.chip(WORDS[n])), {
          label: `The word “${WORDS[n]}”`,
          pan: "y",
          at(x, y, phase) {
            const to = clamp((x - scale.x) / scale.step, 0, 2);
            held = phase === "end" ? null : { word: n, place: to };
            move(n, Math.round(to));
          },
          by(dx, dy) {
            const step = dx + dy;
            if (Number.isFinite(step)) move(n, (place(n) + Math.sign(step) + 3) % 3);
            else move(n, step > 0 ? 2 : 0);
          },
          now() {
            const { order } = view.state;
            const words = order.map((word) => WORDS[word]).join(" ");
            return { value: order.indexOf(n), min: 0, max: 2, text: `place ${order.indexOf(n)}: ${words}` };
          },
        });
      const names = BANDS.map(([, name]) => view.words(name, { "text-anchor": "start", class: "strong" }));
      const squares = START.map((place) => top.appendChild(sign.square(place)));
      const bands = BANDS.map(() =>
        WORDS.map(() => {
          const [cells, note] = [range(8).map(() => svg("rect")), sign.label()];
          return { g: view.draw("g", { class: "slides" }, ...cells, note), cells, note };
        }),
      );
      const chips = WORDS.map((_, n) => chip(n));
      const hint = view.quiet("drag a word");

      return ({ order }, values) => {
        const { width, narrow } = view;
        const left = narrow ? 0 : 168;
        const pitch = (width - left) / 3;
        Object.assign(scale, { x: left + pitch / 2, step: pitch });
        const across = (at) => scale.x + at * pitch;
        const tall = 10;
        const wide = Math.min(pitch - 26, 116);
        const tops = narrow ? [74, 258] : [58, 200];
        put(hint, narrow ? width - 40 : 36, narrow ? tops[0] - 10 : 20);
        squares.forEach((square, n) => put(square, across(n), tops[1] - 18));
        BANDS.forEach(([key], band) => {
          put(names[band], 0, narrow ? tops[band] - (band ? 44 : 10) : tops[band] + 4 * tall);
          const changed = values[band ? "changedCoded" : "changedWithout"];
          bands[band].forEach(({ g, cells, note }, n) => {
            const column = order.indexOf(n);
            put(g, across(place(n)), tops[band]);
            cells.forEach((cell, c) => {
              const fill = rgb(signed((1 + values[key][column][c] / 2) / 2));
              set(cell, { x: -wide / 2, y: c * tall, width: wide, height: tall - 0.5, style: { fill } });
            });
            const look = changed[column] < 0.005 ? "small quiet" : "small";
            put(note, 0, 8 * tall + 12, { text: `changed by ${fixed(changed[column])}`, class: look });
          });
        });
        chips.forEach((chip, n) => {
          put(chip, across(place(n)), 20);
          chip.classList.toggle("free", held?.word !== n);
        });
        bands.flat().forEach(({ g }, n) => {
          g.classList.toggle("free", held?.word !== n % 3);
          if (held?.word === n % 3 && g.nextSibling !== chips[0]) top.insertBefore(g, chips[0]); // above the others
        });
      };
    },
  });
})();
