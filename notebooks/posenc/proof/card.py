"""How a result looks: its words, its formula, its domain."""

import re
from dataclasses import asdict, dataclass, field

import sympy as sp
from sympy.core.function import UndefinedFunction

from .comparisons import NotProved, Run
from .domain import size_of
from .notation import as_tex, as_text
from .rewriting import entries

MIME = "application/vnd.posenc.result+json"


@dataclass(frozen=True)
class Result:
    """The card of one statement: it displays itself, and carries a JSON bundle for the page of results.

    `prove`, `prove_by_induction`, `refute` and `measure` return one.
    """

    id: str
    kind: str
    title: str
    statement: str = ""
    domain: str = ""
    verdict: str = ""
    run: str = ""
    claim: str = ""
    formula: str = ""
    plain: tuple = field(default=(), repr=False)

    def _repr_mimebundle_(self, include=None, exclude=None):
        record = asdict(self)
        del record["plain"]
        if not self.formula:
            del record["formula"]
        runs = f" **Run:** {_escaped(self.run)}" if self.run else ""
        card = [f"**{_escaped(self.title)}**"]
        card += [f"$$\n{tex}\n$$" for tex in (self.formula, self.statement) if tex]
        card += [self.domain] if self.domain else []
        verdict = self.verdict if self.kind == "refuted" else _escaped(self.verdict)  # where formulas stand
        card += [f"**{self.kind.capitalize()}** {verdict}{runs} `{self.id}`"]
        return {"text/markdown": "\n\n".join(card), "text/plain": repr(self), MIME: record}

    def __repr__(self):
        lines = [f"{self.title} [{self.id}]", *self.plain]
        return "\n".join([*lines, f"Run: {self.run}"] if self.run else lines)


def _escaped(text):
    """Markdown in which a star is a star and & is &."""
    return re.sub(r"&(?=#|\w+;)", "&amp;", text).replace("*", r"\*")


def check_id_and_title(id, title):
    """Raise ValueError unless id is words joined by hyphens and title some words of its own."""
    if not isinstance(id, str) or not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id):
        raise ValueError(f"id must be words joined by hyphens, got {id!r}: try 'shift-is-rotation'")
    if not title.strip():
        raise ValueError(f"title must say in words what {id!r} states, got an empty text: write one line")


def runs_of(id, run, kind):
    """The text of the runs that a card carries. run: a Run or a list of them. kind: "agrees" or "differs"."""
    runs = list(run) if isinstance(run, (list, tuple)) else [run]
    if not all(isinstance(r, Run) and r.kind == kind for r in runs):
        verb = {"agrees": "agree", "differs": "differ"}[kind]
        raise ValueError(f"{id}: run must be what {verb}(…) returns, got {run!r}: compare two computations of it")
    return " ".join(r.text for r in runs)


# --- formulas ---------------------------------------------------------------------------------


def _add_definitions(tex, where):
    """The TeX of a statement with its definitions, {name: expression or Lambda}, under it, three in a row."""
    if not where:
        return tex
    definitions = []
    for name, definition in where.items():
        if isinstance(name, UndefinedFunction):
            name, definition = name(*definition.variables), definition.expr
        definitions.append(f"{as_tex(name)} = {as_tex(definition)}")
    rows = [r",\quad ".join(definitions[start : start + 3]) for start in range(0, len(definitions), 3)]
    lines = [tex, r"\text{where}\quad " + rows[0], *rows[1:]]
    return r"\begin{gathered} " + r" \\[6pt] ".join(lines) + r" \end{gathered}"


def _plain(text, where):
    return text + (", where " + ", ".join(f"{n} = {as_text(v)}" for n, v in where.items()) if where else "")


def card_of(id, title, statement, how, runs, claim, chain=(), induction=(), formula=""):
    """The card of a Statement that is proved.

    how: the words after "Proved". runs: their text. chain: pairs (expression, reason), the steps from the left side to
    the right. induction: the arguments of `_induction`, whose formula then stands in place of the statement. formula:
    the statement in TeX as its author writes it, "" for as SymPy prints it.
    """
    sign, in_tex = ("=", "=") if statement.relation is sp.Eq else ("!=", r"\neq")
    plain = f"{as_text(statement.left)} {sign} {as_text(statement.right)}"
    left, right = as_tex(statement.left), as_tex(statement.right)
    tex = f"{left} {in_tex} {right}"
    if chain:
        rows = [f"&= {as_tex(e)}" + (rf" && \text{{{why}}}" if why else "") for e, why in chain]
        tex = rf"\begin{{aligned}} {left} " + r" \\[4pt] ".join(rows) + r" \end{aligned}"
    if induction:
        tex, plain = _induction(*induction)
    words = domain_words(statement, as_tex, "${}$")
    proved = f"Proved {how}".replace("$", "")
    lines = _plain(plain, statement.where), domain_words(statement, as_text, "{}"), proved
    tex = _add_definitions(tex, statement.where)
    lines = tuple(filter(None, lines))
    fields = {"statement": tex, "domain": words, "verdict": how, "run": runs, "claim": claim, "formula": formula}
    return Result(id, "proved", title, **fields, plain=lines)


def _induction(term, over, start, first, then, closed):
    shape = term.shape if isinstance(term, sp.MatrixSymbol) else ()
    standing = (sp.MatrixSymbol if shape else sp.Symbol)(f"{term.name}_{over}", *shape)

    def at(index):
        return f"{as_tex(term)}_{{{as_tex(index)}}}"

    rule = f"{at(over + 1)} = {as_tex(then.subs(term, standing))}"
    begin = f"{at(sp.Integer(start))} = {as_tex(first)},\\quad {rule}"
    end = rf"\Rightarrow\quad {at(over)} = {as_tex(closed)}"
    tex = rf"\begin{{gathered}} {begin} \\[6pt] {end} \end{{gathered}}"
    plain = f"{term}({start}) = {as_text(first)}, {term}({over} + 1) = {as_text(then)}"
    return tex, f"{plain} => {term}({over}) = {as_text(closed)}"


def refuted(id, title, statement, at, values, runs, claim):
    """The card of a Statement that fails at the point `at`. Raises NotProved for two values that look alike."""
    for digits in (4, 8, 16, 32):
        formulas = [_exact_and_decimal(value, as_tex, r"\approx", digits) for value in values]
        texts = [_exact_and_decimal(value, as_text, "=", digits) for value in values]
        if len({text.rpartition("=")[2] for text in texts}) == 2:
            break
    else:
        raise NotProved(f"the two values are shown equal, {texts[0]}: choose another point")
    left, right = as_tex(statement.left), as_tex(statement.right)
    names = {n: sp.Symbol(str(n)) if isinstance(n, UndefinedFunction) else n for n in at}
    place = ", ".join(f"{as_tex(names[n])} = {as_tex(v)}" for n, v in at.items())
    where = f"at ${place}$" if at else "here"
    how = f"not always: {where} the left side is ${formulas[0]}$, the right side ${formulas[1]}$."
    plain = [_plain(f"not always {as_text(statement.left)} = {as_text(statement.right)}", statement.where)]
    plain += ["at " + ", ".join(f"{n} = {as_text(v)}" for n, v in at.items())] if at else []
    plain += [f"{side}: {text}" for side, text in zip(("left", "right"), texts, strict=True)]
    words = domain_words(statement, as_tex, "${}$")
    words = f"Not always equal, over {words.removeprefix('For ')}" if at and words else ""
    tex = _add_definitions(rf"{left} \;\ne\; {right}", statement.where)
    plain = tuple(plain)
    return Result(id, "refuted", title, statement=tex, domain=words, verdict=how, run=runs, claim=claim, plain=plain)


def _exact_and_decimal(value, write, equals, digits):
    """A value as text by `write`; if it is not whole, then `equals` and its decimals to so many digits."""
    value = value.expand()
    if all(part.is_Integer for entry in entries(value) for part in entry.as_real_imag()):
        return write(value)
    return f"{write(value)} {equals} {write(sp.N(value, digits))}"


# --- the domain in words ----------------------------------------------------------------------


def domain_words(statement, write, quote):
    """The domain: "For all integers $m, n$." or "". write: makes a symbol's text. quote: put around it, as "${}$"."""
    domain, kinds, others = statement.domain, {}, {}
    for symbol in domain.symbols:
        kinds.setdefault(_kind(domain.kinds[symbol]), []).append(write(symbol))
    dots = r"0, \dots, " if write is as_tex else "0, …, "
    for f in sorted(domain.functions, key=lambda f: size_of(f) is None):
        size = size_of(f)
        kind = "permutation" if size is not None else _sign(domain.kinds[f]) + "function"
        kind = kind.replace("function", "differentiable function") if f in domain.differentiated else kind
        places = "" if size is None else f" of {quote.format(dots + write(size - 1))}"
        others.setdefault((kind, places), []).append(write(sp.Symbol(str(f))))
    for base in domain.bases:
        others.setdefault((_sign(domain.kinds[base]) + "sequence", ""), []).append(write(base.label))
    for matrix in domain.matrices:
        rows, columns = (write(n) for n in matrix.shape)
        times = r" \times " if write is as_tex else " × "
        kind, size = ("vector", rows) if matrix.shape[1] == 1 else ("matrix", rows + times + columns)
        others.setdefault((kind, f" of size {quote.format(size)}"), []).append(write(matrix))
    text = [f"{kind} {quote.format(', '.join(names))}" for kind, names in sorted(kinds.items(), key=_order)]
    conditions = _listed([quote.format(write(g)) for g in statement.given])
    conditions = f" with {conditions}" if conditions else ""
    phrases = [f"all {_listed(text)}{conditions}"] if kinds else []
    phrases += [f"every {kind} {quote.format(', '.join(names))}{size}" for (kind, size), names in others.items()]
    if conditions and not kinds:
        phrases.append(conditions.strip())
    return f"For {_listed(phrases)}." if phrases else ""


def _sign(assumed):
    return next((f"{name} " for name in ("positive", "real") if name in assumed), "")


def _kind(assumed):
    """The kind of a symbol in words, such as "positive integers". assumed: a set, as `domain.facts` gives it."""
    sign = next((name for name in ("positive", "nonnegative", "nonzero") if name in assumed), "")
    if "integer" in assumed:
        sign = "non-negative" if sign == "nonnegative" else sign
        return " ".join(filter(None, [sign, "even" if "even" in assumed else "", "integers"]))
    if "real" in assumed:
        return f"{sign} real".strip() if sign in ("nonzero", "") else sign
    return "nonzero complex" if sign else "complex"


def _order(item):
    return ["integers" not in item[0], "complex" not in item[0], "positive" == item[0], item[0]]


def _listed(phrases):
    *before, last = phrases or [""]
    return f"{', '.join(before)} and {last}" if before else last
