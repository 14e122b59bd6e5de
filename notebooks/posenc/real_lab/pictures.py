"""What the long readings of chapter 12 say of the rules, as one picture: the guide shows it, too."""

from typing import Any

from posenc import draw
from posenc.real_lab import long, results

RULES = ("none", "linear", "NTK-aware", "dynamic", "by parts", "YaRN")
# By what a text outgrows the trained length, and which texts were read under each rule.
TEXTS = {1.5: ("course",), 2.0: ("course", "novel", "code"), 4.0: ("three",)}
INSIDE, END = slice(0, long.TRAINED // long.BIN), slice(-3, None)  # bins
PANELS = {"added, to 8192": (0, 1), "loss at the end": (0, 9), "what comes again": (0, 9)}  # the ends of their colours


def runs(factor: float, rule: str) -> list[dict[str, Any]]:
    """The readings under a rule, of those texts that TEXTS has for a factor."""
    kept = {(run["text"], run["factor"], run["rule"]): run for run in results.runs("long")}
    return [kept[text, factor, rule] for text in TEXTS[factor]]


def rules(*panels: str) -> draw.Picture:
    """Heatmaps, a rule in each row and a factor in each column: by default all PANELS."""
    shown = {title: PANELS[title] for title in panels or PANELS}
    tables = {title: [[_mean(title, factor, rule) for factor in TEXTS] for rule in RULES] for title in shown}
    fig, axes = draw.axes(1, len(shown), height=3.0)
    for ax, (title, limits) in zip(axes, shown.items(), strict=True):
        draw.show_matrix(ax, tables[title], signed=False, limits=limits, numbers=".1f", title=title)
        ax.set_xticks(range(len(TEXTS)), [f"× {factor:g}" for factor in TEXTS])
        ax.set_yticks(range(len(RULES)), RULES if ax is axes[0] else [""] * len(RULES))
    ends = tables["loss at the end"]
    none, yarn = ends[RULES.index("none")], ends[RULES.index("YaRN")]
    again = "; that of an excerpt that stood 1408 tokens back and comes again" if "what comes again" in shown else ""
    return draw.Picture(
        fig,
        "Compare within a column. SmolLM2 reads texts 1.5, 2 and 4 times its trained length (one text, the "
        "mean of three, one): what a rule adds to the loss of the first 8192 tokens; the loss of the last 1536"
        f"{again}. Without a rule the end costs {none[0]:.1f}, {none[1]:.1f} and {none[2]:.1f}, under YaRN "
        f"{yarn[0]:.1f}, {yarn[1]:.1f} and {yarn[2]:.1f}.",
        digits=1,
    )


def _mean(panel: str, factor: float, rule: str) -> float:
    """What a panel shows of a rule, the mean over the texts."""
    made, plain = runs(factor, rule), runs(factor, "none")
    values = {
        "added, to 8192": [
            _mean_of(run["bins"][INSIDE]) - _mean_of(other["bins"][INSIDE])
            for run, other in zip(made, plain, strict=True)
        ],
        "loss at the end": [_mean_of(run["bins"][END]) for run in made],
        "what comes again": [run["excerpts"][-1]["again"] for run in made],
    }
    return _mean_of(values[panel])


def _mean_of(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers)
