/* A query and a key to drag, at two positions that move together or apart; four things that position could do, with their leak. */
"use strict";
(() => {
  const { range, clamp, turn, between, dot, memoize, fixed, set, svg, put, path, painter, sign, grip } = living;
  const LAST = 15;
  /* f(z, p, ω): what position p makes of an arrow z. */
  const WAYS = {
    turn: ["turn by pω", (z, p, omega) => turn(z, p * omega)],
    circle: ["add a sinusoid", ([x, y], p) => [x + Math.cos(p), y + Math.sin(p)]],
    shrink: ["shrink by a tenth", (z, p) => z.map((part) => part * 0.9 ** p)],
    mirror: ["mirror where p is odd", ([x, y], p) => [x, p % 2 ? -y : y]],
  };
  /* The first and the last position of a query whose key, so far on, is still on the table. */
  const ends = (offset) => [Math.max(0, -offset), LAST - Math.max(0, offset)];
  const scores = (q, k, way, omega) => {
    const [moved, other] = [q, k].map((z) => range(LAST + 1).map((p) => WAYS[way][1](z, p, omega)));
    return moved.map((a) => other.map((b) => dot(a, b)));
  };
  const largest = (table) => Math.max(1e-9, ...table.flat().map(Math.abs));
  /* The largest step along a diagonal of the table, when it is scaled to 1. */
  const leak = (table) =>
    Math.max(...range(LAST).flatMap((m) => range(LAST).map((n) => Math.abs(table[m + 1][n + 1] - table[m][n])))) / largest(table);

  /* The tables of one query and key, for every way. */
  const tables = memoize((q, k, omega) => {
    const all = Object.fromEntries(Object.keys(WAYS).map((way) => [way, scores(q, k, way, omega)]));
    return { all, leaks: Object.values(all).map(leak) };
  });

  living.add("guesses", {
    label: "Living figure: a query and a key as arrows, moved along a sentence, and their scores at all positions",
    start: { q: [0.834, 0.394], k: [0.134, 1], m: 3, offset: 2, omega: 0.5, way: "turn" },
    limit: ({ m, offset, ...rest }) => ({ ...rest, offset, m: clamp(m, ...ends(offset)) }),
    style: `
      .guesses .here { fill: none; stroke: #22303c; stroke-width: 2.5 }
      .guesses .halo { stroke: #fff; stroke-width: 5.5 }
      .guesses .pick { cursor: pointer; fill: transparent; touch-action: manipulation }
      .guesses .line.strip { stroke: #22303c; stroke-width: 0.8 }`,
    height: [392, 570],
    values({ q, k, m, offset, omega, way }) {
      const [movedQ, movedK] = [WAYS[way][1](q, m, omega), WAYS[way][1](k, m + offset, omega)];
      const { all, leaks } = tables(q, k, omega);
      return { movedQ, movedK, score: dot(movedQ, movedK), table: all[way], leaks };
    },
    sentence({ m, offset, way }, { score, leaks }) {
      return `Query at ${m}, key at ${m + offset}, ${WAYS[way][0]}: the score is ${fixed(score)}, and the leak of the table, scaled to 1, is ${fixed(leaks[Object.keys(WAYS).indexOf(way)])}.`;
    },
    build(view) {
      const { top } = view;
      const start = { "text-anchor": "start" };
      const planes = range(2).map(() => view.draw("circle", { class: "quiet-line line", r: 1 }));
      const titles = ["drag q and k", "at their positions", "all scores"].map((text) => view.quiet(text));
      const arc = view.draw("path", { class: "line" });
      const arrows = ["query", "key", "query", "key"].map((kind) => top.appendChild(sign.arrow(kind)));
      const names = ["q", "k"].map((name) => view.words(name, { class: `strong ${name === "q" ? "query" : "key"}` }));
      const squares = range(2).map(() => top.appendChild(sign.square()));
      let plane = { x: 0, y: 0, unit: 1 };
      const LIMIT = 1.35;
      ["q", "k"].forEach((name, n) => {
        const [touch, ring] = [svg("circle", { class: "touch" }), svg("circle", { class: "ring", r: 13 })];
        const tip = view.draw("g", {}, touch, ring, svg("circle", { r: 5, class: n ? "key" : "query" }));
        tip.touch = touch;
        const move = ([x, y]) => {
          const long = Math.hypot(x, y) || 1;
          const factor = clamp(long, 0.1, LIMIT) / long;
          view.change({ [name]: [x, y].map((part) => +(part * factor).toFixed(3)) });
        };
        names[n].tip = grip(tip, {
          label: n ? "The key" : "The query",
          at: (x, y) => move([(x - plane.x) / plane.unit, (plane.y - y) / plane.unit]),
          by(dx, dy) {
            const [x, y] = view.state[name];
            const step = (d) => 0.05 * clamp(d, -10, 10);
            move([x + step(dx), y + step(dy)]);
          },
          now() {
            const [x, y] = view.state[name];
            return { value: +Math.atan2(y, x).toFixed(2), min: -3.15, max: 3.15, text: `${fixed(x, 2)} across, ${fixed(y, 2)} up` };
          },
        });
      });
      const image = view.draw("image", { preserveAspectRatio: "none" });
      const paint = painter(image);
      const along = view.draw("path", { class: "line strip" });
      const here = ["here halo", "here"].map((name) => view.draw("rect", { class: name }));
      const pick = view.draw("rect", { class: "pick" });
      pick.addEventListener("click", (event) => {
        const box = pick.getBoundingClientRect();
        const cell = (at, from, long) => clamp(Math.floor(((at - from) / long) * (LAST + 1)), 0, LAST);
        const [m, n] = [cell(event.clientY, box.top, box.height), cell(event.clientX, box.left, box.width)];
        view.change({ m, offset: n - m });
      });
      const sides = [view.quiet("key at n"), view.quiet("query at m")];
      const score = view.words("", { class: "strong" });
      const apartText = view.quiet();
      const strip = {
        title: view.quiet("score while both move", start),
        zero: view.draw("line", { class: "quiet-line" }),
        dots: range(LAST + 1).map(() => view.draw("circle", { class: "query" })),
      };
      const head = view.quiet("", start);
      const rows = Object.values(WAYS).map(([name]) => [view.words(name, start), view.words("", { "text-anchor": "end" })]);
      view.select({ name: "way", label: "position enters by", options: Object.entries(WAYS).map(([key, [name]]) => [key, name]) });
      view.row();
      view.slider({ name: "m", label: "query at m (both)", min: ({ offset }) => ends(offset)[0], max: ({ offset }) => ends(offset)[1] });
      view.slider({ name: "offset", label: "offset n − m", min: -LAST, max: LAST });
      view.slider({ name: "omega", label: "frequency ω", min: 0.05, max: 1.5, step: 0.05 });

      return ({ q, k, m, offset, way }, values) => {
        const { width, narrow } = view;
        const n = m + offset;
        const r = narrow ? 56 : 76;
        const side = narrow ? Math.min(178, width - 184) : 208; // beside it, on the narrowest phone too, the names of the ways
        const middles = narrow ? [80, width - 100] : [100, 300];
        const y = narrow ? 122 : 146;
        plane = { x: middles[0], y, unit: r };
        const far = Math.max(LIMIT, ...[values.movedQ, values.movedK].map(([a, b]) => Math.hypot(a, b)));
        const unit = (r * LIMIT) / far;
        planes.forEach((circle, i) => set(circle, { cx: middles[i], cy: y, r: i ? unit : r }));
        titles.forEach((title, i) => put(title, i < 2 ? middles[i] : narrow ? 34 + side / 2 : 470 + side / 2, i < 2 ? 14 : narrow ? 342 : 14));
        [q, k, values.movedQ, values.movedK].forEach(([a, b], i) => {
          const [x, by] = i < 2 ? [middles[0], r] : [middles[1], unit];
          arrows[i].point(x, y, x + a * by, y - b * by);
        });
        const apart = Math.hypot(q[0] - k[0], q[1] - k[1]) * r;
        [q, k].forEach(([a, b], i) => {
          set(names[i].tip.touch, { r: clamp(apart / 2, 9, 22) }); // no tip lies under the other's
          put(names[i].tip, middles[0] + a * r, y - b * r);
          const long = Math.hypot(a, b);
          put(names[i], middles[0] + a * r + (22 * a) / long, y - b * r - (22 * b) / long);
        });
        const [from, to] = [values.movedQ, values.movedK].map(([a, b]) => Math.atan2(b, a));
        const sweep = between(from, to);
        const rooms = [values.movedQ, values.movedK].map(([a, b]) => Math.min(Math.hypot(a, b) * unit + 28, r * LIMIT + 10));
        // Where the arrows point nearly the same way, the two numbers stand to both sides of them.
        const least = 32 / Math.min(...rooms);
        const apartBy = Math.abs(rooms[0] - rooms[1]) < 32 ? Math.max(0, least - Math.abs(sweep)) / 2 : 0;
        [from, to].forEach((angle, i) => {
          const at = angle + (i === (sweep < 0 ? 0 : 1) ? apartBy : -apartBy);
          put(squares[i].write(i ? n : m), middles[1] + rooms[i] * Math.cos(at), y - rooms[i] * Math.sin(at));
        });
        const steps = range(25).map((i) => from + (sweep * i) / 24);
        set(arc, { d: path(steps.map((angle) => [middles[1] + 22 * Math.cos(angle), y - 22 * Math.sin(angle)])) });
        const middle = narrow ? width / 2 : 200;
        put(score, middle, y + r * LIMIT + 24, { text: `score ${fixed(values.score)}` });
        put(apartText, middle, y + r * LIMIT + 41, { text: `angle from one to the other ${fixed(sweep)}` });

        const box = narrow ? { x: 34, y: 358 } : { x: 470, y: 30 };
        const c = side / (LAST + 1);
        const most = largest(values.table);
        for (const square of [image, pick]) set(square, { x: box.x, y: box.y, width: side, height: side });
        paint(values.table, most);
        for (const frame of here) set(frame, { x: box.x + n * c - 1, y: box.y + m * c - 1, width: c + 2, height: c + 2 });
        const [low, high] = ends(offset);
        const at = (p, dx, dy) => `${(box.x + (p + offset + dx) * c).toFixed(1)} ${(box.y + (p + dy) * c).toFixed(1)}`;
        set(along, { d: range(high - low + 1).map((i) => low + i).map((p) => `M${at(p, 0, 0)}L${at(p, 1, 0)}L${at(p, 1, 1)}L${at(p, 0, 1)}Z`).join("") });
        put(sides[0], box.x + side / 2, box.y + side + 14);
        set(sides[1], { transform: `translate(${box.x - 14} ${box.y + side / 2}) rotate(-90)` });

        const graph = { x: narrow ? 8 : 28, w: narrow ? width - 16 : 344, y: narrow ? 298 : 346 };
        put(strip.title, graph.x - 8, graph.y - 34);
        set(strip.zero, { x1: graph.x, x2: graph.x + graph.w, y1: graph.y, y2: graph.y });
        strip.dots.forEach((dot, p) => {
          const inside = p >= low && p <= high;
          set(dot, { style: { display: inside ? "" : "none" } });
          if (inside) set(dot, { cx: graph.x + (p / LAST) * graph.w, cy: graph.y - (22 * values.table[p][p + offset]) / most, r: p === m ? 6.5 : 3.5 });
        });

        const list = narrow ? { x: box.x + side + 14, w: width - box.x - side - 14, y: box.y + 10, step: 37 } : { x: 470, w: side, y: 298, step: 21 };
        put(head, list.x, list.y - (narrow ? 28 : 22), { text: narrow ? "leak" : "leak, each table scaled to 1" });
        rows.forEach(([name, value], i) => {
          const chosen = Object.keys(WAYS)[i] === way;
          const look = { class: chosen ? "small strong" : "small quiet" };
          const share = { text: chosen ? fixed(values.leaks[i]) : "?", "text-anchor": narrow ? "start" : "end", ...look };
          put(name, list.x, list.y + i * list.step, look);
          put(value, list.x + (narrow ? 0 : list.w), list.y + i * list.step + (narrow ? 15 : 0), share);
        });
      };
    },
  });
})();
