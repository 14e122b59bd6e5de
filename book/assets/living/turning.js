/* A query and a key, turned by their positions: dragged along together, and the score stays. */
"use strict";
(() => {
  const { range, clamp, fixed, set, svg, put, path, sign, grip, along } = living;
  const LAST = 15;
  const QUERY = [2, 1];
  const KEY = [1, 1];
  const turn = ([x, y], angle) => [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];
  const inner = ([a, b], [c, d]) => a * c + b * d;
  const score = (offset, omega) => inner(QUERY, turn(KEY, offset * omega));
  const signedNumber = (n) => String(n).replace("-", "−");

  living.add("turning", {
    label: "Living figure: a query and a key, each turned by its position, and their score",
    start: { m: 3, offset: -2, omega: 1 },
    limit: ({ m, offset, omega }) => ({ offset, omega, m: clamp(m, Math.max(0, -offset), LAST - Math.max(0, offset)) }),
    height: [312, 512],
    style: `
      .play .yoke { fill: none; stroke: var(--position); stroke-width: 2 }
      .play .curve { stroke: var(--query); stroke-width: 1.8 }
      .play .point { fill: var(--figure-ink) }
      .play .query { fill: var(--query) }
      .play .key { fill: var(--key) }
      .play.turning .before { opacity: 0.28 }
      .play .strong { font-weight: 600 }`,
    values({ m, offset, omega }) {
      const [movedQ, movedK] = [turn(QUERY, m * omega), turn(KEY, (m + offset) * omega)];
      const curve = range(2 * LAST + 1).map((n) => score(n - LAST, omega));
      return { movedQ, movedK, score: inner(movedQ, movedK), curve };
    },
    says({ m, offset }, { score: value }) {
      const p = Math.round(m);
      return `Query at ${p}, key at ${p + offset}: the score is ${fixed(value)}.`;
    },
    build(view) {
      const { top } = view;
      const line = (given) => top.appendChild(svg("line", given));
      const words = (text, given) => top.appendChild(sign.label(text, given));
      const quiet = { class: "small quiet" };

      const ruler = line({ class: "quiet-line" });
      const marks = range(LAST + 1).map(() => line({ class: "quiet-line" }));
      const numbers = range(4).map((n) => words(5 * n, quiet));
      const hint = words("drag the two along", quiet);
      const both = svg("g");
      const [bar, atQuery, atKey] = [svg("path", { class: "yoke" }), sign.square(), sign.square()];
      const ring = svg("rect", { class: "ring", y: -43, height: 52, rx: 8 });
      const touch = svg("rect", { class: "touch", y: -48, height: 62 });
      const names = [sign.label("q", { class: "strong query" }), sign.label("k", { class: "strong key" })];
      both.append(touch, ring, bar, atQuery, atKey, ...names);
      const scale = { x: 0, step: 1 };
      const move = (m) => view.change({ m });
      grip(both, {
        label: "The query and the key, dragged along together",
        pan: "y",
        at: along(scale, move),
        by: (dx, dy) => move(clamp(Math.round(view.state.m) + dx + dy, 0, LAST)),
        now() {
          const { offset } = view.state;
          const m = Math.round(view.state.m);
          return { value: m, min: Math.max(0, -offset), max: LAST - Math.max(0, offset), text: `query at ${m}, key at ${m + offset}` };
        },
      });

      const circle = top.appendChild(svg("circle", { class: "quiet-line line" }));
      const before = ["query", "key"].map((kind) => top.appendChild(sign.arrow(kind)));
      for (const arrow of before) arrow.classList.add("before");
      const arc = top.appendChild(svg("path", { class: "line yoke" }));
      const arrows = ["query", "key"].map((kind) => top.appendChild(sign.arrow(kind)));
      const turned = [words("", { class: "small query" }), words("", { class: "small key" })];

      const title = words("", { "text-anchor": "start", class: "strong" });
      const axes = top.appendChild(svg("path", { class: "quiet-line line" }));
      const curve = top.appendChild(svg("path", { class: "curve line" }));
      const drop = top.appendChild(svg("path", { class: "quiet-line line" }));
      const point = top.appendChild(svg("circle", { class: "point", r: 6 }));
      const ticks = [-LAST, 0, LAST].map((n) => words(signedNumber(n), quiet));
      const axis = words("offset Δ = n − m", quiet);
      top.append(both);

      view.slider({ name: "m", label: "move both: m", min: ({ offset }) => Math.max(0, -offset), max: ({ offset }) => LAST - Math.max(0, offset), write: (m) => String(Math.round(m)) });
      view.slider({ name: "offset", label: "offset Δ", min: -8, max: 8, write: signedNumber });
      view.slider({ name: "omega", label: "frequency ω", stops: [0.01, 0.05, 0.1, 0.25, 0.5, 1] });

      return ({ m, offset, omega }, { movedQ, movedK, score: value }) => {
        const { width, narrow } = view;
        const p = Math.round(m);
        Object.assign(scale, { x: 20, step: (width - 40) / LAST });
        const at = (n) => scale.x + n * scale.step;
        const y = 52;
        set(ruler, { x1: at(0), x2: at(LAST), y1: y, y2: y });
        marks.forEach((mark, n) => set(mark, { x1: at(n), x2: at(n), y1: y, y2: y + (n % 5 ? 4 : 8) }));
        numbers.forEach((number, n) => put(number, at(5 * n), y + 18));
        put(both, at(m), y);
        const end = offset * scale.step;
        const apart = (Math.abs(offset) * scale.step < 36 ? 36 : Math.abs(end)) * (offset < 0 ? -1 : 1);
        const [l, r] = [(end - apart) / 2, (end + apart) / 2];
        put(atQuery.write(p), l, -26);
        put(atKey.write(p + offset), r, -26);
        const out = offset < 0 ? 22 : -22;
        put(names[0], l + out, -26);
        put(names[1], r - out, -26);
        set(bar, { d: `M${l} -12L0 0M${r} -12L${end.toFixed(1)} 0` });
        const low = Math.min(l, r);
        set(ring, { x: low - 32, width: Math.abs(apart) + 64 });
        set(touch, { x: low - 32, width: Math.abs(apart) + 64 });
        put(hint, at(p + offset / 2) > width / 2 ? 74 : width - 74, 22);

        const unit = narrow ? 42 : 44;
        const [cx, cy] = narrow ? [width / 2, 194] : [140, 192];
        const tip = ([a, b], far = 1) => [cx + far * a * unit, cy - far * b * unit];
        set(circle, { cx, cy, r: Math.hypot(...QUERY) * unit });
        [QUERY, KEY].forEach((z, i) => before[i].point(cx, cy, ...tip(z)));
        [movedQ, movedK].forEach((z, i) => {
          arrows[i].point(cx, cy, ...tip(z));
          const long = Math.hypot(...z) * unit;
          put(turned[i], ...tip(z, (long + 16) / long));
          set(turned[i], { text: i ? "k" : "q" });
        });
        const [from, to] = [movedQ, movedK].map(([a, b]) => Math.atan2(b, a));
        const sweep = Math.atan2(Math.sin(to - from), Math.cos(to - from));
        set(arc, { d: path(range(25).map((n) => [cx + 24 * Math.cos(from + (sweep * n) / 24), cy - 24 * Math.sin(from + (sweep * n) / 24)])) });

        const box = narrow ? { x: 18, y: 366, w: width - 36, h: 100 } : { x: 300, y: 128, w: width - 330, h: 138 };
        const px = (n) => box.x + ((n + LAST) / (2 * LAST)) * box.w;
        const py = (v) => box.y + (0.5 - v / 6.6) * box.h;
        put(title, box.x - 6, box.y - 22);
        set(title, { text: `score ${fixed(value)}, whatever m` });
        set(axes, { d: `M${box.x} ${py(0)}H${box.x + box.w}M${px(0)} ${box.y}V${box.y + box.h}` });
        const steps = Math.round(box.w / 2);
        set(curve, { d: path(range(steps + 1).map((n) => {
          const delta = ((2 * n) / steps - 1) * LAST;
          return [px(delta), py(score(delta, omega))];
        })) });
        set(drop, { d: `M${px(offset)} ${py(value)}V${box.y + box.h}` });
        set(point, { cx: px(offset), cy: py(value) });
        ticks.forEach((tick, n) => put(tick, px((n - 1) * LAST), box.y + box.h + 14));
        put(axis, px(0), box.y + box.h + 32);
      };
    },
  });
})();
