/* One task, one scheme, one length: how it was learned, what every seed answers, and where a head looks. */
"use strict";
(() => {
  const { range, clamp, fixed, set, svg, put, path, sequential, sign, grip } = living;
  const LENGTHS = [24, 48, 96];
  /* The runs of chapter 11, in per cent, a letter of DIGITS for each number; written by book/_tools/pack_lab.py. */
  const RUNS = {};
  const { digits: DIGITS, schemes: SCHEMES, texts: TEXTS, steps: STEPS, rows: ROWS } = RUNS;
  const TASKS = Object.keys(TEXTS);
  const row = ({ task, scheme }) => ROWS[task][SCHEMES.indexOf(scheme)];
  const mean = (seeds) => seeds.reduce((a, b) => a + b, 0) / seeds.length;

  living.add("lab", {
    label: "Living figure: the runs of this chapter, one task and one scheme at a time",
    start: { task: "ago", scheme: "RoPE", length: 96 },
    limit(state) {
      const nearest = LENGTHS.reduce((a, b) => (Math.abs(b - state.length) < Math.abs(a - state.length) ? b : a));
      return { ...state, length: nearest, scheme: row(state) ? state.scheme : "none" };
    },
    height: [290, 290],
    style: `
      .lab .seed { fill: var(--query); opacity: 0.6 }
      .lab .learned, .lab .means { stroke: var(--query); stroke-width: 2 }
      .lab .learned { stroke: var(--key) }
      .lab .knob { fill: var(--query); stroke: var(--paper); stroke-width: 2 }
      .lab .asked { fill: none; stroke: var(--key); stroke-width: 2.5 }`,
    /* right: for each length the share of right answers of each seed. curve: their mean while they were trained.
       head: the weights of one head, empty where the model was trained as another scheme. */
    values(state) {
      const numbers = [...row(state)].map((digit) => DIGITS.indexOf(digit) / 100);
      return {
        right: LENGTHS.map((_, n) => numbers.slice(5 * n, 5 * n + 5)),
        curve: numbers.slice(15, 35),
        head: numbers.slice(35),
      };
    },
    says({ task, scheme, length }, { right }) {
      const seeds = right[LENGTHS.indexOf(length)];
      return `${task}, ${scheme}, at ${length} tokens: ${fixed(mean(seeds))} of the answers are right, ` +
        `from ${fixed(Math.min(...seeds))} to ${fixed(Math.max(...seeds))} in five runs.`;
    },
    build(view) {
      const { top } = view;
      const start = { "text-anchor": "start" };
      const words = (text, given) => top.appendChild(sign.label(text, given));
      const quiet = (text = "", given = {}) => words(text, { class: "small quiet", ...given });
      const title = words("", start);
      const axes = top.appendChild(svg("path", { class: "quiet-line line" }));
      const levels = [0, 0.5, 1].map((share) => [share, quiet(share, { "text-anchor": "end" })]);
      const [left, steps, under] = [quiet("right, while it trains", start), quiet("", { "text-anchor": "end" }), quiet("0 steps", start)];
      const read = quiet("by length, a dot a run", start);
      const ticks = LENGTHS.map((length) => quiet(length));
      const learned = top.appendChild(svg("path", { class: "learned line" }));
      const means = top.appendChild(svg("path", { class: "means line" }));
      const seeds = range(15).map(() => top.appendChild(svg("circle", { class: "seed", r: 4.5 })));
      const hold = svg("g", {}, svg("rect", { class: "touch", x: -22, y: -10, width: 44, height: 166 }));
      const hair = svg("path", { class: "quiet-line line", d: "M0 0V120" });
      const knob = svg("circle", { class: "knob", r: 9, cy: 120 });
      hold.append(hair, svg("circle", { class: "ring", r: 14, cy: 120 }), knob);
      top.append(hold);
      const head = quiet("", start);
      const cells = range(24).map(() => top.appendChild(sign.cell()));
      const asked = top.appendChild(svg("rect", { class: "asked" }));

      let pitch = 1;
      let first = 0;
      const move = (n) => view.change({ length: LENGTHS[clamp(n, 0, 2)] });
      const now = () => LENGTHS.indexOf(view.state.length);
      grip(hold, {
        label: "The length of the texts",
        pan: "y",
        at: (x) => move(Math.round((x - first) / pitch)),
        by: (dx, dy) => move(now() + dx + dy),
        now: () => ({ value: view.state.length, min: 24, max: 96, text: `${view.state.length} tokens` }),
      });
      const options = (names) => names.map((name) => [name, name]);
      view.select({ name: "task", label: "task", options: options(TASKS) });
      view.select({ name: "scheme", label: "scheme", options: options(SCHEMES) });

      return ({ task, scheme, length }, { right, curve, head: weights }) => {
        const { width } = view;
        const [x0, y0, h] = [30, 56, 120];
        const half = width / 2 - x0 - 12;
        const x1 = width / 2 + 24;
        const y = (share) => y0 + h * (1 - share);
        pitch = (width - x1 - 16) / 3;
        first = x1 + pitch / 2 + 6;
        const chosen = right[now()];
        put(title, 0, 12);
        set(title, { text: `right answers at ${length} tokens: ${fixed(mean(chosen))}, from ${fixed(Math.min(...chosen))} to ${fixed(Math.max(...chosen))}` });
        set(axes, { d: `M${x0} ${y0}V${y0 + h}H${x0 + half}M${x1} ${y0}V${y0 + h}H${width - 8}` });
        for (const [share, text] of levels) put(text, x0 - 6, y(share));
        put(left, x0, 38);
        put(read, x1, 38);
        put(under, x0, y0 + h + 18);
        put(steps, x0 + half, y0 + h + 18);
        set(steps, { text: STEPS[task] });
        ticks.forEach((tick, n) => put(tick, first + n * pitch, y0 + h + 22));
        set(learned, { d: path(curve.map((share, n) => [x0 + (half * (n + 1)) / curve.length, y(share)])) });
        set(means, { d: path(right.map((each, n) => [first + n * pitch, y(mean(each))])) });
        seeds.forEach((dot, n) => {
          const [at, seed] = [Math.floor(n / 5), n % 5];
          put(dot, first + at * pitch + 5 * (seed - 2), y(right[at][seed]));
        });
        put(hold, first + now() * pitch, y0);
        put(head, 0, y0 + h + 56);
        set(head, { text: weights.length ? "where its sharpest head looks, from the framed token" : "a way to read RoPE: the heads are those of RoPE" });
        const side = Math.min(width / 24, 28);
        const [text, query] = TEXTS[task];
        cells.forEach((cell, n) => {
          cell.size(side - 1, 28).show(sequential(weights[n] ?? 0), text[n]);
          put(cell, (n + 0.5) * side, y0 + h + 84);
        });
        set(asked, { x: query * side, y: y0 + h + 69, width: side - 0.5, height: 30 });
      };
    },
  });
})();
