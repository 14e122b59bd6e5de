/* One key, column by column, as it was trained and as it is run; and which of its scores survive. */
"use strict";
(() => {
  const { range, clamp, frequencies, fixed, set, put, path, places, pairColour, sign, slide } = living;
  const LAST = 15;
  const SPEEDS = frequencies(8, 10000);
  // The query and the key of the chapter, pair after pair.
  const QUERY = [1.54099611, -0.29342891, -2.17878938, 0.56843128, -1.08452234, -1.3985954, 0.40334685, 0.83802633];
  const KEY = [0.66135217, 0.2669241, 0.06167726, 0.62131733, -0.45190596, -0.16613023, -1.52276848, 0.3816839];
  const LAYOUTS = { interleaved: (i) => [2 * i, 2 * i + 1], "split-half": (i) => [i, i + 4] };
  const pairOf = (layout) => range(8).map((column) => range(4).find((i) => LAYOUTS[layout](i).includes(column)));

  /* The columns of a vector whose pairs are given, in a layout. */
  const lay = (pairs, layout) => {
    const columns = [];
    range(4).forEach((i) => LAYOUTS[layout](i).forEach((column, side) => (columns[column] = pairs[2 * i + side])));
    return columns;
  };
  /* Each pair of a layout turned by its own angle. */
  const rotate = (vector, position, layout, clockwise) => {
    const turned = [];
    SPEEDS.forEach((speed, i) => {
      const [a, b] = LAYOUTS[layout](i);
      const [c, s] = [Math.cos(position * speed), (clockwise ? -1 : 1) * Math.sin(position * speed)];
      turned[a] = vector[a] * c - vector[b] * s;
      turned[b] = vector[b] * c + vector[a] * s;
    });
    return turned;
  };

  living.add("layouts", {
    label: "Living figure: one key, column by column, as it was trained and as it is run, and its scores at sixteen positions",
    start: { at: 3, weights: "split-half", trainedClockwise: false, code: "interleaved", codeClockwise: false },
    limit: (state) => ({ ...state, at: clamp(Math.round(state.at), 0, LAST) }),
    style: `
      .layouts .ghost { fill: none; stroke: currentcolor; stroke-dasharray: 3 2 }
      .layouts .link { stroke-width: 2 }
      .layouts .lost { fill: var(--paper); stroke: var(--key); stroke-width: 2 }
      .layouts .gap { stroke: var(--key); stroke-dasharray: 3 2 }`,
    height: [432, 448],
    values({ at, weights, trainedClockwise, code, codeClockwise }) {
      const [q, k] = [QUERY, KEY].map((pairs) => lay(pairs, weights));
      const score = (layout, way) => range(LAST + 1).map((n) => living.dot(q, rotate(k, n, layout, way)));
      const [right, now] = [score(weights, trainedClockwise), score(code, codeClockwise)];
      const survive = right.map((value, n) => Math.abs(value - now[n]) < 1e-9);
      return { trained: rotate(k, at, weights, trainedClockwise), run: rotate(k, at, code, codeClockwise), right, now, survive: survive.map(Number) };
    },
    sentence({ at }, { right, now, survive }) {
      return `Key at ${at}: its score should be ${fixed(right[at])} and is ${fixed(now[at])}. ${survive.filter(Boolean).length} of 16 scores survive.`;
    },
    build(view) {
      const { top } = view;
      const NAMES = ["as trained", "as run"];
      const names = NAMES.map((name) => view.words(name, { "text-anchor": "start", class: "strong" }));
      const rows = NAMES.map((_, row) => ({
        line: view.draw("line", { class: "quiet-line" }),
        links: range(4).map(() => view.draw("path", { class: "line link" })),
        bars: range(8).map(() => view.draw("rect")),
        ghosts: range(row ? 8 : 0).map(() => view.draw("rect", { class: "ghost" })),
        numbers: range(8).map((column) => view.quiet(column)),
      }));
      const axis = view.draw("line", { class: "quiet-line" });
      const ticks = range(4).map((n) => view.quiet(5 * n));
      const label = view.quiet("key's position n, the query at 0");
      const curve = view.draw("path", { class: "curve line" });
      const gaps = range(LAST + 1).map(() => view.draw("line", { class: "gap" }));
      const dots = range(LAST + 1).map(() => view.draw("circle", { r: 4.5, class: "query" }));
      const [title, verdict] = [view.words("", { "text-anchor": "start" }), view.words("", { "text-anchor": "end", class: "strong" })];
      const drop = view.draw("line", { class: "quiet-line" });
      const scale = places(LAST);
      const square = top.appendChild(sign.square());
      slide(view, square, { label: "The key's position", name: "at", scale, ends: () => [0, LAST] });
      const layouts = Object.keys(LAYOUTS).map((name) => [name, name]);
      view.select({ name: "weights", label: "trained", options: layouts });
      view.toggle({ name: "trainedClockwise", label: "clockwise" });
      view.row();
      view.select({ name: "code", label: "run", options: layouts });
      view.toggle({ name: "codeClockwise", label: "clockwise" });

      return ({ at, weights, code }, { trained, run, right, now, survive }) => {
        const { width, narrow } = view;
        const left = narrow ? 0 : 92;
        const pitch = (width - left) / 8;
        [[trained, weights], [run, code]].forEach(([vector, layout], row) => {
          const y = (narrow ? 80 : 48) + (narrow ? 144 : 128) * row;
          const { line, links, bars, ghosts, numbers } = rows[row];
          put(names[row], 0, narrow ? y - 60 : y);
          set(line, { x1: left, x2: width, y1: y, y2: y });
          const x = (column) => left + pitch * (column + 0.5);
          const rect = (value) => ({ y: Math.min(y, y - 22 * value), height: Math.max(Math.abs(22 * value), 0.8), width: pitch * 0.56 });
          const owner = pairOf(layout);
          vector.forEach((value, column) => {
            const style = { fill: pairColour(owner[column], 4) };
            set(bars[column], { x: x(column) - pitch * 0.28, ...rect(value), style });
            put(numbers[column], x(column), y + 48);
          });
          ghosts.forEach((ghost, column) => {
            const display = Math.abs(trained[column] - vector[column]) < 1e-9 ? "none" : "";
            set(ghost, { x: x(column) - pitch * 0.28, ...rect(trained[column]), style: { display } });
          });
          links.forEach((link, i) => {
            const [a, b] = LAYOUTS[layout](i).map(x);
            const down = layout === "interleaved" ? 5 : 3 + 3 * i;
            set(link, { d: `M${a} ${y + 57}v${down}H${b}v${-down}`, style: { stroke: pairColour(i, 4) } });
          });
        });

        const box = { x: narrow ? 16 : left, y: narrow ? 322 : 298, h: 72 };
        const { at: px } = scale.span(box.x, width - 16);
        const py = (score) => box.y + box.h / 2 - score * 9;
        put(title, narrow ? 0 : left, box.y - 14, { text: `score ${fixed(now[at])}, trained ${fixed(right[at])}` });
        put(verdict, width, box.y - 14, { text: `${survive.filter(Boolean).length} of 16 survive` });
        set(curve, { d: path(right.map((score, n) => [px(n), py(score)])) });
        now.forEach((score, n) => {
          set(gaps[n], { x1: px(n), x2: px(n), y1: py(score), y2: py(right[n]) });
          set(dots[n], { cx: px(n), cy: py(score) });
          dots[n].classList.toggle("lost", !survive[n]);
        });
        const foot = box.y + box.h + 8;
        set(axis, { x1: px(0), x2: px(LAST), y1: foot, y2: foot });
        set(drop, { x1: px(at), x2: px(at), y1: py(now[at]), y2: foot });
        put(square.write(at), px(at), foot + 8);
        ticks.forEach((tick, n) => {
          put(tick, px(5 * n), foot + 16, { style: { visibility: Math.abs(5 * n - at) < 2 ? "hidden" : "" } });
        });
        put(label, (px(0) + px(LAST)) / 2, foot + 38);
      };
    },
  });
})();
