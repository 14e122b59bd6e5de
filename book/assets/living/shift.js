/* Two positions, each dragged on its own or together by their yoke or a hand: every hand turns by its own Δω. */
"use strict";
(() => {
  const { range, clamp, frequencies, row, between, short, ratio, set, svg, put, ruler, pairColour, sign, grip, slide } = living;
  const LAST = 31;
  const WIDTH = 8;
  const REFERENCE = 3;
  const FARTHEST = 16;

  living.add("shift", {
    label: "Living figure: two positions with a fixed offset, and what each hand turns by between them",
    start: { position: 1, offset: 2, base: 16 },
    limit: (state) => ({ ...state, position: clamp(state.position, 0, LAST - state.offset) }),
    height: [290, 284],
    values({ position, offset, base }) {
      const speeds = frequencies(WIDTH, base);
      const [here, there] = [position, position + offset].map((p) => row(p, speeds));
      return { speeds, here, there, turned: speeds.map((speed) => offset * speed) };
    },
    sentence({ position, offset }, { turned }) {
      const p = Math.round(position);
      return `Positions ${p} and ${p + offset}: the hands turn by ${turned.map(short).join(", ")} radians in between.`;
    },
    build(view) {
      const { top } = view;
      // The ruler, and the two positions on it: the yoke moves both, the second square the second alone.
      const scale = ruler(view, LAST, [0, 10, 20, 30]);
      const [bar, left, span] = [svg("path", { class: "line yoke" }), sign.square(), sign.label("", { class: "small" })];
      const ring = svg("rect", { class: "ring", y: -43, height: 52, rx: 8 });
      const touch = svg("rect", { class: "touch", y: -52, height: 66 });
      const pair = svg("g", {}, touch, ring, bar, left, span);
      const right = sign.square();
      const move = (position) => view.change({ position });
      const rounded = () => Math.round(view.state.position);
      const along = {
        name: "position",
        scale,
        ends: ({ offset }) => [0, LAST - offset],
        text: (p) => `${p} and ${p + view.state.offset}`,
      };
      slide(view, pair, { label: "The two positions, dragged along together", ...along });
      const stretch = (offset) => view.change({ offset: clamp(Math.round(offset), 0, Math.min(FARTHEST, LAST - rounded())) });
      grip(right, {
        label: "The second position, dragged alone: the offset",
        pan: "y",
        at: (x) => stretch((x - scale.x) / scale.step - view.state.position),
        by: (dx, dy) => stretch(clamp(view.state.offset + dx + dy, 0, FARTHEST)),
        now: () => ({ value: view.state.offset, min: 0, max: Math.min(FARTHEST, LAST - rounded()), text: `offset ${view.state.offset}` }),
      });

      // Two rows of dials: the pair at rest, and the pair that moves.
      const heads = range(WIDTH / 2).map(() => view.words("", { class: "small" }));
      const names = range(2).map(() => top.appendChild(sign.square()));
      const dials = range(2).map(() => range(WIDTH / 2).map(() => top.appendChild(sign.dial())));
      // A hand of the lower row turns, and takes the two positions along.
      range(WIDTH / 2).forEach((i) => {
        const holder = view.draw("g", {}, dials[1][i]);
        const at = (x, y, phase) => {
          const [cx, cy] = dials[1][i].at;
          const { position, offset, base } = view.state;
          const more = between(dials[1][i].angle, Math.atan2(cy - y, x - cx)) / frequencies(WIDTH, base)[i];
          const p = clamp(position + more, 0, LAST - offset);
          move(phase === "end" ? Math.round(p) : p);
        };
        slide(view, holder, { ...along, label: `The hand of pair ${i}`, at, pan: null });
      });
      const swept = range(WIDTH / 2).map(() => view.words("", { class: "small" }));
      const caption = view.quiet("turned, rad");
      top.append(pair, right);

      view.slider({ name: "offset", label: "offset Δ", min: 0, max: FARTHEST });
      view.slider({ name: "base", label: "base b", stops: [4, 10, 16, 100, 1000, 10000] });

      return ({ position, offset }, { speeds, turned }) => {
        const { width, narrow } = view;
        const p = Math.round(position);
        const y = 56;
        scale.draw(20, y);
        const here = scale.at(position);
        put(pair, here, y);
        const end = offset * scale.step;
        const apart = Math.max(end, 36);
        const [l, r] = [(end - apart) / 2, (end + apart) / 2];
        put(left.write(p), l, -26);
        put(right.write(p + offset), here + r, y - 26);
        put(span, end / 2, -48, { text: `Δ = ${offset}` });
        set(bar, { d: `M${l} -12L0 0M${r} -12L${end.toFixed(1)} 0M${l + 14} -26H${r - 14}` });
        set(ring, { x: l - 20, width: apart + 40 });
        set(touch, { x: l - 24, width: apart + 48 });

        const first = narrow ? 84 : 76; // the room of the rows' names
        const pitch = (width - first) / 4;
        const radius = Math.min(pitch / 2 - 4, narrow ? 31 : 36);
        const across = (i) => first + pitch * (i + 0.5);
        const down = (n) => 112 + radius + n * (2 * radius + 14);
        heads.forEach((head, i) => {
          put(head, across(i), 98, { text: `ω = ${ratio(speeds[i])}`, style: { fill: pairColour(i, 4) } });
        });
        [REFERENCE, position].forEach((start, n) => {
          put(names[n].write(`${Math.round(start)} → ${Math.round(start) + offset}`), first / 2 - 2, down(n));
          dials[n].forEach((dial, i) => {
            put(dial.size(radius, pairColour(i, 4)), across(i), down(n));
            dial.turn((start + offset) * speeds[i], start * speeds[i]);
          });
        });
        swept.forEach((text, i) => {
          put(text, across(i), down(1) + radius + 14, { text: short(turned[i]), style: { fill: pairColour(i, 4) } });
        });
        put(caption, first / 2 - 2, down(1) + radius + 14);
      };
    },
  });
})();
