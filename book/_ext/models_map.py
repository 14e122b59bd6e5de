"""The map of released models: base against length, with the line of the rule of the base."""

from html import escape

from docutils import nodes
from figures import drawing
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.transforms import Bbox
from models_facts import all_read, first_below, follows
from sphinx.util.docutils import SphinxDirective

from posenc import draw, scaling
from posenc import frequencies as omega
from posenc.numeric import grouped

LENGTHS, BASES = (2**10, 2**21), (10**3.6, 10**8)  # the ends of the axes
SIDES = ((9, 0, "left", "center"), (-9, 0, "right", "center"), (0, 8, "center", "bottom"), (0, -8, "center", "top"))


def points():
    """(name, length, base, trained?, suffices?) of each model whose whole head turns, by layers that look furthest.

    Left out are models of which no length is known that goes with their base: a rule, and no trained length.
    """
    found = []
    for model, layers in all_read():
        turning = [layer for layer in layers.values() if layer.base]
        if not turning or turning[-1].window or turning[-1].why:
            continue  # the layers that look furthest come last, and here they do not turn as the file says
        layer = turning[-1]
        trained = model.get("trained", layer.trained)
        facts = follows(layer)
        if facts.always or (layer.rule != "none" and not trained):
            continue
        length = trained or layer.context
        suffices = first_below(facts.first, length) is None
        found.append((model["name"], length, layer.base, bool(trained), suffices))
    return found


def needed(width):
    """The line of the rule of the base: lengths and bases, for bases from the least of the axis up."""
    bases = [BASES[0] * (BASES[1] / BASES[0]) ** (step / 22) for step in range(23)]
    reached = [scaling.kept_to(omega.geometric(width, base), LENGTHS[1]) for base in bases]
    kept = [(length, base) for length, base in zip(reached, bases, strict=True) if length < LENGTHS[1]]
    return zip(*kept, strict=True)


def name(ax, dots):
    """Write its name beside each dot that has room on one of four sides, the trained ones first."""
    size = FigureCanvasAgg(ax.figure).get_renderer()
    marks = ax.transData.transform([(length, base) for _, length, base, *_ in dots])
    taken = [Bbox.from_extents(x - 7, y - 7, x + 7, y + 7) for x, y in marks]
    for line in ax.lines[:2]:  # pieces of the two lines are in the way, too
        path = ax.transData.transform_path(line.get_path()).interpolated(12)
        taken += [Bbox.from_extents(x - 2, y - 2, x + 2, y + 2) for x, y in path.vertices]
    for words, length, base, *_ in sorted(dots, key=lambda dot: not dot[3]):
        for x, y, across, up in SIDES:
            text = ax.annotate(words, (length, base), (x, y), textcoords="offset points", ha=across, va=up)
            box = text.get_window_extent(size)
            if ax.bbox.x0 < box.x0 and box.x1 < ax.bbox.x1 + 40 and not any(box.overlaps(b) for b in taken):
                taken.append(box)
                break
            text.remove()


def picture(dots, words):
    """The map as a picture of posenc.draw."""
    fig, ax = draw.axes(height=5.6)
    ax.set(xscale="log", yscale="log", xlim=LENGTHS, ylim=BASES, xlabel="length, tokens", ylabel="base b")
    ax.set_xticks([2**n for n in (12, 15, 18)], [grouped(2**n) for n in (12, 15, 18)])
    ax.minorticks_off()
    for width, style in ((128, "-"), (64, "--")):
        ax.plot(*needed(width), style, color=draw.RED, label=f"for heads {width} wide")
    for trained, fill in ((True, "full"), (False, "none")):
        lengths, bases = zip(*[dot[1:3] for dot in dots if dot[3] == trained], strict=True)
        label = "before a rule" if trained else "declared"
        ax.plot(lengths, bases, "o", color=draw.PAIR, fillstyle=fill, label=label)
    ax.legend(loc="lower right", frameon=False)
    name(ax, dots)
    return draw.Picture(fig, words)._repr_mimebundle_()


class ModelsMap(SphinxDirective):
    """`{models-map}`: base against length, with the line of what a length needs."""

    def run(self):
        """A drawing in live text, with a caption."""
        dots = points()
        trained = [suffices for *_, known, suffices in dots if known]
        words = (
            f"Base against length, for {len(dots)} models whose whole head turns, in the layers that look furthest. "
            f"Filled: the length before a rule stretched it, or the trained one, where the source names it. "
            f"Open: the declared context. The rule of the base asks for a base above the line, drawn for heads 128 "
            f"and 64 wide; it wavers because the rule is not monotone. Of the {len(trained)} filled dots "
            f"{sum(trained)} have a base that suffices for that length, by itself."
        )
        opened = nodes.raw("", '<figure class="drawn" id="models-map">', format="html")
        closed = nodes.raw("", f"<figcaption>{escape(words)}</figcaption></figure>", format="html")
        return [opened, drawing(picture(dots, words), "models-map"), closed]


def setup(app):
    app.add_directive("models-map", ModelsMap)
