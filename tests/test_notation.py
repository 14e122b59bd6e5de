r"""One letter, one thing: the letters of the formulas against the tables of book/notation.md.

An accent or a prime makes no other letter, and neither does an index that names (W_q, p_x); one that numbers counts
(\omega_i). Words within a formula and a bracket that tells what papers write are left out.
"""

import re
from collections import Counter, defaultdict

from coursebook.content import ROOT, notebooks

PAGE = (ROOT / "book" / "notation.md").read_text(encoding="utf-8")
MATH = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?!\$)((?:[^$\\]|\\.)+?)\$", re.DOTALL)
GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma tau phi "
    "varphi chi psi omega pi Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell"
).split()
CODE = re.compile(r"```.*?```|``.+?``|`[^`]*`|\((?:[Pp]apers\b|the paper's|written) [^()]*\)", re.DOTALL)
WORDS = re.compile(
    r"\\(?:text|textbf|texttt|textit|operatorname\*?|mathrm)\s*\{(?![A-Za-z]\})[^{}]*\}"
    r"|\\(?:begin|end)\{[^{}]*\}(?:\{[lcr|]*\})?|_\{?(?:[A-Za-z]{2,}|[xy]|(?<=[Wt]_)[qkvpoRab]|(?<=[Wt]_\{)[qkvpoRab])\}?(?!\w)"
)


def letters(text):
    """The letters of the formulas of a text, in order."""
    for match in MATH.finditer(CODE.sub(" ", text)):
        for sign in re.findall(r"\\[A-Za-z]+|[A-Za-z]", WORDS.sub(" ", match[1] or match[2])):
            if sign[0] != "\\" or sign[1:] in GREEK:
                yield sign


def test_each_letter_has_one_row_and_keeps_to_its_chapters():
    rows = re.findall(r"^\| (\$.*?) \| (.*?) \|", PAGE.partition("## Doors")[0], re.MULTILINE)
    defined = []
    for column, meaning in rows:
        for part in ", ".join(re.findall(r"\$(.+?)\$", column)).split(", "):
            name = re.fullmatch(r"(\\?[A-Za-z]+?)(?:_\{?\w+\}?)?(?:\(.*\))?(?: = .*)?", part)
            defined += [(name[1], meaning)] if name else []
    free = re.search(r"^Free letters are (.*?):", PAGE, re.MULTILINE | re.DOTALL)[1]
    names = [letter for letter, _ in defined] + list(letters(free))
    assert [letter for letter, count in Counter(names).items() if count > 1] == [], "one letter, one row"

    chapters = defaultdict(set)
    for chapter in notebooks():
        for cell in chapter.cells:
            shown = [output.data.get("text/markdown", "") for output in cell.outputs]
            prose = [cell.source] if cell.kind == "markdown" else []
            if not cell.source.startswith(("**Exercise", "<details")):
                for letter in letters("\n\n".join(prose + shown)):
                    chapters[letter].add(chapter.number)
    known = set(names) | {letter for column, _ in rows for letter in letters(column)}
    unknown = {letter: where for letter, where in chapters.items() if len(where) > 1 and letter not in known}
    assert unknown == {}, "give it a row in book/notation.md, or take a letter that has one"
    for letter, meaning in defined:
        if only := re.search(r"\(chapters? ([\d, and]+) only\)", meaning):
            assert chapters[letter] <= set(map(int, re.findall(r"\d+", only[1]))), f"{letter} {only[0]}"
