/* The shared part of the living figures: state, drawing, controls, the book's signs, and the mathematics.

A figure is added with a line in book/living.yml, one in tests/built/test_living.py, and a classic script (modules do not
load from file://), living/<name>.js. counter.js is a short one. What it gives to `living.add`:
- start: the state, of numbers, strings, arrays; "Reset" returns to it. limit: the nearest allowed state.
- values: the mathematics, no drawing; tests compare them with posenc. sentence: what is read out once the hand rests.
- label: what a reader of the screen is told that this is. height: px of the drawing, on wide screens and on phones.
- style: rules of its own; colours are the variables of living/core.css, which hold in both themes.
- build(view): makes signs and controls once, and returns what draws a state, at most once a frame. It places everything,
  since the width changes when the window does. */
"use strict";
window.living = (() => {
  const figures = {};
  const phone = matchMedia("(max-width: 44rem)");

  // --- The mathematics -----------------------------------------------------------------------

  const range = (n) => Array.from({ length: n }, (_, i) => i);
  const clamp = (x, least, most) => Math.min(Math.max(x, least), most);
  /* ω_i = b^(−2i/d), as posenc.frequencies.geometric. */
  const frequencies = (width, base) => range(width / 2).map((i) => base ** ((-2 * i) / width));
  /* A row of the table, as posenc.additive.sinusoidal: sine and cosine of each hand in turn. */
  const row = (position, speeds) => speeds.flatMap((speed) => [Math.sin(position * speed), Math.cos(position * speed)]);
  const turn = ([x, y], angle) => [x * Math.cos(angle) - y * Math.sin(angle), x * Math.sin(angle) + y * Math.cos(angle)];
  /* The shorter way from one angle to another. */
  const between = (from, to) => Math.atan2(Math.sin(to - from), Math.cos(to - from));
  const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);

  /* A function that keeps its last result, and gives it again while its arguments stay. */
  const memoize = (compute) => {
    let [key, value] = [];
    return (...args) => {
      const now = JSON.stringify(args);
      if (now !== key) [key, value] = [now, compute(...args)];
      return value;
    };
  };

  // --- Writing -------------------------------------------------------------------------------

  /* A number with so many decimals and a true minus; none where it is rounded to 0. */
  const fixed = (x, digits = 2) => {
    const text = x.toFixed(digits);
    return text.replace("-", /[1-9]/.test(text) ? "−" : "");
  };
  /* A number as short as it can be: 10 000, 0.178, 1/8. */
  const short = (x) => {
    const size = Math.abs(x);
    if (size < 1000) return (size >= 0.001 || !size ? String(+x.toPrecision(3)) : x.toExponential(1)).replace("-", "−");
    const digits = String(Math.round(size));
    return (x < 0 ? "−" : "") + (size < 10000 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, "\u202f"));
  };

  /* A speed: 1/8 where it is one over a whole number, else its digits. */
  const ratio = (x) => {
    const under = Math.round(1 / x);
    return x < 1 && under < 100 && Math.abs(1 / x - under) < 1e-9 ? `1/${under}` : short(x);
  };

  // --- Drawing -------------------------------------------------------------------------------

  /* Give attributes, text or styles; an attribute or a text that is as it was is left alone. */
  const set = (element, attributes) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") {
        if (element.textContent !== String(value)) element.textContent = value;
      } else if (name === "style") Object.assign(element.style, value);
      else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
    }
    return element;
  };
  const make = (namespace) => (tag, attributes = {}, ...inside) => {
    const element = set(document.createElementNS(namespace, tag), attributes);
    element.append(...inside);
    return element;
  };
  const svg = make("http://www.w3.org/2000/svg");
  const html = make("http://www.w3.org/1999/xhtml");
  /* Put a sign at a place of the drawing; `at` remembers it. attributes: what else is to be set. */
  const put = (element, x, y, attributes = {}) => {
    element.at = [x, y];
    return set(element, { transform: `translate(${+x.toFixed(2)} ${+y.toFixed(2)})`, ...attributes });
  };
  const path = (points) => "M" + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");

  /* The places 0 to `last`: .span(from, to) in px, .at(place). */
  const places = (last) => {
    const scale = { x: 0, step: 1, at: (p) => scale.x + p * scale.step };
    scale.span = (from, to) => Object.assign(scale, { x: from, step: (to - from) / last });
    return scale;
  };
  /* Such places as a ruler with these numbers: .draw(edge, y). */
  const ruler = (view, last, numbers) => {
    const scale = places(last);
    const line = view.draw("path", { class: "quiet-line line" });
    const texts = numbers.map((n) => view.quiet(n));
    scale.draw = (edge, y) => {
      scale.span(edge, view.width - edge);
      const at = (p) => scale.at(p).toFixed(1);
      const ticks = range(last + 1).map((p) => `M${at(p)} ${y}v${numbers.includes(p) ? 8 : 4}`);
      set(line, { d: `M${at(0)} ${y}H${at(last)}` + ticks.join("") });
      texts.forEach((text, n) => put(text, scale.at(numbers[n]), y + 18));
    };
    return scale;
  };
  /* What paints rows of numbers, the largest of size `most`, into an <image>, if they changed. It writes a bitmap: what is
     read back from a canvas some browsers replace by noise, lest one is known again by it. */
  const painter = (image) => {
    let painted = null;
    return (rows, most = 1) => {
      if (painted === rows) return;
      painted = rows;
      const [wide, high] = [rows[0].length, rows.length];
      const head = Int32Array.of(54 + 4 * wide * high, 0, 54, 40, wide, -high, 0x200001, 0, 0, 0, 0, 0, 0);
      const bytes = [...new Uint8Array(head.buffer), ...rows.flat().flatMap((x) => [...signed((1 + x / most) / 2).reverse(), 0])];
      set(image, { href: `data:image/bmp;base64,${btoa("BM" + bytes.map((byte) => String.fromCharCode(byte)).join(""))}` });
    };
  };

  // --- Colours -------------------------------------------------------------------------------

  const RED_BLUE = [0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b, 0x67001f];
  /* The colour of (1 + x)/2 for x from −1 to 1, as three numbers from 0 to 255. */
  const signed = (share) => {
    const at = clamp(share, 0, 1) * (RED_BLUE.length - 1);
    const i = Math.min(Math.floor(at), RED_BLUE.length - 2);
    return [16, 8, 0].map((bits) => {
      const [low, high] = [RED_BLUE[i], RED_BLUE[i + 1]].map((colour) => (colour >> bits) & 255);
      return Math.round(low + (at - i) * (high - low));
    });
  };
  const rgb = (colour) => `rgb(${colour.join(" ")})`;
  /* The colour of pair i: dark is fast, light is slow. */
  const pairColour = (i, of) =>
    `color-mix(in srgb, var(--pair-slow) ${((100 * i) / Math.max(of - 1, 1)).toFixed(1)}%, var(--pair-fast))`;

  // --- The book's signs, each a group whose centre is put somewhere -----------------------------

  const label = (text = "", attributes = {}) => svg("text", { "text-anchor": "middle", dy: "0.35em", text, ...attributes });
  /* Room for a finger, and a ring that shows the keyboard's focus. */
  const frame = (name, w, h, more) => svg("rect", { class: name, x: -w / 2, y: -h / 2, width: w, height: h, ...more });
  const halo = (w, h) => [frame("touch", Math.max(w, 44), Math.max(h, 44)), frame("ring", w + 8, h + 8, { rx: 6 })];
  const sign = {
    label,
    /* A token. */
    chip(word) {
      const w = 26 + 8.5 * word.length;
      return svg("g", { class: "chip slides" }, ...halo(w, 32), frame("box", w, 32, { rx: 13 }), label(word));
    },
    /* A position: .write(number). */
    square(number = "") {
      const [touch, ring] = halo(30, 30);
      const [box, words] = [svg("rect", { class: "box", y: -14, height: 28 }), label()];
      const g = svg("g", { class: "square" }, touch, ring, box, words);
      g.write = (text) => {
        const w = Math.max(28, 12 + 8.5 * String(text).length);
        set(box, { x: -w / 2, width: w });
        set(ring, { x: -w / 2 - 5, width: w + 10 });
        set(words, { text });
        return g;
      };
      return g.write(number);
    },
    /* A pair: .turn(angle, was) in radians, counter-clockwise from the right; with `was`, the wedge from there. .size(radius, colour). */
    dial() {
      const [face, zero, wedge, was, hand, hub] = [
        svg("circle", { class: "face" }), svg("line", { class: "zero" }), svg("path", { class: "wedge" }),
        svg("line", { class: "was" }), svg("line", { class: "hand" }), svg("circle", { class: "hub" }),
      ];
      const g = svg("g", { class: "dial" }, face, wedge, zero, was, hand, hub);
      g.size = (r, tint) => {
        g.radius = r;
        set(g, { style: { color: tint } });
        set(face, { r });
        set(hub, { r: Math.max(2.5, r / 11) });
        set(zero, { x1: 0.86 * r, x2: r });
        set(was, { x2: 0.84 * r });
        set(hand, { x2: 0.84 * r });
        return g;
      };
      g.turn = (angle, before) => {
        g.angle = angle;
        set(hand, { style: { transform: `rotate(${-angle}rad)` } });
        const from = before ?? angle;
        const style = { display: before === undefined ? "none" : "", transform: `rotate(${-from}rad)` };
        for (const part of [was, wedge]) set(part, { style });
        set(wedge, { d: sector(angle - from, 0.8 * g.radius) });
        return g;
      };
      return g;
    },
    /* A bit: .size(side, colour), .write(on). */
    bit() {
      const [box, words] = [svg("rect"), label()];
      const g = svg("g", { class: "bit" }, box, words);
      g.size = (side, tint) => {
        set(g, { style: { color: tint } });
        set(box, { x: -side / 2, y: -side / 2, width: side, height: side });
        return g;
      };
      g.write = (on) => {
        g.classList.toggle("on", !!on);
        set(words, { text: on ? 1 : 0 });
        return g;
      };
      return g;
    },
    /* An arrow, "query" or "key": .point(x0, y0, x1, y1). */
    arrow(kind) {
      const [shaft, head] = [svg("line"), svg("path")];
      const g = svg("g", { class: `arrow ${kind}` }, shaft, head);
      g.point = (x1, y1, x2, y2) => {
        const long = Math.hypot(x2 - x1, y2 - y1) || 1;
        const [u, v] = [(x2 - x1) / long, (y2 - y1) / long];
        const [size, half, short] = kind === "key" ? [10, 6.5, 1] : [13, 5.5, 9];
        set(shaft, { x1, y1, x2: x2 - short * u, y2: y2 - short * v });
        const back = (side) => `${(x2 - size * u - side * half * v).toFixed(1)} ${(y2 - size * v + side * half * u).toFixed(1)}`;
        set(head, { d: `M${back(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}L${back(-1)}${kind === "query" ? "Z" : ""}` });
        return g;
      };
      return g;
    },
  };
  /* What a hand sweeps from the right, counter-clockwise; whole turns fill the face. */
  const sector = (angle, r) => {
    if (Math.abs(angle) >= 2 * Math.PI) return `M${r} 0A${r} ${r} 0 1 0 ${r} 0.01Z`;
    const tip = `${(r * Math.cos(angle)).toFixed(2)} ${(-r * Math.sin(angle)).toFixed(2)}`;
    return `M0 0H${r}A${r} ${r} 0 ${+(Math.abs(angle) > Math.PI)} ${+(angle < 0)} ${tip}Z`;
  };

  // --- What the hand holds -------------------------------------------------------------------

  /* Make a sign something to hold: with mouse, finger or pen it follows, with arrow keys it steps.
     label: its name. at(x, y, phase): where it is pulled, in px of the drawing; phase "move" or "end".
     by(dx, dy): steps of the keys, ±1, ±10 with Page Up and Down, ±Infinity with Home and End (up is dy = 1).
     now(): {value, min, max, text}, what a reader of the screen is told. pan: the direction, "x" or "y", in which
     a finger still scrolls the page. */
  const grip = (element, { label: name, at, by, now, pan }) => {
    set(element, { tabindex: 0, role: "slider", "aria-label": name });
    element.classList.add("grip");
    element.style.touchAction = pan ? `pan-${pan}` : "none";
    const place = (event) => {
      const box = element.ownerSVGElement.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    // For browsers that do not know touch-action within a drawing.
    element.addEventListener("touchstart", (event) => pan || event.preventDefault(), { passive: false });
    let grasp = null; // where the sign is held, from its centre
    element.updateAria = () => {
      const { value, min, max, text } = now();
      set(element, { "aria-valuenow": value, "aria-valuemin": min, "aria-valuemax": max, "aria-valuetext": text ?? value });
    };
    element.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      const [x, y] = place(event);
      const [left, top] = element.at ?? [x, y];
      grasp = [x - left, y - top];
      element.setPointerCapture(event.pointerId);
      element.closest(".play").classList.add("held");
      if (!element.at) at(x, y, "move");
    });
    const pull = (phase) => (event) => {
      if (!grasp) return;
      const [x, y] = place(event);
      const [dx, dy] = grasp;
      if (phase === "end") {
        grasp = null;
        element.closest(".play").classList.remove("held");
      }
      at(x - dx, y - dy, phase);
    };
    element.addEventListener("pointermove", pull("move"));
    element.addEventListener("pointerup", pull("end"));
    element.addEventListener("pointercancel", pull("end"));
    const KEYS = {
      ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
      PageUp: [0, 10], PageDown: [0, -10], Home: [-Infinity, 0], End: [Infinity, 0],
    };
    element.addEventListener("keydown", (event) => {
      if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      by(...KEYS[event.key].map((step) => (event.shiftKey ? 10 * step || 0 : step)));
    });
    return element;
  };

  /* A grip that moves state[name] along `places`, to a whole one at last. ends: of the state, the first and the last. */
  const slide = (view, element, { label: words, name, scale, ends, text = String, ...more }) => {
    const rounded = () => Math.round(view.state[name]);
    const move = (place) => view.change({ [name]: place });
    return grip(element, {
      label: words,
      pan: "y",
      at(x, y, phase) {
        const place = (x - scale.x) / scale.step;
        move(phase === "end" ? Math.round(place) : place);
      },
      by: (dx, dy) => move(clamp(rounded() + dx + dy, ...ends(view.state))),
      now() {
        const [min, max] = ends(view.state);
        return { value: rounded(), min, max, text: text(rounded()) };
      },
      ...more,
    });
  };

  // --- A figure in its place ------------------------------------------------------------------

  const begin = (place, name) => {
    const plan = figures[name];
    const picture = place.firstElementChild;
    const top = svg("g");
    const canvas = svg("svg", {}, top);
    const controls = html("div", { class: "controls" });
    const status = html("p", { class: "said", "aria-live": "polite" });
    const play = html("div", { class: `play ${name}`, role: "group", "aria-label": plan.label }, canvas, controls, status);
    const updates = []; // of what the controls show
    let state = { ...plan.start };
    let draw = null;
    let frame = 0;
    let speech = 0;
    const limit = plan.limit ?? ((wanted) => wanted);
    let width = 0; // read when it may have changed: to ask lays out the page
    let currentRow = null;

    const render = () => {
      frame = 0;
      if (!width) return; // not shown, as in print
      const values = plan.values(state);
      for (const update of updates) update(state);
      draw(state, values);
      play.querySelectorAll(".grip").forEach((element) => element.updateAria());
    };
    const view = {
      top, canvas, play,
      draw: (...parts) => top.appendChild(svg(...parts)),
      words: (text, attributes) => top.appendChild(label(text, attributes)),
      quiet: (text, attributes) => view.words(text, { class: "small quiet", ...attributes }),
      get state() { return state; },
      get narrow() { return phone.matches; },
      get width() { return width; },
      get height() { return plan.height[+phone.matches]; },
      change(more) {
        state = limit({ ...state, ...more });
        frame ||= requestAnimationFrame(render);
        clearTimeout(speech);
        speech = setTimeout(() => set(status, { text: plan.sentence(state, plan.values(state)) }), 700);
      },
      /* What is added next stands in a row of its own. */
      row() {
        currentRow = html("div", { class: "row" });
        controls.append(currentRow);
        return view;
      },
      add(element) {
        if (!currentRow) view.row();
        currentRow.append(element);
        return element;
      },
      /* A slider for state[name]: from min to max by step, or through `stops`. write: how its value is shown. */
      slider({ name, label: words, min = 0, max, step = 1, stops, write = short }) {
        const [input, output] = [html("input", { type: "range", "aria-label": words }), html("output")];
        view.add(html("label", { class: "slider" }, html("span", { text: words }), output, input));
        const bound = (value) => (typeof value === "function" ? value(state) : value);
        input.addEventListener("input", () => view.change({ [name]: stops ? stops[input.value] : +input.value }));
        updates.push((now) => {
          set(input, { min: stops ? 0 : bound(min), max: stops ? stops.length - 1 : bound(max), step: stops ? 1 : step });
          input.value = stops ? stops.indexOf(now[name]) : now[name];
          set(input, { "aria-valuetext": write(now[name]) });
          set(output, { text: write(now[name]) });
        });
      },
      /* A choice for state[name] among [value, words]. */
      select({ name, label: words, options }) {
        const input = html("select", {}, ...options.map(([value, text]) => html("option", { value, text })));
        view.add(html("label", { class: "choice" }, html("span", { text: words }), input));
        input.addEventListener("change", () => view.change({ [name]: options[input.selectedIndex][0] }));
        updates.push((now) => (input.selectedIndex = options.findIndex(([value]) => value === now[name])));
      },
      /* A switch for state[name], true or false. */
      toggle({ name, label: words }) {
        const input = html("input", { type: "checkbox" });
        view.add(html("label", { class: "choice" }, input, html("span", { text: words })));
        input.addEventListener("change", () => view.change({ [name]: input.checked }));
        updates.push((now) => (input.checked = now[name]));
      },
      button({ label: words, press }) {
        const button = html("button", { type: "button", text: words });
        button.addEventListener("click", press);
        return view.add(button);
      },
    };

    place.append(play);
    if (plan.style) document.head.append(html("style", { text: plan.style }));
    draw = plan.build(view);
    view.button({ label: "Reset", press: () => view.change(plan.start) });
    set(status, { text: plan.sentence(state, plan.values(state)) });
    Object.defineProperties(place, {
      state: { get: () => state },
      values: { get: () => plan.values(state) },
    });
    const settle = () => {
      set(canvas, { height: view.height });
      width = canvas.getBoundingClientRect().width;
      render();
    };
    picture.hidden = true;
    settle();
    new ResizeObserver(() => settle()).observe(canvas);
    place.dataset.alive = "";
  };

  return {
    add: (name, plan) => (figures[name] = plan),
    begin, range, clamp, frequencies, row, turn, between, dot, memoize, fixed, short, ratio, set, svg, put,
    path, places, ruler, painter, signed, rgb, pairColour, sign, sector, grip, slide,
  };
})();
