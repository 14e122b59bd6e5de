"""The living figures on the built pages: driven by mouse, keyboard and touch, compared with posenc.

A figure needs a line in TRIED, with a function that computes from its state what posenc says.
"""

import json
import math
import re
from types import SimpleNamespace

import living
import pages
import pytest
import torch
import yaml
from docutils import nodes
from docutils.utils import new_document
from figure_svg import by_night
from pages import ROOT
from results import Tag
from serve import over_the_wire
from weigh import SITE, still

from posenc import additive, doors, frequencies, rotary, scaling
from posenc.draw import style

FIGURES = living.FIGURES
MODELS = yaml.safe_load((ROOT / "book" / "models.yml").read_text(encoding="utf-8"))
PHI = next(model for model in MODELS["models"] if model["name"] == "Phi-3.5-mini")
CENTRE = "box.scrollIntoView({block: 'center', behavior: 'instant'})"
f64 = torch.float64


# --- what posenc says -------------------------------------------------------------------------


def shift(state):
    speeds = additive.geometric(8, state["base"])
    table = additive.sinusoidal(torch.arange(64), 8, state["base"], dtype=f64)
    here, there = table[state["position"]], table[state["position"] + state["offset"]]
    return {"speeds": speeds, "here": here, "there": there, "turned": state["offset"] * speeds}


def sinusoids(state):
    base, width, p, j = (state[key] for key in ("base", "width", "position", "column"))
    speeds = additive.geometric(width, base)
    table = additive.sinusoidal(torch.arange(state["length"]), width, base, dtype=f64)
    return {
        "table": table,
        "value": table[p, j],
        "pair": j // 2,
        "speed": speeds[j // 2],
        "angle": p * speeds[j // 2],
        "wavelengths": 2 * torch.pi / speeds,
    }


def random(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=f64)


def attention_of_chapter_1(order, coded):
    """What attention gives to the three words in an order, (3, 8)."""
    words, (query, key, value) = random(4, 8, seed=11)[order], random(3, 8, 8, seed=19) / math.sqrt(8)
    x = words + additive.sinusoidal(torch.arange(3), 8, dtype=f64) if coded else words
    return doors.attention(*(part[None, None] for part in (x @ query, x @ key, x @ value)))[0][0, 0]


def front_words(state):
    now, first = (
        [attention_of_chapter_1(places, coded) for coded in (False, True)] for places in (state["order"], [0, 1, 2])
    )
    changed = [(a - b[state["order"]]).abs().amax(1) for a, b in zip(now, first, strict=True)]
    return {"without": now[0], "coded": now[1], "changedWithout": changed[0], "changedCoded": changed[1]}


def turned(z, m, omega):
    turns = rotary.turns(m.long(), torch.tensor([omega], dtype=f64), torch.complex128)
    return torch.view_as_complex(rotary.rotate(torch.view_as_real(z), turns))


GUESSES = {  # as chapter 7 has them
    "turn": turned,
    "alone": lambda z, m, omega: z + 0 * m,
    "circle": lambda z, m, omega: z + torch.exp(1j * m),
    "stretch": lambda z, m, omega: z * (1 + m),
}


def guesses(state):
    at = torch.arange(16, dtype=f64)
    moved = {
        name: [guess(torch.complex(*torch.tensor(state[z], dtype=f64)).expand(16), at, state["omega"]) for z in "qk"]
        for name, guess in GUESSES.items()
    }
    tables = {name: (q[:, None] * k.conj()).real for name, (q, k) in moved.items()}
    leaks = [
        (scores[1:, 1:] - scores[:-1, :-1]).abs().max() / scores.abs().max().clamp(min=1e-9)
        for scores in tables.values()
    ]
    (q, k), scores = moved[state["way"]], tables[state["way"]]
    m, n = state["m"], state["m"] + state["offset"]
    return {
        "movedQ": torch.view_as_real(q[m]),
        "movedK": torch.view_as_real(k[n]),
        "score": scores[m, n],
        "table": scores,
        "leaks": torch.stack(leaks),
    }


def turning(state):
    """As chapter 0 has it: the query (2, 1) and the key (1, 1)."""

    def at(z, positions):
        turns = rotary.turns(positions, torch.tensor([state["omega"]], dtype=f64), torch.complex128)
        return rotary.rotate(torch.tensor([z], dtype=f64).expand(len(positions), 2), turns)

    m, n = torch.tensor([state["m"]]), torch.tensor([state["m"] + state["offset"]])
    q, k = at((2, 1), m)[0], at((1, 1), n)[0]
    curve = at((1, 1), torch.arange(-15, 16)) @ torch.tensor([2, 1], dtype=f64)
    return {"movedQ": q, "movedK": k, "score": q @ k, "curve": curve}


def layouts(state):
    q, k = random(8, seed=0), random(8, seed=1)
    order = rotary.permutation(8, "interleaved", state["weights"])
    q, k, at = q[order], k[order], torch.arange(16)

    def turned(layout, clockwise):
        turns = rotary.turns(at, additive.geometric(8), torch.complex128)
        return rotary.rotate(k.expand(16, 8), turns.conj() if clockwise else turns, layout)

    right = turned(state["weights"], state["trainedClockwise"])
    now = turned(state["code"], state["codeClockwise"])
    survive = ((now - right) @ q).abs() < 1e-9
    return {
        "trained": right[state["at"]],
        "run": now[state["at"]],
        "right": right @ q,
        "now": now @ q,
        "survive": survive.double(),
    }


def counter(state):
    p = torch.tensor(state["position"])
    return {"bits": additive.binary(p, 4, f64), "angles": additive.angles(p, 8, 16)}


def stretch(state):
    base, trained, factor = state["base"], state["length"], state["factor"]
    old = frequencies.geometric(96, base)
    rules = {
        "plain": old,
        "interpolated": scaling.linear(old, factor),
        "ntk": scaling.ntk(96, base, factor),
        "parts": scaling.by_parts(old, factor, trained),
        "yarn": scaling.yarn_code(96, base, factor, trained),
        "llama": scaling.llama3(old, factor, trained),
    }
    if (base, trained, factor) == (10_000, 4096, 32):
        factors = [round(c, 2) for c in PHI["config"]["rope_scaling"]["long_factor"]]  # from single precision
        rules["searched"] = old / torch.tensor(factors, dtype=f64)
    i, full = state["pair"], 2 * math.pi
    reach = torch.stack([factor * trained * rule[i] for rule in rules.values()])
    added = (reach.clamp(max=full) - (trained * old[i]).clamp(max=full)).clamp(min=0)
    return {"turns": scaling.turns_in(old, trained), "trained": trained * old[i], "reach": reach, "added": added} | {
        name: rule / old for name, rule in rules.items()
    }


# --- in a browser -----------------------------------------------------------------------------


def address(name):
    """The page of a figure, as a file."""
    return (SITE / FIGURES[name]["page"]).with_suffix(".html").as_uri()


def wake(tab, name):
    """Bring a figure to the middle of the screen and wait until it lives."""
    tab.name, tab.place = name, tab.locator(f".living[data-figure={name}]")
    tab.mouse.move(9, 9)
    # Sections that were far away get their heights, and the figure moves, while it is brought here.
    alive = f"box => {{ {CENTRE}; return 'alive' in box.dataset; }}"
    tab.wait_for_function(alive, arg=tab.place.element_handle(), polling=50)
    scroll_to(tab)
    return tab


def scroll_to(tab):
    """Bring the figure to the middle of the screen, and let its last drawing come."""
    tab.place.evaluate(f"box => {CENTRE}")
    still(tab)
    tab.place.evaluate("box => Promise.allSettled(box.getAnimations({subtree: true}).map(slide => slide.finished))")


def state(tab):
    still(tab)
    return tab.place.evaluate("box => box.state")


def check_values(tab):
    """Insist that every value which the figure shows is that of posenc, within 1e-6."""
    values = tab.place.evaluate("box => JSON.parse(JSON.stringify(box.values))")
    expected = TRIED[tab.name][0](state(tab))
    assert expected.keys() <= values.keys()
    for key, value in expected.items():
        ours = torch.as_tensor(value, dtype=f64)
        theirs = torch.tensor(values[key], dtype=f64)
        assert ours.shape == theirs.shape, key
        assert (ours - theirs).abs().max() < 1e-6, key


def wait_for_change(tab, what, before):
    """Wait until something of the figure's box is no longer as it was."""
    box = tab.place.element_handle()
    tab.wait_for_function(f"([box, before]) => {what} !== before", arg=[box, before])


def reset(tab):
    tab.place.get_by_role("button", name="Reset").click()
    scroll_to(tab)


def check_room(tab, width):
    """The figure fits the room that was kept for it, and its texts can be read."""
    tab.set_viewport_size({"width": width, "height": 900})
    scroll_to(tab)
    boxes = tab.place.evaluate(
        """box => {
            const play = box.querySelector('.play');
            const of = e => [e.getBoundingClientRect()].flatMap(b => [b.left, b.right, b.height]);
            const parts = [...play.querySelectorAll(':not(.said, .touch, .ring, g)')].map(of);
            return {box: of(box), play: of(play), parts: parts.filter(([, right]) => right)}; }"""
    )
    kept = FIGURES[tab.name]["room"][width < 600]
    assert boxes["box"][2] == pytest.approx(kept, abs=0.5), "the page moves when the figure comes"
    assert boxes["play"][2] > kept - 40, "more room is kept than the figure needs"
    left, right, _ = boxes["box"]
    assert min(part[0] for part in boxes["parts"]) >= left - 3
    assert max(part[1] for part in boxes["parts"]) <= right + 3
    sizes = tab.place.evaluate(
        """box => [...box.querySelector('.play').querySelectorAll('text, span, output, button')]
            .map(e => parseFloat(getComputedStyle(e).fontSize))"""
    )
    assert min(sizes) >= 12


def check_status(tab):
    """What has changed is said once the hand rests, not at every step."""
    status = tab.place.locator("[aria-live=polite]")
    before = status.inner_text()
    assert len(before.split()) >= 5
    tab.place.locator(".grip").first.press("ArrowLeft")
    still(tab)
    assert status.inner_text() == before, "spoken at every step"
    wait_for_change(tab, "box.querySelector('[aria-live]').innerText", before)


def check_controls(tab):
    """The values are right at every end of every slider and under every choice, and Reset goes back."""
    start = state(tab)
    check_values(tab)
    for slider in tab.place.locator("input[type=range]").all():
        for key in ("End", "Home", "PageUp"):
            slider.press(key)
            check_values(tab)
    reset(tab)
    assert state(tab) == start
    for choice in tab.place.locator("select").all():
        for words in choice.locator("option").all_inner_texts():
            choice.select_option(label=words)
            check_values(tab)
    for switch in tab.place.locator("input[type=checkbox]").all():
        switch.click()
        check_values(tab)
    reset(tab)


def check_keys(tab):
    """Keys move everything that can be held, and a reader of the screen is told."""
    for grip in tab.place.locator(".grip").all():
        reset(tab)
        before = state(tab)
        grip.focus()
        text = grip.get_attribute("aria-valuetext")
        for key in ("ArrowLeft", "ArrowDown"):
            tab.keyboard.press(key)
            check_values(tab)
        assert state(tab) != before, "the arrow keys do nothing"
        assert grip.get_attribute("aria-valuetext") != text, "a reader of the screen is told nothing"
    for key in ("PageUp", "PageDown", "Home", "End"):
        tab.keyboard.press(key)
        check_values(tab)
    reset(tab)


def drag_by_mouse(tab, x, y, dx, dy):
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x + dx / 3, y + dy / 3)
    tab.mouse.move(x + dx, y + dy)
    yield
    tab.mouse.up()
    yield


def drag_by_finger(tab, x, y, dx, dy):
    session = tab.context.new_cdp_session(tab)

    def touch(kind, *points):
        places = [{"x": a, "y": b} for a, b in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", (x, y))
    for share in (0.1, 0.4, 0.7, 1):
        touch("touchMove", (x + share * dx, y + share * dy))
    yield
    touch("touchEnd")
    yield


def check_drag(tab, by):
    """The hand moves what it holds and no more, before it lets go and after."""
    _, (dx, dy), keys, _ = TRIED[tab.name]
    box = tab.place.locator(".grip").first.bounding_box()
    before, top = state(tab), tab.evaluate("scrollY")
    for _ in by(tab, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, dx, dy):
        after = state(tab)
        assert {key for key in after if after[key] != before[key]} == keys
    check_values(tab)
    assert tab.evaluate("scrollY") == top, "the page scrolled away under the finger"
    reset(tab)


def check_reduced_motion(tab):
    """Where motion is unwanted nothing moves by itself, and Play goes step by step."""
    tab.emulate_media(reduced_motion="reduce")
    tab.place.locator(".grip").first.press("ArrowLeft")
    before = state(tab)
    assert tab.place.evaluate("box => box.getAnimations({subtree: true}).length") == 0
    button = tab.place.get_by_role("button", name="Play")
    if button.count():
        button.click()
        wait_for_change(tab, "JSON.stringify(box.state)", json.dumps(before, separators=(",", ":")))
        tab.place.get_by_role("button", name="Pause").click()
        check_values(tab)


def check_print(tab):
    """On paper the still picture stands in its place."""
    picture = tab.place.locator(".drawing").first
    assert not picture.is_visible()
    tab.emulate_media(media="print")
    assert picture.is_visible()
    assert not tab.place.locator(".play").is_visible()


def check_requests(tab):
    """axe looks at the living figures in test_site.py, with their pages."""
    assert tab.problems == []
    assert [url for url in tab.requested if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_at_a_desk(visit, name):
    tab = wake(visit(address(name)), name)
    check_status(tab)
    reset(tab)
    for width in (768, 1280):
        check_room(tab, width)
    check_controls(tab)
    check_keys(tab)
    check_drag(tab, drag_by_mouse)
    if check_drawing := TRIED[name][-1]:
        check_drawing(tab)
        reset(tab)
    check_reduced_motion(tab)
    check_print(tab)
    check_requests(tab)


@pytest.fixture(scope="module")
def phone(new_tab):
    """A tab that has the touch of a finger."""
    tab = new_tab(has_touch=True, color_scheme="dark", viewport={"width": 390, "height": 900})
    yield tab
    tab.context.close()


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_on_a_phone(phone, name):
    phone.goto(address(name))
    tab = wake(phone, name)
    check_room(tab, 390)
    check_drag(tab, drag_by_finger)
    check_requests(tab)


def test_without_scripts_the_still_picture_stands_there(new_tab):
    tab = new_tab(java_script_enabled=False)
    for name in ("sinusoids", "front_words"):
        tab.goto(address(name))
        place = tab.locator(f".living[data-figure={name}]")
        picture = place.locator(".drawing").first
        assert picture.is_visible()
        assert place.bounding_box()["height"] == pytest.approx(picture.bounding_box()["height"], abs=1)
    tab.context.close()


# --- what is seen is what was computed ----------------------------------------------------------


def check_bits_and_hands(tab):
    angle = "all => all.map(hand => -parseFloat(hand.style.transform.match(/rotate\\((.*)rad/)[1]))"
    for _ in range(3):
        tab.place.get_by_role("button", name="Step").click()
        expected = counter(state(tab))
        assert tab.place.locator(".bit text").all_text_contents() == [f"{bit:.0f}" for bit in expected["bits"]]
        drawn = torch.tensor(tab.place.locator(".hand").evaluate_all(angle), dtype=f64)
        assert (drawn - expected["angles"]).abs().max() < 1e-3, "a style keeps six digits"


def check_lines(tab):
    expected = {name: rule for name, rule in stretch(state(tab)).items() if rule.shape == (48,)}
    del expected["turns"]
    paths = "all => all.map(line => line.getAttribute('d'))"
    drawn = tab.place.locator("svg > g > .rule").evaluate_all(paths)
    lines = [line for line in drawn if line.count("L") == 47]
    assert len(lines) == len(expected) == 7
    scale = "all => Object.fromEntries(all.map(text => [text.textContent, text.at?.[1]]))"
    ticks = tab.place.locator("svg text.quiet").evaluate_all(scale)
    top, bottom = ticks["1"], ticks["1/64"]
    for line, name in zip(lines, expected, strict=True):
        heights = torch.tensor([float(y) for y in re.findall(r" ([\d.]+)", line)], dtype=f64)
        right = top - (bottom - top) * expected[name].log() / math.log(64)
        assert (heights - right).abs().max() < 0.06, name


# What posenc says of a state, how far what is held is pulled, in px, what then differs, and what else is tried.
TRIED = {
    "counter": (counter, (100, 0), {"position"}, check_bits_and_hands),
    "sinusoids": (sinusoids, (60, 70), {"position", "column"}, None),
    "shift": (shift, (-60, -100), {"position"}, None),
    "front_words": (front_words, (150, 5), {"order"}, None),
    "guesses": (guesses, (-30, -40), {"q"}, None),
    "turning": (turning, (100, 4), {"m"}, None),
    "layouts": (layouts, (90, 5), {"at"}, None),
    "stretch": (stretch, (-80, 4), {"pair"}, check_lines),
}


# --- the files --------------------------------------------------------------------------------


def test_every_script_is_a_figure_and_none_is_heavy():
    sent = {path.name: len(over_the_wire(path)) for path in (SITE / "_static" / "living").iterdir()}
    shared = sent.pop("core.css") + sent.pop("core.js") + len(over_the_wire(SITE / "_static" / "living.js"))
    assert sent.keys() == {f"{name}.js" for name in FIGURES} == {f"{name}.js" for name in TRIED}
    assert shared <= 8_500, shared
    assert max(sent.values()) <= 6_000, sent
    assert {figure["page"] for figure in FIGURES.values()} <= set(pages.listed())


def test_colours_are_those_of_the_still_figures():
    sheet = (ROOT / "book" / "assets" / "living" / "core.css").read_text(encoding="utf-8")
    colours = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\);", sheet)
    light = {name: day for name, day, _ in colours}
    assert {name: night for name, _, night in colours} == {name: by_night(day) for name, day in light.items()}
    ours = {
        "token": style.TOKEN,
        "position": style.POSITION,
        "pair": style.PAIR,
        "query": style.QUERY,
        "key": style.KEY,
        "pair-fast": style.FAST,
        "pair-slow": style.SLOW,
        "faint": style.FAINT,
        "figure-ink": style.INK,
    }
    assert {name: light[name] for name in ours} == ours, "core.css has the colours of posenc/draw/style.py: change both"


@pytest.mark.parametrize(("caption", "warnings"), [("Two of a kind", 0), ("Three", 1)])
def test_a_figure_that_is_not_there_stops_the_build(monkeypatch, caption, warnings):
    plan = {"page": "page", "figure": caption, "alive": "It *moves*.", "room": [1, 2]}
    monkeypatch.setattr(living, "FIGURES", {"shift": plan})
    warned = []
    logger = SimpleNamespace(warning=lambda words, location: warned.append(words))
    monkeypatch.setattr(living.logging, "getLogger", lambda _: logger)
    document = new_document("page")
    document.settings.env = SimpleNamespace(docname="page", app=None)
    number = nodes.inline("", "Figure 4.1 ·", classes=["figure-number"])
    words = nodes.caption("", "", number, nodes.Text(" Two of\na kind."))
    document += nodes.figure("", nodes.image(uri="a.png"), words)
    living.ComeAlive(document).run()
    assert len(warned) == warnings
    assert len(list(document.findall(Tag))) == 1 - warnings
