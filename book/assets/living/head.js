/* A head that looks one back, in a released model: its score by the offset, pair by pair, and what of it is left. */
"use strict";
(() => {
  const { range, clamp, frequencies, fixed, set, svg, put, path, ruler, pairColour, sign, grip, slide } = living;
  const [LAST, PAIRS] = [15, 32];
  const SPEEDS = frequencies(2 * PAIRS, 100000);
  const NAMES = ["the average key", "Up, the first token", "League", "the comma"];
  const FIRST = 1; // of NAMES: the token that gets what nobody else is given
  // Layer 16, head 0: c of each pair in thousandths, real and imaginary part, of the average query with each of these keys.
  const WAVES = [
    [2716, 5636, 1594, 2331, 756, 511, 860, 836, 63, 10, 26, -19, 958, -323, 6, 34, 1758, -394, 66, -151, 1018, -456, 76, -144, 992,
     -842, 4, -4, 57, -55, 120, -63, 13, 53, 133, -1710, 0, 1, -508, -1985, -4, -8, -18, -8, -805, -4072, -4, 2, -12, 14, -11434,
     -17017, -189, 43, -21, 33, -190, 73, -105, 115, -142, -6, -25, 9],
    [-6, 15, 4, 6, 40, -5, -57, 24, 5, 3, 4, 1, -43, -12, -9, -4, 57, 23, 6, 9, -50, -51, 14, -14, -22, 2, 0, 0, 2, 17, -5, 22, -2, 22,
     36, 44, 0, 0, 69, 12, -5, -2, 3, -1, 100, -62, -23, 6, -4, -4, 1263, 784, -101, -57, -34, -15, -75, -73, -272, -79, -169, -46, -36,
     55],
    [2816, 6080, 805, 1516, 1251, -46, 700, 873, 15, 18, 124, 54, 686, -246, -37, -17, 1587, -417, 2, -2, 626, -106, -38, 5, 897, -491,
     10, 17, 11, -32, 28, 175, -108, -100, 387, -2070, -4, 3, -256, -1750, 41, 24, 103, 0, -845, -4208, 50, 72, 3, 27, -9977, -16258,
     -156, -352, 39, -7, 13, -362, -283, -70, -116, -78, 34, 59],
    [3098, 6386, 1146, 1700, 515, 852, 485, 503, 86, -22, 9, -45, 662, -46, 18, 12, 1089, -810, 59, -143, 794, 100, 41, -60, 847, -845,
     -29, 7, 103, -8, 176, -46, -102, 18, 352, -1659, -1, 2, -476, -1592, 16, 13, -34, 38, -678, -5356, 54, -19, 0, -14, -10252, -15890,
     -228, -268, -9, -77, -115, -105, -128, -110, -196, -71, -100, 99],
  ];
  /* What each pair adds to the score of a key t steps back: Re c e^(−itω). */
  const add = (wave, t) =>
    SPEEDS.map((speed, i) => (wave[2 * i] * Math.cos(t * speed) + wave[2 * i + 1] * Math.sin(t * speed)) / 1000);
  const ALL = WAVES.map((wave) => range(LAST + 1).map((t) => add(wave, t)));

  living.add("head", {
    label: "Living figure: the score of a head in a released model, by the offset and pair by pair",
    start: { t: 1, pair: 25, off: [], key: 0 },
    limit: (state) => ({ ...state, t: clamp(Math.round(state.t), 0, LAST), pair: clamp(state.pair, 0, PAIRS - 1) }),
    height: [356, 484],
    style: `
      .head .all { stroke: var(--muted); stroke-dasharray: 2 3 }
      .head .out { fill: none !important; stroke: var(--muted); stroke-dasharray: 2 2 }`,
    values({ t, off, key }) {
      const sum = (parts) => parts.reduce((all, part, i) => (off.includes(i) ? all : all + part), 0);
      const scores = ALL[key].map(sum);
      // Sixteen keys like this one, and behind them the first token: what does softmax give to the nearest, and to that?
      const shares = [...scores, sum(ALL[FIRST][LAST])].map(Math.exp);
      const total = shares.reduce((a, b) => a + b);
      const all = ALL[key].map((parts) => parts.reduce((a, b) => a + b));
      return { parts: ALL[key][t], all, scores, before: shares[1] / total, first: shares[LAST + 1] / total };
    },
    sentence({ t, key, off }, { scores, before, first }) {
      return `Key: ${NAMES[key]}, ${t} back, ${off.length || "none"} of 32 pairs off: score ${fixed(scores[t], 1)}. Weight on the token before ${fixed(before)}, on the first ${fixed(first)}.`;
    },
    build(view) {
      const [title, verdict] = [view.words("", { "text-anchor": "start" }), view.words("", { class: "strong" })];
      const levels = [10, 0, -10].map((score) => [
        score, view.draw("line", { class: "quiet-line" }), view.quiet(fixed(score, 0), { "text-anchor": "end" }),
      ]);
      const [whole, curve] = [view.draw("path", { class: "all line" }), view.draw("path", { class: "curve line" })];
      const dots = range(LAST + 1).map(() => view.draw("circle", { r: 4, class: "query" }));
      const drop = view.draw("line", { class: "quiet-line" });
      const scale = ruler(view, LAST, [0, 5, 10, 15]);
      const square = view.top.appendChild(sign.square());
      slide(view, square, { label: "How many steps back the key stands", name: "t", scale, ends: () => [0, LAST], text: (t) => `${t} back` });

      // A bar for each pair. A press switches it, and a pull all that it sweeps; on the keyboard, the space bar.
      const [touch, cursor] = [svg("rect", { class: "touch", x: 0 }), svg("rect", { class: "ring", rx: 4 })];
      const bars = range(PAIRS).map((i) => svg("rect", { style: { fill: pairColour(i, PAIRS) } }));
      const panel = view.draw("g", { class: "bars" }, touch, cursor, ...bars);
      const pairLabel = view.words("", { "text-anchor": "start" });
      const numbers = range(PAIRS / 8).map((n) => view.quiet(8 * n));
      const flip = (pair, out) => {
        const rest = view.state.off.filter((i) => i !== pair);
        view.change({ pair, off: out ? [...rest, pair].sort((a, b) => a - b) : rest });
      };
      const isOut = (pair) => view.state.off.includes(pair);
      let grid = null; // where the bars stand: columns, top, and the size of a place
      let mode = null; // of a pull: whether it switches off
      grip(panel, {
        label: "The pairs: arrow keys choose one, the space bar switches it off and on",
        pan: "y",
        at(x, y, phase) {
          const line = clamp(Math.floor((y - grid.top) / grid.height), 0, PAIRS / grid.columns - 1);
          const pair = clamp(Math.floor(x / grid.step), 0, grid.columns - 1) + line * grid.columns;
          mode ??= !isOut(pair);
          if (phase === "move") flip(pair, mode);
          else mode = null;
        },
        by: (dx, dy) => view.change({ pair: view.state.pair + dx + dy }),
        now: () => ({ value: view.state.pair, min: 0, max: PAIRS - 1, text: `pair ${view.state.pair}, ${isOut(view.state.pair) ? "off" : "on"}` }),
      });
      panel.addEventListener("keydown", (event) => {
        if (event.key !== " " && event.key !== "Enter") return;
        event.preventDefault();
        flip(view.state.pair, !isOut(view.state.pair));
      });
      view.row().select({ name: "key", label: "key", options: NAMES.map((name, n) => [n, name]) });
      view.button({ label: "All pairs off", press: () => view.change({ off: range(PAIRS) }) });

      return ({ t, pair, off }, { parts, all, scores, before, first }) => {
        const { width, narrow } = view;
        const plot = { edge: 30, y: narrow ? 52 : 30, h: 150 };
        const y = (score) => plot.y + (plot.h * (18 - clamp(score, -24, 18))) / 42;
        const foot = plot.y + plot.h + 12;
        scale.draw(plot.edge, foot);
        put(title, 0, 10, { text: `score ${fixed(scores[t], 1)} at ${t} back` });
        const weights = `one back ${fixed(before)}, first token ${fixed(first)}`;
        if (narrow) put(verdict, 0, 32, { text: weights, "text-anchor": "start" });
        else put(verdict, width, 10, { text: `weight: ${weights}`, "text-anchor": "end" });
        levels.forEach(([score, line, text]) => {
          set(line, { x1: plot.edge, x2: width - plot.edge, y1: y(score), y2: y(score), opacity: score ? 0.3 : 1 });
          put(text, plot.edge - 6, y(score));
        });
        const points = (row) => path(row.map((score, n) => [scale.at(n), y(score)]));
        set(whole, { d: points(all) });
        set(curve, { d: points(scores) });
        dots.forEach((dot, n) => set(dot, { cx: scale.at(n), cy: y(scores[n]) }));
        set(drop, { x1: scale.at(t), x2: scale.at(t), y1: y(scores[t]), y2: foot });
        put(square.write(t), scale.at(t), foot);
        const columns = narrow ? PAIRS / 2 : PAIRS;
        grid = { columns, top: foot + 58, step: width / columns, height: 108 };
        const part = isOut(pair) ? "off" : `adds ${fixed(parts[pair], 1)}`;
        put(pairLabel, 0, grid.top - 12, { text: `pair ${pair} ${part}; press a bar${narrow ? "" : " to switch it"}` });
        const place = (i) => [(i % columns) * grid.step, grid.top + Math.floor(i / columns) * grid.height];
        bars.forEach((bar, i) => {
          const [x, above] = place(i);
          const size = Math.max(4 * Math.abs(parts[i]), 2);
          set(bar, { x: x + 0.15 * grid.step, width: 0.7 * grid.step, height: size, y: above + 34 - (parts[i] > 0 ? size : 0) });
          bar.classList.toggle("out", off.includes(i));
        });
        numbers.forEach((number, n) => put(number, place(8 * n)[0] + grid.step / 2, place(8 * n)[1] + 96));
        set(cursor, { x: place(pair)[0], y: place(pair)[1] - 2, width: grid.step, height: 90 });
        set(touch, { y: grid.top, width, height: (PAIRS / columns) * grid.height });
      };
    },
  });
})();
