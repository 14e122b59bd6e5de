/* A counter: switches above, hands below, and the row of the table that the hands write. */
"use strict";
(() => {
  const { range, clamp, frequencies, row, fixed, short, ratio, set, svg, put, many, signed, pairColour, sign, grip, along } = living;
  const last = (width) => 2 ** (width / 2) - 1;
  const bitsOf = ({ position, width }) => range(width / 2).map((j) => Math.floor(position / 2 ** j) % 2);

  living.add("counter", {
    label: "Living figure: a counter with switches, clock hands and a row of the table",
    start: { position: 7, base: 16, width: 8 },
    limit: (state) => ({ ...state, position: clamp(state.position, 0, last(state.width)) }),
    height: [336, 342],
    values({ position, base, width }) {
      const speeds = frequencies(width, base);
      return {
        speeds,
        bits: bitsOf({ position, width }),
        angles: speeds.map((speed) => position * speed),
        row: row(position, speeds),
      };
    },
    says: ({ position }, { bits, angles }) =>
      `Position ${Math.floor(position)}: switches ${bits.join(", ")}, the fastest first; ` +
      `the hands have turned by ${angles.map(short).join(", ")} radians.`,
    build(view) {
      const { top } = view;
      const words = (text, given, parent = top) => parent.appendChild(sign.label(text, given));
      const quiet = { class: "small quiet" };

      const ruler = top.appendChild(svg("path", { class: "quiet-line line" }));
      const numbers = range(5).map(() => words("", quiet));
      const square = sign.square();
      const names = ["switches", "hands", "row of table"].map((text) =>
        words(text, { ...quiet, "text-anchor": "start" }));
      const worths = many(top, () => sign.label("", { class: "small" }));
      const bits = many(top, () => sign.bit());
      const clocks = many(top, () => sign.clock());
      const speeds = many(top, () => sign.label("", { class: "small" }));
      const cells = many(top, () => sign.cell());
      const columns = many(top, () => sign.label("", quiet));
      top.append(square);

      const scale = { x: 0, step: 1 };
      const move = (position) => view.change({ position });
      const whole = () => Math.floor(view.state.position);
      grip(square, {
        label: "Position",
        pan: "y",
        at: along(scale, move),
        by: (dx, dy) => move(whole() + dx + dy),
        now: () => ({ value: whole(), min: 0, max: last(view.state.width) }),
      });

      const player = view.row().player({
        tick(seconds) {
          const count = last(view.state.width) + 1;
          move((view.state.position + seconds * Math.max(1, count / 20)) % count);
        },
        stop: () => move(whole()),
      });
      const step = (way) => () => {
        player.halt();
        const count = last(view.state.width) + 1;
        move((whole() + way + count) % count);
      };
      view.button({ label: "Back", press: step(-1) });
      view.button({ label: "Step", press: step(1) });
      view.reset();
      view.slider({ name: "base", label: "base b", stops: [4, 10, 16, 64, 100, 1000, 10000, 100000] });
      view.slider({ name: "width", label: "width d", min: 4, max: 16, step: 2 });
      for (const kind of ["pointerdown", "keydown"]) square.addEventListener(kind, player.halt);

      return ({ position, width: d }, { speeds: omega, bits: on, angles, row: entries }) => {
        const { width, narrow } = view;
        const [pairs, end] = [d / 2, last(d)];
        Object.assign(scale, { x: 22, step: (width - 44) / end });
        const at = (p) => scale.x + p * scale.step;
        const ticks = range(end <= 64 ? end + 1 : 17).map((n) => (end <= 64 ? n : (n * (end + 1)) / 16));
        set(ruler, { d: `M${at(0)} 34H${at(end)}` + ticks.map((n) => `M${at(Math.min(n, end)).toFixed(1)} 34v5`).join("") });
        numbers.forEach((number, n) => {
          const p = Math.min((n * (end + 1)) / 4, end);
          put(number, at(p), 52);
          set(number, { text: p });
        });
        put(square.write(Math.floor(position)), at(position), 18);

        const left = narrow ? 0 : 100;
        const pitch = (width - left) / pairs;
        const x = (i) => left + (i + 0.5) * pitch;
        const radius = Math.min(pitch / 2 - 3, narrow ? 40 : 42);
        const rows = narrow ? { names: [76, 150, 256], worth: 78, bit: 104, clock: 178, speed: 232, cell: 286 }
          : { names: [106, 186, 280], worth: 76, bit: 106, clock: 186, speed: 242, cell: 280 };
        names.forEach((name, n) => {
          put(name, 0, rows.names[n]);
          set(name, { style: { visibility: narrow && n < 2 ? "hidden" : "" } });
        });
        worths(pairs).forEach((worth, j) => {
          put(worth, x(j), rows.worth);
          set(worth, { text: 2 ** j, style: { fill: pairColour(j, pairs) } });
        });
        bits(pairs).forEach((bit, j) => put(bit.size(34, pairColour(j, pairs)).write(on[j]), x(j), rows.bit));
        clocks(pairs).forEach((clock, i) => {
          put(clock.size(radius, pairColour(i, pairs)).turn(angles[i]), x(i), rows.clock);
        });
        speeds(pairs).forEach((speed, i) => {
          put(speed, x(i), rows.speed);
          set(speed, { text: pitch > 70 ? `ω = ${ratio(omega[i])}` : ratio(+omega[i].toPrecision(2)), style: { fill: pairColour(i, pairs) } });
        });
        const beside = pitch >= 84;
        cells(d).forEach((cell, j) => {
          const [i, odd] = [Math.floor(j / 2), j % 2];
          const w = beside ? pitch / 2 - 3 : pitch - 3;
          cell.size(w, beside ? 34 : 24).show(signed((1 + entries[j]) / 2), fixed(entries[j]));
          put(cell, x(i) + (beside ? (odd - 0.5) * w : 0), rows.cell + (beside ? 0 : (odd - 0.5) * 24));
        });
        columns(beside ? d : pairs).forEach((column, n) => {
          const w = pitch / 2 - 3;
          put(column, beside ? x(Math.floor(n / 2)) + ((n % 2) - 0.5) * w : x(n), rows.cell + 36);
          set(column, { text: beside ? n : `${2 * n}, ${2 * n + 1}` });
        });
      };
    },
  });
})();
