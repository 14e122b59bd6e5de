r"""Which letters the formulas of the course use, chapter by chapter, and what the page of notation says of them.

    python book/_tools/letters.py            a table: letter by chapter, with counts
    python book/_tools/letters.py --check    what is amiss, one sentence a line

Formulas are those of the Markdown cells, of the captions, and of the cards as they are kept in the notebooks.
A sign is a letter, Latin or Greek, with its accent or its upright or bold shape: k, \bar k, \omega, \mathrm{i}.
Marks that only tell two of a kind apart do not make another sign: an index, a prime. Letters within an index
count when they number something (\omega_i), not when they name it (W_q).
"""

import json
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import nbformat
from normalise import ROOT, notebooks

NOTATION = ROOT / "book/notation.md"
CARD = "application/vnd.posenc.result+json"
MATH = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?!\$)((?:[^$\\]|\\.)+?)\$", re.DOTALL)
CODE = re.compile(r"```.*?```|``.+?``|`[^`]*`", re.DOTALL)
GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma tau "
    "phi varphi chi psi omega pi Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell"
).split()
ACCENTS = "bar|overline|tilde|hat|vec|dot|mathbf|boldsymbol|mathbb|mathcal"
SIGN = re.compile(
    rf"\\(?:{ACCENTS})\s*(?:\{{\s*\\?[A-Za-z]+\s*\}}|\s\\?[A-Za-z]|\\[A-Za-z]+)"  # \bar k, \overline{k}
    r"|\\mathrm\{[A-Za-z]\}"
    r"|\\[A-Za-z]+"
    r"|[A-Za-z]"
)
# Words within a formula, and what belongs to its layout.
WORDS = re.compile(
    r"\\(?:text|textbf|texttt|textit|operatorname\*?|mathrm)\s*\{(?![A-Za-z]\})[^{}]*\}"
    r"|\\(?:begin|end)\{[^{}]*\}(?:\{[lcr|]*\})?|\\\\(?:\[[^\]]*\])?|\\left\.|\\operatorname\s*\{[^{}]*\}"
)
NAMING = re.compile(r"(?<=[A-Za-z}])_\{?(?:q|k|v|x|p|o|R|e)\}?(?![A-Za-z0-9])")  # W_q names, \omega_i numbers


def signs(formula):
    """The signs of one formula, in order."""
    formula = re.sub(r"(?<=[Wbt])_\{?[qkvxpoRab]\}?(?![A-Za-z0-9])", " ", WORDS.sub(" ", formula))
    formula = re.sub(r"\\(?:frac|d?tfrac)\{d\}\{d\s+\w+\}|\\partial", " ", formula)
    for match in SIGN.finditer(formula):
        sign = re.sub(r"[\s{}]", "", match[0])
        accent = re.match(rf"\\({ACCENTS}|mathrm)(.+)", sign)
        if accent and accent[2].lstrip("\\") in [*GREEK, *map(chr, range(65, 91)), *map(chr, range(97, 123))]:
            name = {"overline": "bar", "boldsymbol": "mathbf"}.get(accent[1], accent[1])
            yield accent[2] if name == "mathrm" and accent[2] == "e" else f"\\{name} {accent[2]}"
        elif accent:  # a bar over several letters
            yield from signs(accent[2])
        elif sign[0] != "\\":
            yield sign
        elif sign[1:] in GREEK:
            yield sign


def formulas(text):
    """The formulas of a Markdown text."""
    for match in MATH.finditer(CODE.sub(" ", text)):
        yield match[1] or match[2]


def texts(cell):
    """What a cell shows that may hold formulas: its prose, its captions, the statements of its cards."""
    if cell.cell_type == "markdown":
        yield cell.source
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if CARD in data:
            card = data[CARD] if isinstance(data[CARD], dict) else json.loads(data[CARD])
            yield f"$${card['statement']}$$ {card['title']}. {card['domain']}"
        elif str(data.get("text/markdown", "")).startswith("**Figure"):
            yield data["text/markdown"]


def chapter(path):
    """The number of a notebook's chapter; an appendix belongs to its chapter."""
    return int(re.match(r"a?(\d+)_", Path(path).name)[1])


def used():
    """sign -> chapter -> how often, and sign -> chapter -> in how many cells."""
    often, cells = defaultdict(Counter), defaultdict(Counter)
    for path in notebooks():
        for cell in nbformat.read(path, as_version=4).cells:
            found = Counter(s for text in texts(cell) for f in formulas(text) for s in signs(f))
            for sign, count in found.items():
                often[sign][chapter(path)] += count
                cells[sign][chapter(path)] += 1
    return often, cells


if __name__ == "__main__":
    often, cells = used()
    chapters = range(11)
    for sign in sorted(often, key=lambda s: (s.strip("\\").lower(), s)):
        row = " ".join(f"{often[sign].get(c, ''):>4}" for c in chapters)
        print(f"{sign:14}{row}")
