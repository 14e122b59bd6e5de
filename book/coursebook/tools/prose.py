"""What prose may say: each result is found again near it.

A result is a decimal, a whole number from 100 on, a per cent, or a fraction with a denominator from 10 on; years,
places, editions and code are none. It is found in what the cells of its section print or take, a decimal in what those
NEAR it print, or near a card that its cell links. A section without outputs, as one that sums up, looks in its whole
notebook; a page without cells in the cards and the notebooks that its section names. What stands nowhere is listed in
`book/given.yml`, with its origin.
"""

import itertools
import re
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from .. import content
from ..content import ROOT, notebooks, read_list

REMEDY = "let a cell of the section print it, link its card, or give its origin in book/given.yml"
# What a list copies or names, which its tests find: words of a text, the beginning of a caption.
COPIED = re.compile(r"(?m)^ *-? *(?:[A-Z][A-Z0-9]|by|cards?|code|figure|formula|quiz|id|seen|minutes|in_45):.*$")
LISTS = ["book/claims.yml", "book/explanations.yml", "book/teach/quizzes.yml", "book/teach/slides.yml"]
ADDRESSES = re.compile(r"\]\([^)]*\)|https?://\S+")
# With digits: result-base-half, vaswani2017, Qwen3-8B.
NAMES = re.compile(r"(?<![\w\\])[A-Za-z]+(?:\d*(?:-\w+)+|\d+(?![\d.]))")
CODE = r"```.*?```|`[^`]*`"
PAPER = r"\barXiv[:\s]*\d{4}\.\d{4,5}"
PLACES = r"exercise|section|sect\.|chapter|equation|eq\.|figure|fig\.|table|theorem|lemma|appendix|number|§"
SECTION, AND = r"\d+(?:\.\d+)+", r"(?:\s*[,–]\s*|\s+(?:and|to|or)\s+)"
PLACE = rf"(?i:\b(?:{PLACES})s?|§)[\s~]*{SECTION}(?:{AND}{SECTION})*"  # Exercise 4.2, sections 3.2 and 3.5
PROGRAMS = r"version|Python|PyTorch|torch|transformers|NumPy|SymPy|Matplotlib|matplotlib|ONNX|GPT|Llama|Qwen|CC BY|QTI"
EDITION = rf"\b(?:{PROGRAMS})[\s-]*\d+(?:\.\d+)*"  # torch 2.13
VERSION = r"(?<![\w.])\d+(?:\.\d+){2,}"  # 1.0.4
YEAR = r"(?<![\w.,/])(?:19\d|20[0-2])\d(?![\w/]|[.,]\d)"
NO_RESULTS = re.compile("|".join([CODE, PAPER, PLACE, EDITION, VERSION, YEAR]), re.DOTALL)
# What groups digits: a thin space, in code a line, in prose also an ordinary space.
THIN = re.compile(r"(?<=\d)(?:\\[,;:! ]|\{,\}|[\u2009\u202f\u2008_])(?=\d)")
SPACE = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
FRACTION = re.compile(r"\\[td]?frac(?:\{(\d+)\}|\s*(\d))\s*(?:\{(\d+)\}|(\d))")
NUMBER = re.compile(
    r"""(?<![\w.])
    (?P<minus>[-−–]?)
    (?P<value>\d+(?:\.\d+)?(?:e[-+]?\d{1,2})?)
    (?:(?P<below>/\d+)(?!\d|\.\d) | (?P<percent>\s?(?:\\?%|per\s+cent)))?
    (?!\d|\.\d)""",
    re.VERBOSE,
)
NEAR = 2  # cells


def numbers_in(text):
    """The numbers of a text in their order, each in one form: "-0.5", "10000", "1/16", "84%"."""
    text = re.sub(r"\\[A-Za-z]+", " ", SPACE.sub("", THIN.sub("", FRACTION.sub(r" \1\2/\3\4 ", text))))
    values = []
    for match in NUMBER.finditer(text):
        # A minus that touches a number, a letter or a closing bracket before it takes away; it is no sign.
        before = text[max(0, match.start() - 1) : match.start()]
        sign = "-" if match["minus"] and not match["below"] and not re.match(r"[\w)\]}|]", before) else ""
        plain = f"{Decimal(match['value']):f}"
        plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
        values.append(sign + plain + (match["below"] or "") + ("%" if match["percent"] else ""))
    return values


def results_in(text):
    """Those of the numbers of a prose that a cell or a source has to show."""
    numbers = numbers_in(NO_RESULTS.sub(" ", NAMES.sub(" ", ADDRESSES.sub(" ", COPIED.sub(" ", text)))))
    return [number for number in numbers if not re.fullmatch(r"-?\d{1,2}|-?\d+/\d", number)]


def numbers_shown(texts):
    """The set of the numbers in printed texts; of a negative one also the positive."""
    # What stands in a formula or in code may be joined to letters: sin0.5, x0.3.
    texts = [re.sub(r"(?<![\d.])e|e(?![-+]?\d)|[A-Za-df-z_]+", " ", THIN.sub("", text)) for text in texts]
    apart = [SPACE.sub("  ", text) for text in texts]  # "from 256 to 511 314" has three numbers
    values = {number for text in texts + apart for number in numbers_in(text)}
    return values | {number.removeprefix("-") for number in values}


def sections(cells):
    """The range of the cells before the first heading, #, ## or ###, which may be empty, then that of each section."""
    heads = [cell.kind == "markdown" and re.match(r"#{1,3} ", cell.source) for cell in cells]
    starts = [at for at, head in enumerate(heads) if head]
    return [range(*ends) for ends in itertools.pairwise([0, *starts, len(cells)])]


def numbers_taken(cell):
    """The numbers in the code of a cell, but for its comments."""
    return numbers_shown([re.sub(r"#.*", "", cell.source)]) if cell.kind == "code" else set()


def text_of(cell):
    """What a reader reads of a cell in words: Markdown, or the captions of its figures."""
    captions = "\n".join(dict.fromkeys(figure.caption for figure in cell.figures))
    return cell.source if cell.kind == "markdown" else captions


class Passage(NamedTuple):
    """A cell or a section of a page: what a reader reads, the numbers shown near it, its cards and their claims."""

    section: str
    text: str
    shown: set
    cards: set


def passages_of_notebook(cells):
    """A passage for each cell of a notebook."""
    printed, taken = [numbers_shown(cell.shown) for cell in cells], [numbers_taken(cell) for cell in cells]
    passages = []
    for section in sections(cells):
        title = text_of(cells[section.start]).partition("\n")[0].lstrip("# ") if section else ""
        silent = not any(printed[at] for at in section)  # it sums up, and looks in the whole notebook
        sources = range(len(cells)) if silent else section
        numbers = set().union(*(printed[at] | taken[at] for at in sources))
        for at in section:
            decimals = [printed[other] for other in sources if silent or abs(other - at) <= NEAR]
            if title == "Exercises":  # its solution may take them
                decimals += [taken[other] for other in section if at < other <= at + NEAR]
            shown = {number for number in numbers if "." not in number}.union(*decimals)
            cards = {name for result in cells[at].results for name in (result.id, result.claim)} - {""}
            passages.append(Passage(title, text_of(cells[at]), shown, cards))
    return passages


def passages_of_page(text, heading):
    """The sections of a page without cells, which begin at lines like `heading`; its code takes numbers."""
    starts = [0, *(match.start() for match in re.finditer(heading, text, re.MULTILINE)), len(text)]
    passages = []
    for start, end in itertools.pairwise(starts):
        part = text[start:end]
        taken = re.findall(r"(?ms)^```python\n.*?^```$", part) + COPIED.findall(part)
        passages.append(Passage(part.partition("\n")[0].strip("# -:"), part, numbers_shown(taken), set()))
    return passages


def pages():
    """{name of a page: its passages}."""
    book = {}
    for chapter in sorted(notebooks(), key=lambda chapter: chapter.name):
        book[f"{chapter.page}.ipynb"] = passages_of_notebook(chapter.cells)
    for path in [ROOT / "README.md", *sorted((ROOT / "book").rglob("*.md"))]:
        book[path.relative_to(ROOT).as_posix()] = passages_of_page(path.read_text(encoding="utf-8"), r"^##+ ")
    for name in LISTS:
        book[name] = passages_of_page(content.text_of(name), r"^(?:- | {4}[A-Z]\w*:$|\d+:$)")
    return book


def given_numbers():
    """{page: {origin: the numbers}} as book/given.yml has them."""
    listed = read_list("book/given.yml", texts=True)
    return {page: {origin: numbers_in(text) for origin, text in lines.items()} for page, lines in listed.items()}


def stands_in(number, shown):
    """Whether these numbers have this one; a per cent also as a share or without its sign, 1/100 also as 100."""
    if number.endswith("%"):
        share = number[:-1]
        return not shown.isdisjoint([number, share, *numbers_in(f"{Decimal(share) / 100:f}")])
    return number in shown or (number.startswith("1/") and number[2:] in shown)


def results_and_sources(book, given):
    """Yield (page, section, results, the numbers that they may be) for each passage that has results."""
    sources = {}
    for name, passages in book.items():
        sources[Path(name).name] = set().union(*(passage.shown for passage in passages))
        for passage in passages:
            for card in passage.cards:
                sources[card] = sources.get(card, set()) | passage.shown
    for name, passages in book.items():
        listed = {number for page in ("everywhere", name) for line in given.get(page, {}).values() for number in line}
        for section, text, shown, _ in passages:
            names = set(re.findall(r"[\w-]+(?:\.ipynb)?", text.replace("result-", ""))) & sources.keys()
            if name.endswith(".ipynb"):  # which has cells of its own
                names = {word for word in names if not word.endswith(".ipynb")}
            if (results := results_in(text)) and not text.startswith("**Figure.**"):  # a caption is shown itself
                yield name, section, results, shown.union(listed, *(sources[word] for word in names))


def unsupported(passages):
    """A line for each passage of `results_and_sources` that has results which nothing shows."""
    lines = []
    for name, section, results, shown in passages:
        missing = [number for number in results if not stands_in(number, shown)]
        lines += [f"{name}, {section!r}: {', '.join(missing)}: {REMEDY}"] if missing else []
    return lines
