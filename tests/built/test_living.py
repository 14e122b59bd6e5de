"""The living figures on the built pages: driven by mouse, keyboard and touch, compared with posenc.

A figure needs a line in TRIED, with a function that computes from its state what posenc says.
"""

import math
import re

import pytest
import torch

from coursebook.content import ROOT, read_list
from coursebook.sphinx.directives.page_pictures import columns
from coursebook.sphinx.transforms import living
from coursebook.sphinx.transforms.figure_svg import by_night
from coursebook.tools.serve import over_the_wire
from coursebook.tools.weigh import SITE, still
from posenc import additive, frequencies, rotary, scaling
from posenc.draw import style
from posenc.real_lab import changes, results

FIGURES = living.FIGURES
MODELS = read_list("book/models.yml")
PHI = next(model for model in MODELS["models"] if model["name"] == "Phi-3.5-mini")
CENTRE = "box.scrollIntoView({block: 'center', behavior: 'instant'})"
f64 = torch.float64


def shift(state):
    speeds = additive.geometric(8, state["base"])
    table = additive.sinusoidal(torch.arange(64), 8, state["base"], dtype=f64)
    here, there = table[state["position"]], table[state["position"] + state["offset"]]
    return {"speeds": speeds, "here": here, "there": there, "turned": state["offset"] * speeds}


def sinusoids(state):
    base, width, p, j = (state[key] for key in ("base", "width", "position", "column"))
    speeds = additive.geometric(width, base)
    table = additive.sinusoidal(torch.arange(state["length"]), width, base, dtype=f64)
    here = {"value": table[p, j], "pair": j // 2, "speed": speeds[j // 2], "angle": p * speeds[j // 2]}
    return here | {"table": table, "wavelengths": 2 * torch.pi / speeds}


def random(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=f64)


def front_words(state):
    now, first = ([columns(places, coded) for coded in (False, True)] for places in (state["order"], [0, 1, 2]))
    changed = [(a - b[state["order"]]).abs().amax(1) for a, b in zip(now, first, strict=True)]
    return {"without": now[0], "coded": now[1], "changedWithout": changed[0], "changedCoded": changed[1]}


def turned(z, positions, omega):
    turns = rotary.turns(positions.long(), torch.tensor([omega], dtype=f64), torch.complex128)
    pair = torch.tensor([z.real, z.imag], dtype=f64)
    return torch.view_as_complex(rotary.rotate(pair.expand(len(positions), 2), turns))


GUESSES = {  # as chapter 7 has them
    "turn": turned,
    "circle": lambda z, m, omega: z + torch.exp(1j * m),
    "shrink": lambda z, m, omega: z * 0.9**m,
    "mirror": lambda z, m, omega: z + (z.conjugate() - z) * (m % 2),
}


def guesses(state):
    at, q, k = torch.arange(16, dtype=f64), complex(*state["q"]), complex(*state["k"])
    moved = {name: (guess(q, at, state["omega"]), guess(k, at, state["omega"])) for name, guess in GUESSES.items()}
    tables = {name: (q[:, None] * k.conj()).real for name, (q, k) in moved.items()}
    leaks = [(t[1:, 1:] - t[:-1, :-1]).abs().max() / t.abs().max().clamp(min=1e-9) for t in tables.values()]
    (q, k), table = moved[state["way"]], tables[state["way"]]
    m, n = state["m"], state["m"] + state["offset"]
    ends = {"movedQ": torch.view_as_real(q[m]), "movedK": torch.view_as_real(k[n])}
    return ends | {"score": table[m, n], "table": table, "leaks": torch.stack(leaks)}


def turning(state):
    """As chapter 0 has it: the query (2, 1) and the key (1, 1)."""
    m, n, omega = state["m"], state["m"] + state["offset"], state["omega"]
    q, k = (turned(z, torch.tensor([at]), omega)[0] for z, at in ((2 + 1j, m), (1 + 1j, n)))
    curve = (turned(1 + 1j, torch.arange(-15, 16), omega) * (2 - 1j)).real
    return {
        "movedQ": torch.view_as_real(q),
        "movedK": torch.view_as_real(k),
        "score": (q * k.conj()).real,
        "curve": curve,
    }


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
    vectors = {"trained": right[state["at"]], "run": now[state["at"]]}
    return vectors | {"right": right @ q, "now": now @ q, "survive": survive.double()}


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


def head(state):
    """As the kept run has it, whose numbers tests/test_real.py computes from the released weights."""
    (look,) = results.runs("look")
    waves = torch.view_as_complex(torch.tensor(look["waves"], dtype=f64).unflatten(1, (32, 2)))
    turns = torch.exp(-1j * torch.arange(16)[:, None] * changes.OMEGA)
    on = [pair for pair in range(32) if pair not in state["off"]]
    parts = (waves[state["key"]] * turns).real
    scores, first = parts[:, on].sum(1), (waves[1] * turns[15]).real[on].sum()
    shares = torch.cat([scores, first[None]]).softmax(0)
    return {"parts": parts[state["t"]], "all": parts.sum(1), "scores": scores, "before": shares[1], "first": shares[16]}


# What posenc says of a state, how far what is held is pulled, in px, and what then differs.
TRIED = {
    "counter": (counter, (100, 0), {"position"}),
    "sinusoids": (sinusoids, (60, 70), {"position", "column"}),
    "shift": (shift, (-60, -100), {"position"}),
    "front_words": (front_words, (150, 5), {"order"}),
    "guesses": (guesses, (-30, -40), {"q"}),
    "turning": (turning, (100, 4), {"m"}),
    "layouts": (layouts, (90, 5), {"at"}),
    "stretch": (stretch, (-80, 4), {"pair"}),
    "head": (head, (90, 4), {"t"}),
}


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


def reset(tab):
    tab.place.get_by_role("button", name="Reset").click()
    scroll_to(tab)


def check_room(tab, width):
    """The figure fits the room that was kept for it, and its texts can be read."""
    tab.set_viewport_size({"width": width, "height": 900})
    scroll_to(tab)
    box, play, parts, sizes = tab.place.evaluate(
        """box => {
            const play = box.querySelector('.play'), all = selector => [...play.querySelectorAll(selector)];
            const parts = all(':not(.said, .touch, .ring, g)').map(part => part.getBoundingClientRect().toJSON());
            return [box.getBoundingClientRect().toJSON(), play.getBoundingClientRect().toJSON(),
                parts.filter(part => part.right),
                all('text, span, output, button').map(part => parseFloat(getComputedStyle(part).fontSize))]; }"""
    )
    kept = FIGURES[tab.name]["room"][width < 600]
    assert box["height"] == pytest.approx(kept, abs=0.5), "the page moves when the figure comes"
    assert play["height"] > kept - 40, "more room is kept than the figure needs"
    assert min(part["left"] for part in parts) >= box["left"] - 3
    assert max(part["right"] for part in parts) <= box["right"] + 3
    assert min(sizes) >= 12


def check_narrow(tab):
    """On the narrowest phone, or at 400 %, nothing of the figure stands beside the screen."""
    sides = """box => [...box.querySelectorAll('.play :not(.said, .touch, .ring, g)')]
        .map(part => part.getBoundingClientRect()).filter(part => part.right).map(part => [part.left, part.right])"""
    for width in (360, 320):
        tab.set_viewport_size({"width": width, "height": 900})
        scroll_to(tab)
        left, right = zip(*tab.place.evaluate(sides), strict=True)
        assert 0 <= min(left) < max(right) <= width


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
    for option in tab.place.locator("option").all():
        option.locator("..").select_option(option.get_attribute("value"))
        check_values(tab)
    for switch in tab.place.locator("input[type=checkbox]").all():
        switch.click()
        check_values(tab)
    reset(tab)


def check_keys(tab):
    """Keys move everything that can be held; a reader of the screen is told so, and the values once the hand rests."""
    status = tab.place.locator("[aria-live=polite]")
    words = status.inner_text()
    tab.place.locator(".grip").first.press("ArrowLeft")
    still(tab)
    assert status.inner_text() == words, "spoken at every step"
    tab.wait_for_function("([status, words]) => status.innerText !== words", arg=[status.element_handle(), words])
    for grip in tab.place.locator(".grip").all():
        reset(tab)
        before, text = state(tab), grip.get_attribute("aria-valuetext")
        for key in ("ArrowLeft", "ArrowDown"):
            grip.press(key)
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
    tab.mouse.up()


def drag_by_finger(tab, x, y, dx, dy):
    session = tab.context.new_cdp_session(tab)
    for kind, share in (("touchStart", 0), *(("touchMove", share) for share in (0.1, 0.4, 0.7, 1)), ("touchEnd", None)):
        points = [] if share is None else [{"x": x + share * dx, "y": y + share * dy}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def check_drag(tab, drag):
    """The hand moves what it holds and no more, and not the page."""
    _, pull, keys = TRIED[tab.name]
    box = tab.place.locator(".grip").first.bounding_box()
    before, top = state(tab), tab.evaluate("scrollY")
    drag(tab, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, *pull)
    after = state(tab)
    assert {key for key in after if after[key] != before[key]} == keys
    check_values(tab)
    assert tab.evaluate("scrollY") == top, "the page scrolled away under the finger"
    reset(tab)


def check_reduced_motion(tab):
    """Where motion is unwanted nothing moves by itself."""
    tab.emulate_media(reduced_motion="reduce")
    tab.place.locator(".grip").first.press("ArrowLeft")
    assert tab.place.evaluate("box => box.getAnimations({subtree: true}).length") == 0


def check_requests(tab):
    """axe looks at the living figures in test_site.py, with their pages."""
    assert tab.problems == []
    assert [url for url in tab.requested if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_at_a_desk(visit, name):
    tab = wake(visit(address(name)), name)
    check_keys(tab)
    for width in (768, 1280):
        check_room(tab, width)
    check_controls(tab)
    check_drag(tab, drag_by_mouse)
    check_reduced_motion(tab)
    tab.emulate_media(media="print")
    assert tab.place.locator(".drawing").first.is_visible(), "on paper the still picture stands in its place"
    assert not tab.place.locator(".play").is_visible()
    check_requests(tab)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_on_a_phone(visit, name):
    tab = visit(address(name), theme="dark", width=390, has_touch=True)
    wake(tab, name)
    check_room(tab, 390)
    check_drag(tab, drag_by_finger)
    check_narrow(tab)
    check_requests(tab)


def test_without_scripts_the_still_picture_stands_there(visit):
    tab = visit(address("sinusoids"), java_script_enabled=False)
    place = tab.locator(".living[data-figure=sinusoids]")
    picture = place.locator(".drawing").first
    assert picture.is_visible()
    assert place.bounding_box()["height"] == pytest.approx(picture.bounding_box()["height"], abs=1)


def test_what_is_seen_is_what_was_computed(visit):
    tab = wake(visit(address("counter")), "counter")
    angle = "all => all.map(hand => -parseFloat(hand.style.transform.match(/rotate\\((.*)rad/)[1]))"
    for _ in range(3):
        tab.place.get_by_role("button", name="Step").click()
        expected = counter(state(tab))
        assert tab.place.locator(".bit text").all_text_contents() == [f"{bit:.0f}" for bit in expected["bits"]]
        drawn = torch.tensor(tab.place.locator(".hand").evaluate_all(angle), dtype=f64)
        assert (drawn - expected["angles"]).abs().max() < 1e-3, "a style keeps six digits"


def test_a_pair_of_the_head_is_switched_by_key_and_by_press(visit):
    tab = wake(visit(address("head")), "head")
    bars = tab.place.locator(".grip").nth(1)
    ways = [lambda: bars.press("Space"), lambda: bars.press("Enter"), lambda: bars.click(position={"x": 8, "y": 30})]
    for switch, off in zip(ways, ([25], [], [0]), strict=True):
        switch()
        assert state(tab)["off"] == off
        check_values(tab)


def test_every_script_is_a_figure_and_none_is_heavy():
    sent = {path.name: len(over_the_wire(path)) for path in (SITE / "_static" / "living").iterdir()}
    shared = sent.pop("core.css") + sent.pop("core.js") + len(over_the_wire(SITE / "_static" / "living.js"))
    assert sent.keys() == {f"{name}.js" for name in FIGURES} == {f"{name}.js" for name in TRIED}
    assert shared <= 8_500, shared
    assert max(sent.values()) <= 6_000, sent


def test_colours_are_those_of_the_still_figures():
    sheet = (ROOT / "book" / "assets" / "living" / "core.css").read_text(encoding="utf-8")
    colours = re.findall(r"--([\w-]+): var\(--day, (#\w+)\) var\(--night, (#\w+)\);", sheet)
    light = {name: day for name, day, _ in colours}
    assert {name: night for name, _, night in colours} == {name: by_night(day) for name, day in light.items()}
    ours = {name: getattr(style, name.upper()) for name in ("token", "position", "pair", "query", "key", "faint")}
    ours |= {"pair-fast": style.FAST, "pair-slow": style.SLOW, "figure-ink": style.INK}
    assert {name: light[name] for name in ours} == ours, "core.css has the colours of posenc/draw/style.py: change both"
