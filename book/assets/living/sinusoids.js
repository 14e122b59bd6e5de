/* The table under the hand: formula, angle and value of one entry; base, width and length; wavelengths marked. */
"use strict";
(() => {
  const { range, clamp, frequencies, row, memoize, fixed, short, set, svg, put, painter, pairColour, sign, grip } = living;
  const BASES = [10, 100, 1000, 10000, 100000, 1000000];
  const low = (n) => String(n).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

  const table = memoize((base, width, length) => {
    const speeds = frequencies(width, base);
    return { speeds, rows: range(length).map((p) => row(p, speeds)) };
  });

  living.add("sinusoids", {
    label: "Living figure: the sinusoidal table as a heatmap, and how one of its entries is computed",
    start: { position: 12, column: 6, base: 10000, width: 32, length: 64 },
    limit: (state) => ({
      ...state,
      position: clamp(Math.round(state.position), 0, state.length - 1),
      column: clamp(Math.round(state.column), 0, state.width - 1),
    }),
    height: [344, 420],
    // The heatmap keeps its colours in both themes, and so does what stands on it.
    style: `
      .play .map { cursor: crosshair; display: block; touch-action: pan-y }
      .play .map :is(path, circle) { fill: none; stroke: #22303c; stroke-width: 2.5 }
      .play .map .halo { stroke: #fff; stroke-width: 5.5 }
      .play .map :is(.cross, .turn) { stroke-width: 1.5 }
      .play .map .halo:is(.cross, .turn) { opacity: 0.75; stroke-width: 3.5 }
      .play .map .ring { stroke: none }
      .play .map .grip:focus-visible .ring { stroke: #1d5596; stroke-width: 3 }
      .play .parts { stroke-width: 4 }
      .play .large { font-size: 19px }`,
    values(state) {
      const { speeds, rows } = table(state.base, state.width, state.length);
      const pair = Math.floor(state.column / 2);
      const speed = speeds[pair];
      return {
        table: rows, speed, pair,
        angle: state.position * speed,
        value: rows[state.position][state.column],
        wavelengths: speeds.map((each) => (2 * Math.PI) / each),
      };
    },
    sentence: ({ position, column }, { value, angle, pair, wavelengths }) =>
      `Position ${position}, column ${column}: the ${column % 2 ? "cosine" : "sine"} of ${short(angle)} is ${fixed(value, 3)}. ` +
      `Pair ${pair} goes round once in ${short(wavelengths[pair])} positions.`,
    build(view) {
      const { top, play } = view;
      const start = { "text-anchor": "start" };

      const map = view.draw("g", { class: "map" });
      const image = svg("image", { preserveAspectRatio: "none" });
      const lines = ["wave", "turn", "cross"].map((name) => [" halo", ""].map((more) => svg("path", { class: name + more })));
      const knob = svg("g", { class: "knob" }, svg("rect", { class: "touch", x: -22, y: -22, width: 44, height: 44 }),
        svg("circle", { class: "ring", r: 14 }), svg("circle", { class: "halo", r: 8 }), svg("circle", { r: 8 }));
      map.append(image, ...lines.flat(), knob);
      const [across, down] = [view.quiet("column j"), view.quiet("p")];
      const ticks = range(3).map(() => view.quiet("", { "text-anchor": "end" }));
      const feet = range(2).map(() => view.quiet());
      const square = top.appendChild(sign.square());
      const column = view.words("", { class: "column" });

      const title = view.words("", { ...start, class: "large" });
      const wave = view.words("", start);
      const speed = view.draw("text", { ...start, dy: "0.35em" });
      const [before, power, after] = range(3).map(() => speed.appendChild(svg("tspan")));
      set(power, { dy: -6, class: "small" });
      set(after, { dy: 6 });
      const angle = view.words("", start);
      const length = view.words("", start);
      const dial = top.appendChild(sign.dial());
      const parts = view.draw("path", { class: "parts line" });
      const pairName = view.words("", { class: "small" });

      const paint = painter(image);
      let box = {};
      const pick = (x, y) => {
        const { width: columns, length: rows } = view.state;
        view.change({
          column: ((x - box.x) / box.w) * columns - 0.5,
          position: ((y - box.y) / box.h) * rows - 0.5,
        });
      };
      grip(knob, {
        label: "The entry of the table: left and right for the column, up and down for the position",
        at: pick,
        by(dx, dy) {
          const { position, column: now, width, length: rows } = view.state;
          view.change({ column: clamp(now + dx, 0, width - 1), position: clamp(position - dy, 0, rows - 1) });
        },
        now() {
          const { position, column: now, length: rows } = view.state;
          return { value: position, min: 0, max: rows - 1, text: `position ${position}, column ${now}` };
        },
      });
      const hover = (event) => {
        if (play.classList.contains("held")) return;
        const frame = view.canvas.getBoundingClientRect();
        pick(event.clientX - frame.left, event.clientY - frame.top);
      };
      map.addEventListener("pointermove", hover);
      map.addEventListener("pointerdown", hover);

      view.slider({ name: "base", label: "base b", stops: BASES });
      view.slider({ name: "width", label: "width d", min: 4, max: 64, step: 2 });
      view.slider({ name: "length", label: "length T", min: 16, max: 256, step: 8 });

      return (state, { table: rows, speed: omega, pair, angle: turned, value, wavelengths }) => {
        const { width, narrow } = view;
        const { position: p, column: j, base, width: d, length: T } = state;
        box = narrow ? { x: 40, y: 30, w: width - 44, h: 224 } : { x: 44, y: 30, w: 396, h: 300 };
        const [w, h] = [box.w / d, box.h / T];
        const x = (n) => box.x + (n + 0.5) * w;
        const y = (n) => box.y + (n + 0.5) * h;
        paint(rows);
        set(image, { x: box.x, y: box.y, width: box.w, height: box.h });
        const turns = wavelengths.flatMap((wavelength, i) =>
          wavelength <= T - 1 ? `M${(x(2 * i) - w / 2).toFixed(1)} ${y(wavelength).toFixed(1)}h${(2 * w).toFixed(1)}` : [],
        );
        const foot = Math.min(wavelengths[pair], T - 0.5);
        const side = 2 * pair + 1.5;
        const [left, right] = [side * w + box.x + w / 2, Math.min(4, w)];
        const bracket = `M${left + right} ${y(0)}H${left}V${y(foot)}` + (wavelengths[pair] <= T - 0.5 ? `h${right}` : "");
        const cross = `M${box.x} ${y(p)}H${x(j) - 8}M${x(j)} ${box.y}V${y(p) - 8}`;
        [turns.join("") || "M0 0", bracket, cross].forEach((d, n) => lines[n].forEach((line) => set(line, { d })));
        put(knob, x(j), y(p));
        put(square.write(p), box.x - 22, clamp(y(p), box.y + 4, box.y + box.h - 4));
        const colour = pairColour(pair, d / 2);
        const within = (n) => clamp(x(n), box.x + 8, box.x + box.w - 8);
        const seen = (far) => ({ visibility: Math.abs(far) < 26 ? "hidden" : "" });
        put(column, within(j), 18, { text: j, style: { fill: colour } });
        put(across, x(j) > box.x + box.w / 2 ? box.x + 60 : box.x + box.w - 60, 18);
        put(down, box.x - 22, 18);
        const marks = [0, Math.floor(T / 2), T - 1];
        marks.forEach((n, i) => put(ticks[i], box.x - 6, y(n), { text: n, style: seen(y(n) - y(p)) }));
        [0, d - 1].forEach((n, i) => put(feet[i], within(n), 18, { text: n, style: seen(x(n) - x(j)) }));

        const near = narrow ? { x: 6, y: 282, step: 26 } : { x: 466, y: 44, step: 29 };
        const name = j % 2 ? "cos" : "sin";
        [
          [title, `PE(${p})${low(j)} = ${fixed(value, 3)}`],
          [wave, `= ${name}(${p} · ω${low(pair)}) = ${name} ${short(turned)}`],
          [speed],
          [angle, `angle ${p} · ω${low(pair)} = ${short(turned)}`],
          [length, `wavelength λ${low(pair)} = ${short(wavelengths[pair])}`],
        ].forEach(([line, text], n) => put(line, near.x, near.y + n * near.step, text && { text }));
        set(before, { text: `ω${low(pair)} = ${short(base)}` });
        set(power, { text: `−${2 * pair}/${d}` });
        set(after, { text: ` = ${short(omega)}` });
        const centre = narrow ? [width - 58, 328] : [548, 252];
        const radius = narrow ? 44 : 60;
        put(dial.size(radius, colour), ...centre).turn(turned);
        const [over, up] = [Math.cos(turned), -Math.sin(turned)].map((part) => (0.84 * radius * part).toFixed(1));
        const leg = j % 2 ? `M0 0H${over}` : `M${over} 0V${up}`;
        put(parts, ...centre, { d: leg, style: { color: value < 0 ? "#2166ac" : "#b2182b" } });
        const way = j % 2 ? ["left", "right"] : ["down", "up"];
        const text = `pair ${pair}: ${way[+(value >= 0)]} ${fixed(Math.abs(value), 3)}`;
        put(pairName, centre[0], centre[1] + radius + 16, { text, style: { fill: colour } });
      };
    },
  });
})();
