/* A counter: four switches above, four hands below. */
"use strict";
(() => {
  const { range, clamp, frequencies, short, ratio, put, ruler, pairColour, sign, slide } = living;
  const COUNT = 16;
  const PAIRS = 4;
  const SPEEDS = frequencies(2 * PAIRS, COUNT);

  living.add("counter", {
    label: "Living figure: a counter with switches and hands",
    start: { position: 7 },
    limit: ({ position }) => ({ position: clamp(position, 0, COUNT - 1) }),
    height: [256, 248],
    values: ({ position }) => ({
      bits: range(PAIRS).map((j) => Math.floor(position / 2 ** j) % 2),
      angles: SPEEDS.map((speed) => position * speed),
    }),
    sentence: ({ position }, { bits, angles }) =>
      `Position ${Math.floor(position)}: switches ${bits.join(", ")}, the fastest first; ` +
      `the hands have turned by ${angles.map(short).join(", ")} radians.`,
    build(view) {
      const { top } = view;
      const scale = ruler(view, COUNT - 1, [0, 4, 8, 12, COUNT - 1]);
      const square = sign.square();
      const names = ["switches", "hands"].map((text) => view.quiet(text, { "text-anchor": "start" }));
      const worths = range(PAIRS).map((j) => view.words(2 ** j, { class: "small" }));
      const bits = range(PAIRS).map(() => top.appendChild(sign.bit()));
      const dials = range(PAIRS).map(() => top.appendChild(sign.dial()));
      const speeds = SPEEDS.map((speed) => view.words(`ω = ${ratio(speed)}`, { class: "small" }));
      top.append(square);

      slide(view, square, { label: "Position", name: "position", scale, ends: () => [0, COUNT - 1] });

      const step = (way) => () => view.change({ position: (Math.floor(view.state.position) + way + COUNT) % COUNT });
      view.button({ label: "Back", press: step(-1) });
      view.button({ label: "Step", press: step(1) });

      return ({ position }, { bits: on, angles }) => {
        const { width, narrow } = view;
        scale.draw(22, 34);
        put(square.write(Math.floor(position)), scale.at(position), 18);

        const left = narrow ? 0 : 100;
        const pitch = (width - left) / PAIRS;
        const x = (i) => left + (i + 0.5) * pitch;
        names.forEach((name, n) => put(name, 0, [106, 186][n], { style: { visibility: narrow ? "hidden" : "" } }));
        range(PAIRS).forEach((i) => {
          const colour = pairColour(i, PAIRS);
          put(worths[i], x(i), 76, { style: { fill: colour } });
          put(bits[i].size(34, colour).write(on[i]), x(i), 106);
          put(dials[i].size(Math.min(pitch / 2 - 3, 42), colour).turn(angles[i]), x(i), 182);
          put(speeds[i], x(i), 240, { style: { fill: colour } });
        });
      };
    },
  });
})();
