"""The course as git has it: chapters with their cells, results, figures and exercises; lists in YAML; the pages.

No other module opens a notebook or a list. A chapter reads its file once, when it is first asked for what is in it.
"""

import ast
import importlib
import json
import re
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, pairwise
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
FIGURE, RESULT = (f"application/vnd.posenc.{kind}+json" for kind in ("figure", "result"))
HEAD = re.compile(r"^\*\*Exercise (\d+\.\d+)\.\*\* \*(\w+)(?:, on paper)?\.\*", re.MULTILINE)
MARKS = {"Predict": 2, "Derive": 2, "Repair": 3, "Implement": 4}
BETS = "book/bets.yml"  # what decides each bet, and what a wrong one means
BET = re.compile(r'^<a id="bet-([\w-]+)"></a>\n\n(\*\*[^#]+?)\n\n((?:- .+\n?)+)', re.MULTILINE)


@dataclass(frozen=True)
class Result:
    """What `prove`, `refute` or `measure` found, as its card shows it.

    kind: "proved", "refuted" or "measured". title, domain, verdict, run: Markdown. statement: TeX of what was
    checked. formula: TeX of the author's own, or None. claim: the id of the claim that it settles, or "".
    """

    id: str
    kind: str
    title: str
    statement: str
    domain: str
    verdict: str
    run: str
    claim: str
    formula: str | None = None

    @property
    def words(self):
        """Its kind, title, verdict and run, a line each."""
        return "\n".join([self.kind, self.title, self.verdict, self.run])


@dataclass(frozen=True)
class Figure:
    """A picture that a cell draws. alt: its description. caption: Markdown that begins "**Figure.**"."""

    alt: str
    caption: str


@dataclass(frozen=True)
class Output:
    """One output of a cell. text: what is printed. data: {MIME type: text or JSON} of what is displayed."""

    text: str
    data: dict

    @property
    def result(self):
        """The result that it shows, or None."""
        return Result(**self.data[RESULT]) if RESULT in self.data else None


@dataclass(frozen=True)
class Cell:
    """A cell of a notebook. kind: "markdown" or "code"."""

    id: str
    kind: str
    source: str
    tags: frozenset
    outputs: tuple = ()

    @property
    def results(self):
        """The results among its outputs, in their order."""
        return [output.result for output in self.outputs if output.result]

    @property
    def figures(self):
        """The figures among its outputs, in their order."""
        pairs = pairwise([*self.outputs, Output("", {})])  # its caption is the next output
        return [
            Figure(output.data["text/plain"], after.data.get("text/markdown", ""))
            for output, after in pairs
            if FIGURE in output.data
        ]

    @property
    def words(self):
        """What its outputs show, each once: what is printed, cards and captions, descriptions of figures."""
        kinds = ("text/markdown", "text/plain")
        shown = [[output.text, *filter(None, map(output.data.get, kinds))] for output in self.outputs]
        return "\n".join(next(filter(None, texts), "") for texts in shown)

    @property
    def shown(self):
        """The texts that its outputs show: what it prints, its cards, the captions of its figures."""
        texts = []
        for output in self.outputs:
            kinds = () if FIGURE in output.data else ("text/markdown", "text/plain")
            texts += [output.text, *(output.data[kind] for kind in kinds if kind in output.data)]
        return texts


@dataclass
class Exercise:
    """One exercise. answer: what the reader starts from; name: what the checker is handed."""

    number: str
    kind: str
    question: str
    marks: int
    solution: str
    answer: str | None = None
    checker: str | None = None
    name: str | None = None


class Forgotten(LookupError):
    """A part of an exercise that is not where it belongs; arguments: where, and what to do."""

    def __str__(self):
        return f"{' '.join(self.args)} (CONTRIBUTING.md, Exercises)"


class Slip(ValueError):
    """A bet that cannot be decided; arguments: the notebook, the bet, what to do."""

    def __str__(self):
        return "{}: bet {!r}: {} (CONTRIBUTING.md, Bets)".format(*self.args)


@dataclass(frozen=True)
class Bet:
    """A question with its answers, as its chapter asks it and as a card or a cell decides it.

    ask, answers: Markdown. right: the place of the answer that came true; authors: of the authors' bet, or None.
    means: for each answer what betting on it shows, or "". card: the id of the card that decides, or "".
    at: how the block begins that is veiled first, "" for the next one; until: the first that is not, or "".
    """

    id: str
    ask: str
    answers: tuple
    right: int
    authors: int | None
    means: tuple
    card: str = ""
    at: str = ""
    until: str = ""


@dataclass(frozen=True)
class Option:
    """An answer that a question offers. words, why: Markdown. by: the id of the result that shows why."""

    words: str
    is_right: bool
    why: str
    by: str


@dataclass(frozen=True)
class Question:
    """A question that exposes a belief. ask, belief: Markdown. seen: a public address where it came up, or ""."""

    id: str
    belief: str
    ask: str
    options: tuple
    seen: str = ""


@dataclass(frozen=True)
class Chapter:
    """A notebook of the course: a chapter NN_name, or an appendix aN_name of the chapter N."""

    path: Path

    @property
    def name(self):
        """The name of its file without the suffix, such as "03_sinusoidal"."""
        return self.path.stem

    @property
    def page(self):
        """The name of its page, such as "notebooks/03_sinusoidal"."""
        return f"notebooks/{self.name}"

    @property
    def number(self):
        """The number of the chapter; of an appendix, that of the chapter to which it belongs."""
        return int(self.name.partition("_")[0].lstrip("a"))

    @property
    def is_appendix(self):
        """Whether it is an appendix."""
        return self.name.startswith("a")

    @property
    def checks(self):
        """The name of the modules with the checkers and the answers of its exercises, such as "chapter_05"."""
        return f"chapter_{self.number:02d}"

    @cached_property
    def cells(self):
        """Its cells, in their order."""
        return [cell_of(entry) for entry in json.loads(self.path.read_text(encoding="utf-8"))["cells"]]

    @property
    def title(self):
        """Its first heading."""
        return self.cells[0].source.splitlines()[0].lstrip("# ")

    @property
    def title_in_contents(self):
        """Its title with the number that the table of contents gives it; appendices have none."""
        return self.title if self.is_appendix else f"{self.number}. {self.title}"

    @property
    def prose(self):
        """The Markdown of its cells."""
        return "\n\n".join(cell.source for cell in self.cells if cell.kind == "markdown")

    @cached_property
    def results(self):
        """{id: result}, in their order."""
        return {result.id: result for cell in self.cells for result in cell.results}

    @cached_property
    def exercises(self):
        """Its exercises, in their order. Raises Forgotten for one that lacks a part."""
        exercises, question = [], None
        for cell in self.cells:
            if head := _exercise_head(cell):
                _refuse_open(question)
                question = Exercise(head[1], head[2], cell.source[head.start() :], 0, "")
            elif question and "answer" in cell.tags:
                question.answer, question.checker, question.name = _without_check(cell.source, question.number)
            elif question and "solution" in cell.tags:
                question.solution, question.marks = cell.source, _marks(cell.source, question)
                exercises.append(question)
                question = None
        _refuse_open(question)
        return exercises

    @cached_property
    def bets(self):
        """Its bets, in their order. Raises Slip for one that is not decided."""
        cells = (cell for cell in self.cells if cell.kind == "markdown")
        return [_bet(self, *bet) for cell in cells for bet in BET.findall(cell.source)]

    @property
    def preamble(self):
        """The Markdown between the heading of its exercises and the first of them."""
        for cell in self.cells:
            if head := _exercise_head(cell):
                return re.split(r"^## .*$", cell.source[: head.start()], flags=re.MULTILINE)[-1].strip()
        return ""

    @property
    def imports(self):
        """The imports that its exercises may use, as lines of code."""
        lines = []
        for cell in self.cells:
            if cell.kind == "code" and "posenc.checks" in cell.source:
                statements = ast.parse(cell.source).body
                lines += [ast.unparse(part) for part in statements if isinstance(part, ast.Import | ast.ImportFrom)]
        return "\n".join(lines)

    def notebook(self):
        """Its file as nbformat reads it, anew for each who asks, so that it may be changed and written."""
        import nbformat  # here, since most readers need it not

        return nbformat.read(self.path, as_version=4)


def cell_of(entry):
    """The Cell of a dictionary in the notebook format."""
    outputs = tuple(
        Output("".join(output.get("text", "")), {mime: _joined(part) for mime, part in output.get("data", {}).items()})
        for output in entry.get("outputs", ())
    )
    tags = frozenset(entry["metadata"].get("tags", ()))
    return Cell(entry["id"], entry["cell_type"], "".join(entry["source"]), tags, outputs)


def _joined(part):
    """A text that the notebook format has as a list of lines, in one piece; JSON as it is."""
    return "".join(part) if isinstance(part, list) else part


def _exercise_head(cell):
    """The match of HEAD in a cell, or None."""
    return HEAD.search(cell.source) if cell.kind == "markdown" else None


def _refuse_open(question):
    """Raise Forgotten for a question whose solution has not come."""
    if question:
        raise Forgotten(f"Exercise {question.number}", "has no solution: give its cell the tag `solution`")


def _marks(solution, question):
    """The marks of an exercise: by its kind, or as the rubric of a proof has them."""
    rubric, where = re.search(r"Rubric, (\d+) marks", solution), f"Exercise {question.number}"
    if not rubric and question.kind not in MARKS:
        raise Forgotten(where, f"is none of {', '.join(MARKS)}: a proof's solution has its *Rubric, N marks.*")
    if question.kind in MARKS and not question.answer:
        raise Forgotten(where, "has no cell to fill in: give that cell the tag `answer`")
    return int(rubric[1]) if rubric else MARKS[question.kind]


def _without_check(source, number):
    """A cell to fill in without its last line, the name of the checker, and what it is handed."""
    call = ast.parse(source).body[-1]
    if not re.match(r"check\.\w+\(.+\)$", ast.unparse(call)):
        raise Forgotten(f"The cell to fill in of exercise {number}", "must end with its check.name(answer)")
    name = ast.unparse(call.value.args[0])  # a name, or several in parentheses
    return "\n".join(source.splitlines()[: call.lineno - 1]).rstrip(), call.value.func.attr, name


def _bet(chapter, id, ask, lines):
    """The Bet of a question that a chapter asks, with a line for each answer, decided as the list of bets says."""
    entry, answers = read_list(BETS).get(id), re.findall(r"^- (.+)", lines, flags=re.MULTILINE)
    if not entry or len(entry["answers"]) != len(answers) or not 2 <= len(answers) <= 5:
        raise Slip(chapter.name, id, f"{BETS} must have it, with a line for each of its two to five answers")
    by, fits = entry["by"], [answer["fits"] for answer in entry["answers"]]
    where = f"{'cell' if 'cell' in by else 'card'} {by.get('cell', by.get('card'))}"
    text, pattern = _named(chapter, by).words, by.get("count", by.get("find", r"\A(\w+)"))
    found = re.findall(pattern, text)
    if not text or not (found or "count" in by):
        raise Slip(chapter.name, id, f"{where} does not show {pattern!r}: mend it, or `by` in {BETS}")
    value = str(len(found)) if "count" in by else found[0].replace("−", "-")
    fitting = [place for place, fit in enumerate(fits) if _fits(value, fit)]
    if len(fitting) != 1:
        raise Slip(
            chapter.name, id, f"{where} shows {value!r}, which {len(fitting)} answers fit: mend `fits` in {BETS}"
        )
    theirs = entry.get("authors")
    if theirs and theirs["says"] not in " ".join(_named(chapter, theirs).source.split()):
        raise Slip(chapter.name, id, f"cell {theirs['cell']} does not say {theirs['says']!r}: mend `authors` in {BETS}")
    means = tuple(answer.get("means", "") for answer in entry["answers"])
    places = {key: entry[key] for key in ("at", "until") if key in entry}
    authors = theirs["answer"] if theirs else None
    return Bet(id, ask, tuple(answers), fitting[0], authors, means, by.get("card", ""), **places)


def authors_score():
    """How many of their own predictions the authors lost, and how many they had written down."""
    by = {"cell": "b8db49a8", "notebook": "a11_laboratory"}
    true, *lost = map(int, re.findall(r"(?:true|false|differ): (\d+)", _named(chapters()[11], by).words))
    return sum(lost), true + sum(lost)


def _named(chapter, by):
    """The cell or the card that decides a bet, of the chapter or of `notebook`; where there is none, an empty cell."""
    source = Chapter(chapter.path.with_stem(by["notebook"])) if "notebook" in by else chapter
    if "card" in by:
        return source.results.get(by["card"], Cell("", "code", "", frozenset()))
    return next((cell for cell in source.cells if cell.id == by["cell"]), Cell("", "code", "", frozenset()))


def _fits(value, fit):
    """Whether a value read from a notebook, a text, is a word, a number, or in a range [from, to]."""
    if isinstance(fit, str) or not re.fullmatch(r"-?\d+(\.\d+)?", value):
        return value == fit
    low, high = fit if isinstance(fit, list) else (fit, fit)
    return low <= float(value) <= high


def checker_for(chapter, checker):
    """A checker by its name. chapter: the name of its module, such as "chapter_05"."""
    place = f"notebooks/posenc/checks/{chapter}.py"
    if not (ROOT / place).is_file():
        raise Forgotten(place, "is missing: write the checkers there")
    judge = getattr(importlib.import_module(f"posenc.checks.{chapter}"), checker, None)
    if not hasattr(judge, "exercise"):
        raise Forgotten(place, f"has no checker {checker!r}: write it there, under @exercise")
    return judge


@cache
def notebooks():
    """All chapters by number, then all appendices."""
    found = map(Chapter, NOTEBOOKS.glob("*.ipynb"))
    return sorted(found, key=lambda chapter: (chapter.is_appendix, chapter.number, chapter.name))


def chapters():
    """{number: chapter}, without the appendices."""
    return {chapter.number: chapter for chapter in notebooks() if not chapter.is_appendix}


def with_exercises():
    """The chapters that have exercises, in their order."""
    return [chapter for chapter in chapters().values() if chapter.exercises]


def notebook(name):
    """The chapter or appendix of a name, such as "03_sinusoidal"."""
    return Chapter(NOTEBOOKS / f"{name}.ipynb")


def text_of(path):
    """The text of a page or a list. path: from the root."""
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def results():
    """{id: result} of all notebooks."""
    return {id: result for chapter in notebooks() for id, result in chapter.results.items()}


def read_list(path, texts=False):
    """What a YAML file holds. path: from the root. texts: whether numbers and dates stay texts, as ids should."""
    return yaml.load(text_of(path), yaml.BaseLoader if texts else yaml.SafeLoader)


@cache
def questions():
    """{number of a chapter: [Question, …]}. Raises ValueError unless each has one right option and an id of its own."""
    by_chapter = {
        int(chapter): [Question(**entry | {"options": tuple(map(_option, entry["options"]))}) for entry in entries]
        for chapter, entries in read_list("book/teach/quizzes.yml", texts=True).items()
    }
    ids = set()
    for question in chain.from_iterable(by_chapter.values()):
        if sum(option.is_right for option in question.options) != 1 or question.id in ids:
            raise ValueError(f"book/teach/quizzes.yml: {question.id!r} needs one right option and an id of its own")
        ids.add(question.id)
    return by_chapter


def _option(entry):
    """The Option of an entry in the list of questions."""
    kind = "right" if "right" in entry else "wrong"
    return Option(entry[kind], kind == "right", entry["why"], entry["by"])


def slides():
    """{number of a chapter: [slide, …]}, dictionaries as `book/teach/slides.yml` has them; 0 is the lecture."""
    return {int(chapter): deck for chapter, deck in read_list("book/teach/slides.yml", texts=True).items()}


@cache
def config():
    """The settings of the book, `_config.yml`."""
    return read_list("_config.yml")


def page_names():
    """The names of all pages, such as "book/notation", as the table of contents has them in `_toc.yml`."""
    contents = read_list("_toc.yml")
    names = [contents["root"]]
    for entry in (entry for part in contents["parts"] for entry in part["chapters"]):
        if "file" in entry:
            names.append(entry["file"])
        else:
            paths = sorted(ROOT.glob(f"{entry['glob']}.ipynb"))
            names += [path.relative_to(ROOT).with_suffix("").as_posix() for path in paths]
    return names
