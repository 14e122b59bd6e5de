/* The score of a query with the key that fits it best at one distance: the base, and how far back the crest lies. */
"use strict";
(() => {
  const { range, clamp, frequencies, kept, fixed, short, set, svg, put, path, grip } = living;
  const [FAR, WIDTH] = [4096, 128];
  const TICKS = [0, 1, 10, 100, 1000];

  /* The score at every distance from the crest, 1 at the crest itself. */
  const fall = kept((base) => {
    const speeds = frequencies(WIDTH, base);
    return range(FAR + 1).map((r) => speeds.reduce((sum, speed) => sum + Math.cos(r * speed), 0) / speeds.length);
  });

  living.add("crest", {
    label: "Living figure: the score of a query and a key under RoPE, at every offset back, for a base",
    start: { base: 10000, crest: 0, opposite: false },
    limit: (state) => ({ ...state, crest: clamp(Math.round(state.crest), 0, 1000) }),
    height: [250, 250],
    values({ base, crest, opposite }) {
      const scores = fall(base);
      return { curve: range(FAR + 1).map((r) => (opposite ? -1 : 1) * scores[Math.abs(r - crest)]) };
    },
    says: ({ base, crest, opposite }, { curve }) =>
      `Base ${short(base)}: ${opposite ? "lowest" : "highest"} ${crest} back. At offset 0 the score is ${fixed(curve[0])}.`,
    build(view) {
      const { top } = view;
      const axes = view.draw("path", { class: "quiet-line line" });
      const curve = view.draw("path", { class: "curve line" });
      const ticks = TICKS.map((n) => view.quiet(n ? "−" + n : n));
      const heights = ["1", "0", "−1"].map((n) => view.quiet(n, { "text-anchor": "end" }));
      const name = view.quiet("offset Δ");
      const title = view.words("", { "text-anchor": "start", class: "strong" });
      const knob = top.appendChild(svg("g", { class: "knob" }, svg("circle", { class: "touch", r: 22 }),
        svg("circle", { class: "ring", r: 12 }), svg("circle", { r: 6, fill: "currentcolor" })));
      const box = {};
      const place = (r) => box.x + (1 - Math.log1p(r) / Math.log1p(FAR)) * box.w; // back is to the left
      grip(knob, {
        label: "The crest: how far back the score is highest",
        pan: "y",
        at: (x) => view.change({ crest: Math.expm1((1 - (x - box.x) / box.w) * Math.log1p(FAR)) }),
        by: (dx, dy) => view.change({ crest: clamp(view.state.crest - dx - dy, 0, 1000) }),
        now: () => ({ value: view.state.crest, min: 0, max: 1000, text: `${view.state.crest} back` }),
      });
      view.slider({ name: "base", label: "base b", stops: [100, 1000, 10000, 100000, 500000, 1000000] });
      view.toggle({ name: "opposite", label: "the opposite key" });

      return ({ crest, opposite }, { curve: scores }) => {
        Object.assign(box, { x: 30, y: 40, w: view.width - 44, h: 160 });
        const y = (score) => box.y + ((1 - score) / 2) * box.h;
        set(axes, { d: `M${box.x} ${y(0)}H${box.x + box.w}` + TICKS.map((r) => `M${place(r).toFixed(1)} ${y(-1)}v5`).join("") });
        set(curve, { d: path(scores.map((score, r) => [place(r), y(score)])) });
        ticks.forEach((tick, n) => put(tick, place(TICKS[n]), y(-1) + 16));
        heights.forEach((height, n) => put(height, box.x - 8, y(1 - n)));
        put(name, box.x + box.w / 2, y(-1) + 38);
        put(title, box.x, 18, { text: `${opposite ? "lowest" : "highest"} ${crest ? crest + " back" : "at offset 0"}` });
        put(knob, place(crest), y(opposite ? -1 : 1));
      };
    },
  });
})();
