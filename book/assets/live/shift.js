/* Two positions with a fixed offset, dragged along: each hand turns by its own kω, and the dot product stays. */
"use strict";
(() => {
  const { range, clamp, frequencies, row, dot, fixed, short, ratio, set, svg, put, path, pairColour, sign, grip, along } = living;
  const LAST = 31;
  const WIDTH = 8;
  const REFERENCE = 3;

  living.add("shift", {
    label: "Living figure: two positions with a fixed offset, the hands of both, and the dot product of their rows",
    start: { position: 20, offset: 2, base: 16 },
    limit: ({ position, offset, base }) => ({ offset, base, position: clamp(position, 0, LAST - offset) }),
    height: [304, 424],
    style: `
      .play .yoke { fill: none; stroke: var(--position); stroke-width: 2 }
      .play .curve { stroke: var(--query); stroke-width: 1.8 }
      .play .point { fill: var(--figure-ink) }`,
    values({ position, offset, base }) {
      const speeds = frequencies(WIDTH, base);
      const [here, there] = [position, position + offset].map((p) => row(p, speeds));
      const curve = range(LAST + 1).map((k) => speeds.reduce((sum, speed) => sum + Math.cos(k * speed), 0));
      return { speeds, here, there, curve, turned: speeds.map((speed) => offset * speed), product: dot(here, there) };
    },
    says({ position, offset }, { turned, product }) {
      const p = Math.round(position);
      return `Positions ${p} and ${p + offset}: the hands turn by ${turned.map(short).join(", ")} radians in between, and the dot product of the two rows is ${fixed(product)}.`;
    },
    build(view) {
      const { top } = view;
      const line = (given) => top.appendChild(svg("line", given));
      const words = (text, given) => top.appendChild(sign.label(text, given));

      // The ruler, and the two positions on it, held as one.
      const ruler = line({ class: "quiet-line" });
      const marks = range(LAST + 1).map(() => line({ class: "quiet-line" }));
      const numbers = range(4).map((n) => words(10 * n, { class: "small quiet" }));
      const pair = svg("g");
      const [bar, left, right, span] = [svg("path", { class: "yoke" }), sign.square(), sign.square(), sign.label("", { class: "small" })];
      const ring = svg("rect", { class: "ring", y: -43, height: 52, rx: 8 });
      const touch = svg("rect", { class: "touch", y: -52, height: 66 });
      pair.append(touch, ring, bar, left, right, span);
      const scale = { x: 0, step: 1 };
      const move = (position) => view.change({ position });
      grip(pair, {
        label: "The two positions, dragged along together",
        pan: "y",
        at: along(scale, move),
        by: (dx, dy) => move(clamp(Math.round(view.state.position) + dx + dy, 0, LAST)),
        now() {
          const { offset } = view.state;
          const p = Math.round(view.state.position);
          return { value: p, min: 0, max: LAST - offset, text: `${p} and ${p + offset}` };
        },
      });

      // Two rows of clocks: the pair at rest, and the pair that moves.
      const heads = range(WIDTH / 2).map(() => words("", { class: "small" }));
      const names = range(2).map(() => top.appendChild(sign.square()));
      const clocks = range(2).map(() => range(WIDTH / 2).map(() => top.appendChild(sign.clock())));
      const swept = range(WIDTH / 2).map(() => words("", { class: "small" }));
      const caption = words("turned", { class: "small quiet" });

      // The curve.
      const title = words("", { "text-anchor": "start" });
      const axes = svg("path", { class: "quiet-line line" });
      const zero = svg("path", { class: "quiet-line line", "stroke-dasharray": "2 4" });
      const curve = svg("path", { class: "curve line" });
      const drop = svg("path", { class: "quiet-line line" });
      const point = svg("circle", { class: "point", r: 6 });
      top.append(axes, zero, curve, drop, point);
      const ticks = range(4).map((n) => words(10 * n, { class: "small quiet" }));
      const levels = [4, 0, -4].map((n) => words(fixed(n, 0), { class: "small quiet", "text-anchor": "end" }));
      const axis = words("k", { class: "small quiet" });
      const hint = words("drag the pair along", { class: "small quiet" });
      top.append(pair);

      let way = 1;
      const player = view.row().player({
        tick(seconds) {
          const { position, offset } = view.state;
          if (position >= LAST - offset) way = -1;
          if (position <= 0) way = 1;
          move(position + 2 * way * seconds);
        },
        stop: () => move(Math.round(view.state.position)),
      });
      pair.addEventListener("pointerdown", player.halt);
      pair.addEventListener("keydown", player.halt);
      view.reset();
      view.slider({ name: "offset", label: "offset k", min: 0, max: 16 });
      view.slider({ name: "base", label: "base b", stops: [4, 10, 16, 100, 1000, 10000] });

      return ({ position, offset }, { speeds, turned, product: value }) => {
        const { width, narrow } = view;
        const p = Math.round(position);

        Object.assign(scale, { x: 20, step: (width - 40) / LAST });
        const y = 56;
        const at = (n) => scale.x + n * scale.step;
        set(ruler, { x1: at(0), x2: at(LAST), y1: y, y2: y });
        marks.forEach((mark, n) => set(mark, { x1: at(n), x2: at(n), y1: y, y2: y + (n % 10 ? 4 : 8) }));
        numbers.forEach((number, n) => put(number, at(10 * n), y + 18));
        put(pair, at(position), y);
        const end = offset * scale.step;
        const apart = Math.max(end, 36);
        const [l, r] = [(end - apart) / 2, (end + apart) / 2];
        put(left.write(p), l, -26);
        put(right.write(p + offset), r, -26);
        put(span, end / 2, -48);
        set(span, { text: `k = ${offset}` });
        set(bar, { d: `M${l} -12L0 0M${r} -12L${end.toFixed(1)} 0M${l + 14} -26H${r - 14}` });
        set(ring, { x: l - 20, width: apart + 40 });
        set(touch, { x: l - 24, width: apart + 48 });

        const first = narrow ? 84 : 76; // the room of the rows' names
        const pitch = narrow ? (width - first) / 4 : 84;
        const radius = narrow ? Math.min(pitch / 2 - 4, 31) : 34;
        const across = (i) => first + pitch * (i + 0.5);
        const down = (n) => 112 + radius + n * (2 * radius + 14);
        heads.forEach((head, i) => {
          put(head, across(i), 98);
          set(head, { text: `ω = ${ratio(speeds[i])}`, fill: pairColour(i, 4), style: { fill: pairColour(i, 4) } });
        });
        [REFERENCE, position].forEach((start, n) => {
          put(names[n].write(`${Math.round(start)} → ${Math.round(start) + offset}`), first / 2 - 2, down(n));
          clocks[n].forEach((clock, i) => {
            put(clock.size(radius, pairColour(i, 4)), across(i), down(n));
            clock.turn((start + offset) * speeds[i], start * speeds[i]);
          });
        });
        swept.forEach((text, i) => {
          put(text, across(i), down(1) + radius + 14);
          set(text, { text: `${short(turned[i])}`, style: { fill: pairColour(i, 4) } });
        });
        put(caption, first / 2 - 2, down(1) + radius + 14);
        set(caption, { text: "turned, rad" });

        const box = narrow
          ? { x: 30, y: down(1) + radius + 62, w: width - 44, h: 92 }
          : { x: first + 4 * pitch + 58, y: 122, w: width - first - 4 * pitch - 70, h: 132 };
        const px = (k) => box.x + (k / LAST) * box.w;
        const py = (v) => box.y + (0.5 - v / WIDTH) * box.h;
        put(title, box.x - 22, box.y - 22);
        set(axes, { d: `M${box.x} ${box.y}V${box.y + box.h}H${box.x + box.w}` });
        set(zero, { d: `M${box.x} ${py(0)}H${box.x + box.w}` });
        const points = range(Math.round(box.w / 2) + 1).map((n) => {
          const k = (n / Math.round(box.w / 2)) * LAST;
          return [px(k), py(speeds.reduce((sum, speed) => sum + Math.cos(k * speed), 0))];
        });
        set(curve, { d: path(points) });
        set(drop, { d: `M${px(offset)} ${py(value)}V${box.y + box.h}` });
        set(point, { cx: px(offset), cy: py(value) });
        ticks.forEach((tick, n) => put(tick, px(10 * n), box.y + box.h + 14));
        levels.forEach((level, n) => put(level, box.x - 6, py(4 - 4 * n)));
        put(axis, px(15), box.y + box.h + 14);
        set(title, { text: `PE(${p}) · PE(${p + offset}) = ${fixed(value)}` });
        put(hint, position > LAST / 2 ? 82 : width - 82, 30);
      };
    },
  });
})();
