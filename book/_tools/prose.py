"""What prose may say: every decimal number in it is found again in what the cells near it show.

What a cell shows is its printed text, its cards and the captions of its figures; neither its source counts
nor the places of lines in a drawing. Near are the NEAR cells before and after, within the section. An
exercise may also name what the code of its solution holds.

A number is a whole number, a point and digits, as in 0.92 or −1.5; in mathematics a thin space may group its
digits. Not numbers in this sense are what names a place or an edition: exercises, sections, equations,
figures and tables ("Exercise 4.2", "sections 3.2 and 3.5"), versions ("torch 2.13", "1.0.4"), papers on
arXiv, addresses and code.
"""

import re
from decimal import Decimal

PLACES = r"exercise|section|sect\.|chapter|equation|eq\.|figure|fig\.|table|theorem|lemma|appendix|§"
EDITIONS = r"version|Python|PyTorch|torch|NumPy|SymPy|Matplotlib|matplotlib|ONNX|GPT|Llama|Qwen"
NOT_NUMBERS = re.compile(
    r"```.*?```|`[^`]*`"  # code
    r"|\]\([^)]*\)|https?://\S+"  # addresses
    r"|\barXiv[:\s]*\d{4}\.\d{4,5}"
    rf"|(?i:\b(?:{PLACES})s?|§)[\s~]*\d+(?:\.\d+)+(?:(?:\s*[,–]\s*|\s+(?:and|to|or)\s+)\d+(?:\.\d+)+)*"
    rf"|\b(?:{EDITIONS})[\s-]*\d+(?:\.\d+)+"
    r"|(?<![\w.])\d+(?:\.\d+){2,}",  # 1.0.4
    re.DOTALL,
)
SPACES = re.compile(r"(?<=\d)(?:\\[,;:! ]|\{,\}|[\u2009\u202f\u2008])(?=\d)")
NEAR = 2
FIGURE = "application/vnd.posenc.figure+json"
NUMBER = re.compile(r"(?<![\w.])([-−–]?)(\d+\.\d+)(?!\d|\.\d)")


def _decimals(text):
    """The decimal numbers of a text: pairs of (negative, value)."""
    values = set()
    for match in NUMBER.finditer(SPACES.sub("", text)):
        # A minus that touches a number, a letter or a closing bracket before it takes away; it is no sign.
        sign = bool(match[1]) and not re.search(r"[\w)\]}|]$", match.string[: match.start()])
        values.add((sign, Decimal(match[2])))
    return values


def sections(notebook):
    """The cells from one heading to the next."""
    parts = [[]]
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and re.match(r"##? ", cell.source):
            parts.append([])
        parts[-1].append(cell)
    return parts


def numbers_in_prose(cell):
    """The decimal numbers of a cell's prose."""
    return _decimals(re.sub(r"\\[A-Za-z]+", " ", NOT_NUMBERS.sub(" ", cell.source)))


def outputs_of(cell):
    """The texts that a cell shows: what it prints, its cards, the captions of its figures."""
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        yield output.get("text", "")
        if FIGURE not in data:
            yield from (data[kind] for kind in ("text/markdown", "text/plain") if kind in data)


def numbers_in(texts):
    """The decimal numbers of texts; of a negative one, its size too."""
    # What stands in a formula or in code may be joined to letters: sin0.5, 2.1e-05, x0.3.
    signed = set().union(*(_decimals(re.sub(r"[A-Za-z_]+", " ", text)) for text in texts))
    return signed | {(False, value) for _, value in signed}


def compared(notebook):
    """Of each cell of prose with decimal numbers: the numbers, and those that the cells near it show."""
    for cells in sections(notebook):
        for place, cell in enumerate(cells):
            claimed = numbers_in_prose(cell) if cell.cell_type == "markdown" else set()
            if claimed:
                near = cells[max(0, place - NEAR) : place + NEAR + 1]
                shown = numbers_in(text for other in near for text in outputs_of(other))
                solution = cells[place + 1 : place + 3] if cell.source.startswith("**Exercise") else []
                yield claimed, shown | numbers_in(code.source for code in solution)


def not_found_again(notebook):
    """The decimal numbers of the prose that no cell near them shows, as text."""
    missing = set().union(*(claimed - shown for claimed, shown in compared(notebook)))
    return sorted(f"{'−' if negative else ''}{value}" for negative, value in missing)


IMAGE = re.compile(
    r"!\["  # of Markdown
    r"|<\s*(?:img|svg|picture|object|embed|iframe|video|canvas)\b"  # of HTML
    r"|data:\s*(?:image|text|application|audio|video)/",
    re.IGNORECASE,
)


def images(notebook):
    """Beginnings of the Markdown cells that hold a picture, in whatever way."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    return [cell.source[:60] for cell in cells if cell.get("attachments") or IMAGE.search(cell.source)]


SWITCH = re.compile(r"#[#\s]*(?:NBVAL|PYTEST_VALIDATE)", re.I)


def switches(notebook):
    """Beginnings of the cells with a comment that might switch a comparison off."""
    return [cell.source[:60] for cell in notebook.cells if SWITCH.search(cell.source)]
