"""What a page of the built site weighs, in bytes over the wire by kind of file, and which rules of axe it breaks."""

from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe

from ..content import ROOT
from .serve import over_the_wire

SITE = ROOT / "_build" / "html"
# All rules that apply. The many boxes of a formula are hidden from readers of the screen and would take
# minutes: an empty box of the same size stands for them, and a formula's text for its MathML. Of many entries
# that are made alike, three of a section stand for all.
AXE = {"context": {"exclude": [[".katex"]]}, "options": {"resultTypes": ["violations"]}}
FLATTEN = """() => {
    const boxes = [...document.querySelectorAll(".katex-html")].map(e => [e, e.offsetWidth, e.offsetHeight]);
    for (const [e, width, height] of boxes)
        e.innerHTML = `<span style="display: inline-block; width: ${width}px; height: ${height}px"></span>`;
    for (const formula of document.querySelectorAll("math")) formula.replaceChildren(formula.textContent);
    for (const entry of document.querySelectorAll(".entry ~ .entry ~ .entry ~ .entry")) entry.remove();
}"""
KINDS = {".html": "html", ".css": "css", ".js": "js", ".woff2": "fonts"}


def scroll_to_end(tab):
    """Bring each part of a page near once."""
    tab.evaluate("scrollTo({top: 0, behavior: 'instant'})")
    still(tab)
    step = "const before = scrollY; scrollBy({top: 900, behavior: 'instant'}); return scrollY > before"
    while tab.evaluate(f"() => {{ {step} }}"):
        still(tab)  # what is near is seen once a frame, and frames are late on a busy machine


def still(tab):
    """Wait until a page, a tab of playwright, has drawn two frames, or for five seconds."""
    frames = "requestAnimationFrame(() => requestAnimationFrame(done))"
    tab.evaluate(f"new Promise(done => {{ {frames}; setTimeout(done, 5000); }})")  # a page may get no frames at all


def weights(requested, address):
    """{kind: bytes as sent} of the addresses requested, each once, that begin with `address`, our site's."""
    counts = dict.fromkeys([*KINDS.values(), "pictures", "living"], 0)
    for path in {urlsplit(url).path.lstrip("/") for url in requested if url.startswith(address)}:
        file = SITE / (path or "index.html")
        kind = "living" if path.startswith("_static/living/") else KINDS.get(file.suffix, "pictures")
        counts[kind] += len(over_the_wire(file))
    return counts


def broken_rules(tab, **options):
    """Pairs (rule of axe, HTML that breaks it) of a page. Its formulas are gone after that."""
    tab.evaluate(FLATTEN)
    violations = Axe().run(tab, context=AXE["context"], options=AXE["options"] | options).response["violations"]
    return [(rule["id"], node["html"][:150]) for rule in violations for node in rule["nodes"]]
