/* What each rule for long texts does to each pair; below, the circle of one pair: seen in training, and new. */
"use strict";
(() => {
  const { clamp, frequencies, fixed, short, ratio, set, svg, put, path, places, pairColour, sector, slide } = living;
  const WIDTH = 96;
  const PAIRS = WIDTH / 2;
  const FULL = 2 * Math.PI;
  // long_factor of Phi-3.5-mini: found for its base, its trained length and its factor, and for no others.
  const SEARCHED = { base: 10000, length: 4096, factor: 32 };
  const FACTORS = [
    1.08, 1.11, 1.14, 1.34, 1.59, 1.6, 1.62, 2.62, 3.23, 3.23, 4.79, 7.4, 7.7, 9.09, 12.2, 17.67, 24.46, 28.57, 30.42, 30.84,
    32.59, 32.93, 42.32, 44.96, 50.34, 50.45, 57.55, 57.93, 58.21, 60.14, 62.61, 62.62, 62.71, 63.14, 63.14, 63.77, 63.93,
    63.96, 63.97, 64.03, 64.07, 64.08, 64.12, 64.41, 64.48, 64.51, 64.53, 64.84,
  ];
  const RULES = [
    ["plain", "RoPE", "figure-ink", ""],
    ["interpolated", "interpolated", "query", "9 4"],
    ["ntk", "NTK-aware", "key", "2 3"],
    ["parts", "by parts", "token", ""],
    ["yarn", "YaRN’s program", "position", "9 3 2 3"],
    ["llama", "Llama 3", "pair", "5 3"],
    ["searched", "LongRoPE", "figure-ink", "1 4"],
  ];
  const UNDER = 80; // the scale ends at 1/80
  const RADIUS = 26;

  living.add("stretch", {
    label: "Living figure: what each rule does to each pair's frequency, and which angles are new to one pair",
    start: { pair: 40, ...SEARCHED },
    limit: (state) => ({ ...state, pair: clamp(Math.round(state.pair), 0, PAIRS - 1) }),
    height: [398, 508],
    style: `
      .stretch .rule { stroke-width: 2 }
      .stretch .short { fill: var(--off); stroke: none }
      .stretch .seen { fill: currentcolor; opacity: 0.35 }
      .stretch .new { fill: var(--key); opacity: 0.5 }
      .stretch .knob { fill: currentcolor; stroke: var(--paper); stroke-width: 2 }
      .stretch .hair { stroke-width: 1.5 }`,
    /* ω′/ω of each pair under each rule, and of the pair that is held the largest angles, trained and in the longer text. */
    values({ pair, base, length, factor }) {
      const speeds = frequencies(WIDTH, base);
      const turns = speeds.map((speed) => (length * speed) / FULL);
      const blend = (share) => turns.map((r, i) => clamp(share(r, i), 0, 1)).map((part) => (1 - part) / factor + part);
      const index = (r) => (PAIRS * Math.log(length / (FULL * r))) / Math.log(base); // of a pair that makes r turns
      const first = Math.max(Math.floor(index(32)), 0); // rounded outwards, as most programs do
      const last = Math.min(Math.ceil(index(1)), WIDTH - 1);
      const isSearched = Object.entries(SEARCHED).every(([name, value]) => ({ base, length, factor })[name] === value);
      const rules = {
        plain: turns.map(() => 1),
        interpolated: turns.map(() => 1 / factor),
        ntk: turns.map((_, i) => factor ** (-i / (PAIRS - 1))),
        parts: blend((r) => (r - 1) / 31),
        yarn: blend((_, i) => 1 - (i - first) / (last - first)),
        llama: blend((r) => (r - 1) / 3),
        searched: isSearched ? FACTORS.map((each) => 1 / each) : [],
      };
      const trained = length * speeds[pair];
      const reach = RULES.flatMap(([name]) => rules[name].slice(pair, pair + 1).map((part) => factor * trained * part));
      const added = reach.map((angle) => Math.max(Math.min(angle, FULL) - Math.min(trained, FULL), 0));
      return { ...rules, turns, trained, reach, added };
    },
    sentence({ pair, length, factor }, { turns, added }) {
      const each = added.map((angle, n) => `${RULES[n][1]} ${fixed((360 * angle) / FULL, 0)}`);
      return `Pair ${pair} makes ${short(turns[pair])} turns within ${length} tokens. New angles in a text of ${factor * length}, in degrees: ${each.join(", ")}.`;
    },
    build(view) {
      const { top } = view;
      const title = view.words("", { "text-anchor": "start" });
      const ground = view.draw("rect", { class: "short" });
      const axes = view.draw("path", { class: "quiet-line line" });
      const ends = [[32, "32 turns"], [4, 4], [1, "1 turn"]].map(([r, words]) => [
        r, view.draw("path", { class: "quiet-line line", "stroke-dasharray": "2 4" }), view.quiet(words),
      ]);
      const levels = [1, 4, 16, 64].map((n) => [n, view.quiet(n === 1 ? 1 : `1/${n}`, { "text-anchor": "end" })]);
      const numbers = [0, 16, 32, 47].map((i) => [i, view.quiet(i)]);
      const axis = view.quiet("pair i");
      const height = view.quiet("", { "text-anchor": "start" });
      const touch = svg("rect", { class: "touch", x: -22, y: -10, width: 44 });
      const ring = svg("rect", { class: "ring", x: -13, width: 26, height: 26, rx: 13 });
      const hair = svg("path", { class: "hair line" });
      const knob = svg("circle", { class: "knob", r: 9 });
      const hold = svg("g", {}, touch, hair, ring, knob);

      const drawings = RULES.map(([, name, tint, dashes]) => {
        const look = { class: "rule line", "stroke-dasharray": dashes, style: { color: `var(--${tint})` } };
        const [line, sample] = [svg("path", look), svg("path", look)];
        const [seen, fresh] = [svg("path", { class: "seen" }), svg("path", { class: "new" })];
        const circle = svg("g", {}, svg("circle", { class: "face", r: RADIUS }), seen, fresh);
        top.append(line, sample, circle);
        const [title, part, more] = [name, "", ""].map((text) => view.words(text, { class: "small" }));
        return { line, sample, circle, seen, fresh, title, part, more };
      });
      top.append(hold);

      const scale = places(PAIRS - 1);
      const label = "The pair whose circles are shown";
      slide(view, hold, { label, name: "pair", scale, ends: () => [0, PAIRS - 1], text: (pair) => `pair ${pair}` });
      view.slider({ name: "factor", label: "factor s", stops: [1, 2, 4, 8, 16, 32, 64] });
      view.slider({ name: "length", label: "trained length L", stops: [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072] });
      view.slider({ name: "base", label: "base b", stops: [10000, 100000, 500000, 1000000] });

      return ({ pair, base, length }, values) => {
        const { width, narrow } = view;
        const { turns, trained, added } = values;
        const box = { x: 46, y: 62, w: width - 60, h: narrow ? 150 : 172 };
        const foot = box.y + box.h;
        const { at: px } = scale.span(box.x, box.x + box.w);
        const py = (part) => box.y - (Math.log(part) / Math.log(UNDER)) * box.h;
        const border = (r) => (PAIRS * Math.log(length / (FULL * r))) / Math.log(base);

        put(title, 0, 12, { text: `pair ${pair}: ${short(turns[pair])} turns in ${short(length)} tokens` });
        const slow = clamp(px(border(1)), box.x, box.x + box.w);
        set(ground, { x: slow.toFixed(1), y: box.y, width: (box.x + box.w - slow).toFixed(1), height: box.h });
        set(axes, { d: `M${box.x} ${box.y}V${foot}H${box.x + box.w}` });
        for (const [r, line, text] of ends) {
          const x = px(border(r));
          const style = { display: x < box.x + box.w ? "" : "none" };
          set(line, { d: `M${x.toFixed(1)} ${box.y}V${foot}`, style });
          const last = x > width - 46;
          put(text, x + (r === 1 ? (last ? 6 : -4) : r === 32 ? 4 : 0), box.y - 16, { style });
          set(text, { "text-anchor": r === 4 ? "middle" : r === 32 || last ? "end" : "start" });
        }
        for (const [n, text] of levels) put(text, box.x - 12, py(1 / n)); // beside the knob at pair 0
        for (const [i, text] of numbers) put(text, px(i), foot + 22);
        put(axis, px(24), foot + 22);
        put(height, 0, box.y - 16, { text: px(border(32)) > box.x + 60 ? "ω′/ω" : "" });
        put(hold, px(pair), box.y);
        set(touch, { height: box.h + 36 });
        set(ring, { y: box.h - 13 });
        set(hair, { d: `M0 0V${box.h}` });
        put(knob, 0, box.h);

        const across = narrow ? 4 : RULES.length;
        const pitch = width / across;
        drawings.forEach(({ line, sample, circle, seen, fresh, title, part, more }, n) => {
          const parts = values[RULES[n][0]];
          const [x, y] = [pitch * ((n % across) + 0.5), foot + 48 + 132 * Math.floor(n / across)];
          set(line, { d: parts.length ? path(parts.map((each, i) => [px(i), py(each)])) : "M0 0" });
          set(sample, { d: `M${(x - 22).toFixed(1)} ${y}h44` });
          put(title, Math.max(x, 51), y + 14); // no name begins left of the figure
          put(circle, x, y + 52, { style: { color: pairColour(pair, PAIRS) } });
          set(seen, { d: sector(Math.min(trained, FULL), RADIUS) });
          const some = added[n] > 1e-9;
          set(fresh, { d: some ? sector(added[n], RADIUS) : "M0 0", transform: `rotate(${((360 * trained) / FULL).toFixed(2)})` });
          put(part, x, y + 90, { text: parts.length ? `× ${ratio(parts[pair])}` : "one model’s" });
          const text = parts.length ? (some ? `${fixed((360 * added[n]) / FULL, 0)}° new` : "nothing new") : "list";
          put(more, x, y + 106, { text, class: some ? "small key" : "small quiet" });
        });
      };
    },
  });
})();
