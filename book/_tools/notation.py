r"""Which letters the formulas of the course use, chapter by chapter, and what the page of notation says of them.

    python book/_tools/notation.py            a table: letter by chapter, with counts, and what it means
    python book/_tools/notation.py --check    what is amiss, one sentence a line

Formulas are those of the Markdown cells, of the captions, and of the cards as they are kept in the notebooks.
A sign is a letter, Latin or Greek, with its accent or its upright or bold shape: k, \bar k, \omega, \mathrm{i}.
Marks that only tell two of a kind apart do not make another sign: an index, a prime. Letters within an index
count when they number something (\omega_i), not when they name it (W_q) or its axis (p_x). A bracket that tells
what papers write is not counted. "(chapter 10 only)" in a row of the page of notation confines its letter.
"""

import functools
import re
import sys
from collections import Counter, defaultdict

import nbformat
from normalise import ROOT, notebooks, number

NOTATION = ROOT / "book/notation.md"
CARD = "application/vnd.posenc.result+json"
MATH = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?!\$)((?:[^$\\]|\\.)+?)\$", re.DOTALL)
CODE = re.compile(r"```.*?```|``.+?``|`[^`]*`", re.DOTALL)
GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma tau "
    "phi varphi chi psi omega pi Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell"
).split()
ACCENTS = "bar|overline|tilde|hat|vec|mathbf|boldsymbol|mathbb|mathcal"
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
# An index of several letters, or one that names a matrix, a vector or an axis, numbers nothing.
NAMING = re.compile(r"_\{?(?:[A-Za-z]{2,}|[xy]|(?<=[Wt]_)[qkvpoRab]|(?<=[Wt]_\{)[qkvpoRab])\}?(?![A-Za-z0-9])")
# What papers write, told in a bracket.
TOLD = re.compile(r"\((?:[Pp]apers\b|the paper's|written) [^()]*\)")
SAME = {r"\phi": r"\varphi", r"\epsilon": r"\varepsilon", r"\mathbb I": "I"}


def signs(formula):
    """The signs of one formula, in order."""
    for match in SIGN.finditer(NAMING.sub(" ", WORDS.sub(" ", formula))):
        sign = re.sub(r"[\s{}]", "", match[0])
        accented = re.match(rf"\\({ACCENTS}|mathrm)(.+)", sign)
        if accented and (len(accented[2]) == 1 or accented[2][1:] in GREEK):
            accent = {"overline": "bar", "boldsymbol": "mathbf"}.get(accented[1], accented[1])
            sign = accented[2] if (accent, accented[2]) == ("mathrm", "e") else rf"\{accent} {accented[2]}"
            yield SAME.get(sign, sign)
        elif accented:  # a bar over several letters
            yield from signs(" ".join(accented[2]))
        elif sign[0] != "\\" or sign[1:] in GREEK:
            yield SAME.get(sign, sign)


def formulas(text):
    """The formulas of a Markdown text."""
    for match in MATH.finditer(TOLD.sub(" ", CODE.sub(" ", text))):
        yield match[1] or match[2]


def texts(cell):
    """What a cell shows that may hold formulas: its prose, its captions, the statements of its cards."""
    if cell.cell_type == "markdown":
        yield cell.source
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if CARD in data:
            card = data[CARD]
            yield f"$${card['statement']}$$ {card['title']}. {card['domain']}"
        elif str(data.get("text/markdown", "")).startswith("**Figure"):
            yield data["text/markdown"]


@functools.cache
def cells_of(path):
    """The cells of a notebook."""
    return nbformat.read(path, as_version=4).cells


@functools.cache
def used():
    """sign -> chapter -> how often, and sign -> chapter -> in how many cells that are no exercise."""
    often, cells = defaultdict(Counter), defaultdict(Counter)
    for path in notebooks():
        for cell in cells_of(path):
            found = Counter(s for text in texts(cell) for f in formulas(text) for s in signs(f))
            local = cell.source.startswith(("**Exercise", "<details"))
            for sign, count in found.items():
                often[sign][number(path)] += count
                cells[sign].update([] if local else [number(path)])
    return often, cells


def stated():
    """The page of notation: the signs that its tables define, in order, with their rows, and its free letters."""
    page = NOTATION.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\$.*?) \| (.*?) \|", page.split("## Doors")[0], re.MULTILINE)
    defined = []
    for column, meaning in rows:
        for part in (part for formula in formulas(column) for part in re.split(r",\s*", formula)):
            found = re.fullmatch(rf"({SIGN.pattern})(?:_\{{?\w+\}}?)?(?:\(.*\))?\s*(?:=.*)?", part.strip())
            defined += [(sign, meaning) for sign in signs(found[1])] if found else []
    free = re.search(r"^Free letters are (.*?):", page, re.MULTILINE | re.DOTALL)[1]
    return defined, [sign for formula in formulas(free) for sign in signs(formula)]


# What has stood for a second thing: a pattern in a formula, what is wrong, what to write.
SECOND_MEANINGS = [
    (
        r"\bp \+ k\b|\+ k\b(?!\^|_|\\|,|\))|R_k\b|\bp - q\b|\bq - p\b",
        "k or q as an offset or a position",
        r"\Delta, m and n",
    ),
    (r"\bh = d/2|\b2h\b|\bi \+ h\b", "h for the number of pairs", "d/2"),
    (r"\\theta_\{?i\b", "θ as a frequency", r"\omega_i (one sentence a chapter may name the papers' \theta_i)"),
    (r"[a-zA-Z)}]\^\{?(?:\*|\\ast|\\star)", "a star for the conjugate", r"\bar k or \overline{…}"),
    (r"(?<![a-zA-Z\\{])s(?:\(|_|\{\\left)", "s for something else than the stretch factor", "another letter"),
    (r"\\pi(?:\(|_|\{\\left)", "π for a permutation", r"\sigma"),
    (r"\\psi(?:\(|\{\\left)", "ψ for a function", "f or g"),
    (r"(?<![a-zA-Z\\{])w_\{?\d", "w for a number in a matrix", "a or c; w is a weight of attention"),
    (r"(?<![a-zA-Z\\{])e_", "e for a unit vector", "the unit vector in words; e is Euler's number"),
    (r"\bx \+ (?:\\mathrm\{i\} ?)?y\b|\\Delta ?[xy]\b", "x or y as a coordinate", r"z_0, z_1; p_x, p_y; \Delta_x"),
    (r"\\(?:phi|epsilon)(?![a-zA-Z])", "another shape of a letter", r"\varphi, \varepsilon"),
]
PAPERS = re.compile(r"papers?\b[^.]*\bwrite", re.IGNORECASE)


def pages():
    """Every text with formulas: (where it stands, its chapter or None, the text)."""
    for path in notebooks():
        for cell in cells_of(path):
            for text in texts(cell):
                yield path.stem, number(path), text
    book = ROOT / "book"
    for path in [*book.glob("*.md"), *book.glob("teach/*.md"), *book.glob("teach/*.yml")]:
        if path != NOTATION:
            for paragraph in path.read_text(encoding="utf-8").split("\n\n"):
                yield path.name, None, paragraph


def unknown(used_in, defined, free):
    """Letters of more than one chapter that the page of notation does not have."""
    known = {re.sub(r"\\(?:bar|tilde) ", "", sign) for sign in [*defined, *free]} | set(defined)
    for sign, chapters in sorted(used_in.items()):
        if len(chapters) > 1 and sign not in known and re.sub(r"\\(?:bar|tilde) ", "", sign) not in known:
            where = " and ".join(map(str, sorted(chapters)))
            yield (f"{sign} is used in the chapters {where}, and book/notation.md does not have it: give it a row "
                   "there, or take a letter that has one.")  # fmt: skip


def astray(used_in, rows):
    """Letters outside of the chapters to which their row confines them."""
    for sign, meaning in rows:
        if only := re.search(r"\(chapters? ([\d, and]+) only\)", meaning):
            for chapter in sorted(set(used_in.get(sign, ())) - set(map(int, re.findall(r"\d+", only[1])))):
                yield f"{sign} is used in chapter {chapter}, and book/notation.md keeps it for chapter {only[1]}."


def twice(defined):
    """Letters with two rows in the tables of the page of notation."""
    for sign, count in Counter(defined).items():
        if count > 1:
            yield f"{sign} has {count} rows in the tables of book/notation.md: keep one, and one meaning."


def collisions(texts_of_pages):
    """Letters that stand for a second thing, one sentence each."""
    for where, _, text in texts_of_pages:
        if PAPERS.search(text):
            continue
        for formula in formulas(text):
            for pattern, wrong, instead in SECOND_MEANINGS:
                if re.search(pattern, WORDS.sub(" ", formula)):
                    yield f"{where} has {wrong} in ${formula[:60].strip()}$: write {instead}."


def complaints():
    """What is amiss, one sentence each."""
    rows, free = stated()
    defined, (often, cells) = [sign for sign, _ in rows], used()
    return [*unknown(cells, defined, free), *astray(often, rows), *twice([*defined, *free]), *collisions(pages())]


def table():
    """Letter by chapter, with counts and the row of the page of notation: the lines of a table."""
    (rows, free), (often, _) = stated(), used()
    means = dict(rows) | dict.fromkeys(free, "free: for one section")
    yield f"{'':14}" + "".join(f"{chapter:>5}" for chapter in range(12))
    for sign in sorted(often, key=lambda sign: (sign.split()[-1].strip("\\").lower(), sign)):
        counts = "".join(f"{often[sign].get(chapter, ''):>5}" for chapter in range(12))
        yield f"{sign:14}{counts}  {means.get(sign, 'one chapter' if len(often[sign]) == 1 else 'as without its bar')}"


if __name__ == "__main__":
    print(*(complaints() if "--check" in sys.argv else table()), sep="\n")
