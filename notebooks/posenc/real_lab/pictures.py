"""What the long readings of chapter 12 say of the rules, as one picture, which the guide shows too."""

import math

from posenc import draw
from posenc.real_lab import results

RULES = ("none", "linear", "NTK-aware", "dynamic", "by parts", "YaRN")
# For each factor the texts that were read under every rule that was tried there.
TEXTS = {1.5: ("course",), 2.0: ("course", "novel", "code"), 4.0: ("three",)}
LAST = 3  # bins


def rules() -> draw.Picture:
    """Three heatmaps, rules by factors: what a rule adds to the loss within the trained length; at the end; again."""
    readings = {(run["text"], run["factor"], run["rule"]): run for run in results.runs("long")}

    def inside(text: str, factor: float, rule: str) -> float:
        bins, plain = (readings[text, factor, name]["bins"][:16] for name in (rule, "none"))
        return (sum(bins) - sum(plain)) / 16

    def end(*reading: object) -> float:
        return sum(readings[reading]["bins"][-LAST:]) / LAST

    def again(*reading: object) -> float:
        return readings[reading]["excerpts"][3]["again"]

    def table(measure) -> list[list[float]]:
        return [[mean_over(TEXTS[factor], factor, rule, measure) for factor in TEXTS] for rule in RULES]

    def mean_over(texts, factor, rule, measure) -> float:
        if any((text, factor, rule) not in readings for text in texts):
            return math.nan
        return sum(measure(text, factor, rule) for text in texts) / len(texts)

    panels = {"added, to 8192": inside, "loss at the end": end, "what comes again": again}
    tables = {title: table(measure) for title, measure in panels.items()}
    fig, axes = draw.axes(1, 3, height=3.0)
    for ax, (title, values), high in zip(axes, tables.items(), (1, 8, 8), strict=True):
        draw.show_matrix(ax, values, signed=False, limits=(0, high), numbers=".1f", title=title)
        ax.set_xticks(range(3), [f"×{factor:g}" for factor in TEXTS])
        ax.set_yticks(range(len(RULES)), RULES if ax is axes[0] else [""] * len(RULES))
    return draw.Picture(fig, "caption", digits=1)
