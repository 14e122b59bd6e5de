/* A query and a key, turned by their positions: dragged along together, and the score stays. */
"use strict";
(() => {
  const { range, clamp, turn, between, dot, fixed, set, svg, put, path, ruler, sign, slide } = living;
  const LAST = 15;
  const QUERY = [2, 1];
  const KEY = [1, 1];
  /* The first and the last position of the query whose key is on the ruler, too. */
  const ends = ({ offset }) => [Math.max(0, -offset), LAST - Math.max(0, offset)];
  const score = (offset, omega) => dot(QUERY, turn(KEY, offset * omega));
  const signedNumber = (n) => String(n).replace("-", "−");

  living.add("turning", {
    label: "Living figure: a query and a key, each turned by its position, and their score",
    start: { m: 3, offset: -2, omega: 1 },
    limit: (state) => ({ ...state, m: clamp(state.m, ...ends(state)) }),
    height: [312, 512],
    style: ".turning .before { opacity: 0.28 }",
    values({ m, offset, omega }) {
      const [movedQ, movedK] = [turn(QUERY, m * omega), turn(KEY, (m + offset) * omega)];
      const curve = range(2 * LAST + 1).map((n) => score(n - LAST, omega));
      return { movedQ, movedK, score: dot(movedQ, movedK), curve };
    },
    sentence({ m, offset }, { score: value }) {
      const p = Math.round(m);
      return `Query at ${p}, key at ${p + offset}: the score is ${fixed(value)}.`;
    },
    build(view) {
      const { top } = view;
      const scale = ruler(view, LAST, [0, 5, 10, 15]);
      const [bar, atQuery, atKey] = [svg("path", { class: "line yoke" }), sign.square(), sign.square()];
      const ring = svg("rect", { class: "ring", y: -43, height: 52, rx: 8 });
      const touch = svg("rect", { class: "touch", y: -48, height: 62 });
      const names = [sign.label("q", { class: "strong query" }), sign.label("k", { class: "strong key" })];
      const both = svg("g", {}, touch, ring, bar, atQuery, atKey, ...names);
      const label = "The query and the key, dragged along together";
      slide(view, both, { label, name: "m", scale, ends, text: (m) => `query at ${m}, key at ${m + view.state.offset}` });

      const circle = view.draw("circle", { class: "quiet-line line" });
      const before = ["query", "key"].map((kind) => top.appendChild(sign.arrow(kind)));
      for (const arrow of before) arrow.classList.add("before");
      const arc = view.draw("path", { class: "line yoke" });
      const arrows = ["query", "key"].map((kind) => top.appendChild(sign.arrow(kind)));
      const turned = [view.words("q", { class: "small query" }), view.words("k", { class: "small key" })];

      const title = view.words("", { "text-anchor": "start", class: "strong" });
      const axes = view.draw("path", { class: "quiet-line line" });
      const curve = view.draw("path", { class: "curve line" });
      const drop = view.draw("path", { class: "quiet-line line" });
      const point = view.draw("circle", { fill: "currentcolor", r: 6 });
      const ticks = [-LAST, 0, LAST].map((n) => view.quiet(signedNumber(n)));
      const axis = view.quiet("offset Δ = n − m");
      top.append(both);

      view.slider({ name: "m", label: "move both: m", min: (now) => ends(now)[0], max: (now) => ends(now)[1], write: (m) => String(Math.round(m)) });
      view.slider({ name: "offset", label: "offset Δ", min: -8, max: 8, write: signedNumber });
      view.slider({ name: "omega", label: "frequency ω", stops: [0.01, 0.05, 0.1, 0.25, 0.5, 1] });

      return ({ m, offset, omega }, { movedQ, movedK, score: value }) => {
        const { width, narrow } = view;
        const p = Math.round(m);
        const y = 52;
        scale.draw(20, y);
        put(both, scale.at(m), y);
        const end = offset * scale.step;
        const apart = (Math.abs(offset) * scale.step < 36 ? 36 : Math.abs(end)) * (offset < 0 ? -1 : 1);
        const [l, r] = [(end - apart) / 2, (end + apart) / 2];
        put(atQuery.write(p), l, -26);
        put(atKey.write(p + offset), r, -26);
        const out = offset < 0 ? 22 : -22;
        put(names[0], l + out, -26);
        put(names[1], r - out, -26);
        set(bar, { d: `M${l} -12L0 0M${r} -12L${end.toFixed(1)} 0` });
        for (const box of [ring, touch]) set(box, { x: Math.min(l, r) - 32, width: Math.abs(apart) + 64 });

        const unit = narrow ? 42 : 44;
        const [cx, cy] = narrow ? [width / 2, 194] : [140, 192];
        const tip = ([a, b], far = 1) => [cx + far * a * unit, cy - far * b * unit];
        set(circle, { cx, cy, r: Math.hypot(...QUERY) * unit });
        [QUERY, KEY].forEach((z, i) => before[i].point(cx, cy, ...tip(z)));
        [movedQ, movedK].forEach((z, i) => {
          arrows[i].point(cx, cy, ...tip(z));
          const long = Math.hypot(...z) * unit;
          put(turned[i], ...tip(z, (long + 16) / long));
        });
        const [from, to] = [movedQ, movedK].map(([a, b]) => Math.atan2(b, a));
        const sweep = between(from, to);
        set(arc, { d: path(range(25).map((n) => [cx + 24 * Math.cos(from + (sweep * n) / 24), cy - 24 * Math.sin(from + (sweep * n) / 24)])) });

        const box = narrow ? { x: 18, y: 366, w: width - 36, h: 100 } : { x: 300, y: 128, w: width - 330, h: 138 };
        const px = (n) => box.x + ((n + LAST) / (2 * LAST)) * box.w;
        const py = (v) => box.y + (0.5 - v / 6.6) * box.h;
        put(title, box.x - 6, box.y - 22, { text: `score ${fixed(value)}, whatever m` });
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
