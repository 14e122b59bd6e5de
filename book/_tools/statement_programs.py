"""Each exact statement of the notebooks as a short program of its own: SymPy and the checker, nothing else.

A slice is a call of prove, prove_by_induction or refute with `run=` and `claim=` cut, and the lines before it
that it needs, found by their names in the syntax tree. `python book/_tools/statement_programs.py [07 …]` runs them
with torch and NumPy refused, and prints every statement that is refused or gives another card than the one kept in
git.
"""

import ast
import json
import symtable
import sys
import time
from functools import cache
from pathlib import Path
from unittest import mock

VERBS = {"prove", "prove_by_induction", "refute"}
REFUSED = ("torch", "numpy", "matplotlib")
MIME = "application/vnd.posenc.result+json"
FIELDS = ("id", "kind", "title", "statement", "domain", "verdict")  # of a card, but for its run and claim
NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def cells(path):
    """The cells of a notebook, as its file has them."""
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


class _WithoutRun(ast.NodeTransformer):
    """Cuts `run=`, `claim=` and `display(…)`; an argument that served the run alone becomes None."""

    def __init__(self, unused):
        self.unused = unused

    def visit_Call(self, node):
        self.generic_visit(node)
        name = getattr(node.func, "id", "")
        if name in VERBS:
            node.keywords = [k for k in node.keywords if k.arg not in ("run", "claim")]
        if name == "display":
            single = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred)
            return node.args[0] if single else ast.Tuple(node.args, ast.Load())
        for place in self.unused.get(name, ()):
            if place < len(node.args):
                node.args[place] = ast.Constant(None)
        return node


_text = cache(ast.unparse)


@cache
def _table(node):
    return symtable.symtable(_text(node), "cell", "exec")


@cache
def _names_used(node):
    """The names that a line takes from the lines before it; a loop brings its own variable."""
    own = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)} if isinstance(node, ast.For) else set()
    return set(_global_names(_table(node))) - own


def _global_names(table):
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (table.get_type() == "module" or symbol.is_global()):
            yield symbol.get_name()
    for inner in table.get_children():
        yield from _global_names(inner)


@cache
def _names_bound(node):
    """The names that a line at the top of a cell binds or changes."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    names = {symbol.get_name() for symbol in _table(node).get_symbols() if symbol.is_assigned()}
    for part in ast.walk(node):  # x[0] = … and x.y = … change x
        if isinstance(part, (ast.Subscript, ast.Attribute)) and isinstance(part.ctx, ast.Store):
            if isinstance(part.value, ast.Name):
                names.add(part.value.id)
    return names


def slices(path):
    """Pairs of a cell's number and a program, one for each line that states something, in the book's order."""
    before, verbs, unused = [], set(VERBS), {}
    for number, cell in enumerate(cells(path)):
        tags = set(cell["metadata"].get("tags", ()))
        if cell["cell_type"] != "code" or tags & {"remove-cell", "raises-exception"}:
            continue
        for line in _lines("".join(cell["source"])):
            called = {getattr(n.func, "id", "") for n in ast.walk(line) if isinstance(n, ast.Call)}
            if called & {*verbs, "display"}:
                line = _WithoutRun(unused).visit(line)
            if isinstance(line, ast.FunctionDef):
                if called & verbs:  # a function of the notebook that states something is a verb itself
                    verbs.add(line.name)
                    used = {n.id for part in line.body for n in ast.walk(part) if isinstance(n, ast.Name)}
                    unused[line.name] = [n for n, a in enumerate(line.args.args) if a.arg not in used]
            elif called & verbs:
                yield number, _program(before, line)
            before.append(line)


def _lines(source):
    """The lines at the top of a cell; several names that are imported or assigned at once, one by one."""
    for line in ast.parse(source).body:
        if isinstance(line, ast.ImportFrom):
            yield from (ast.ImportFrom(line.module, [alias], line.level) for alias in line.names)
        elif pairs := _pairs(line):
            yield from (ast.Assign([name], value, lineno=line.lineno) for name, value in pairs)
        else:
            yield line


def _pairs(line):
    """What `a, b = x, y` assigns, in pairs, if no value uses a name of the line."""
    if not (isinstance(line, ast.Assign) and isinstance(line.value, ast.Tuple) and len(line.targets) == 1):
        return ()
    targets, values = line.targets[0], line.value
    if not isinstance(targets, ast.Tuple) or any(isinstance(e, ast.Starred) for e in targets.elts + values.elts):
        return ()
    bound, used = ({n.id for n in ast.walk(side) if isinstance(n, ast.Name)} for side in (targets, values))
    return () if bound & used else tuple(zip(targets.elts, values.elts, strict=True))


def _program(before, line):
    """The line, after those lines before it that it needs."""
    missing, needed = _names_used(line), [line]
    for earlier in reversed(before):
        bound = _names_bound(earlier)
        if bound & missing:
            # These make a name anew; what comes before them is needed for what they use alone.
            makes = isinstance(earlier, (ast.Assign, ast.FunctionDef, ast.Import, ast.ImportFrom))
            missing = (missing - bound if makes else missing) | _names_used(earlier)
            needed.append(earlier)
    return "\n".join(map(_text, _imports_together(reversed(needed))))


def _imports_together(parts):
    """What comes from one module comes on one line, the first."""
    lines, first = [], {}
    for part in parts:
        if isinstance(part, ast.ImportFrom):
            if part.module in first:
                first[part.module].names.extend(part.names)
                continue
            part = first[part.module] = ast.ImportFrom(part.module, list(part.names), part.level)
        lines.append(part)
    return lines


def run(program):
    """Execute a program in this process. Returns the cards that it makes."""
    from posenc import proof

    cards = []

    def recorded(verb):
        def record(*args, **named):
            cards.append(verb(*args, **named))
            return cards[-1]

        return record

    with mock.patch.multiple(proof, **{name: recorded(getattr(proof, name)) for name in VERBS}):
        exec(compile(program, "slice", "exec"), {"__name__": "__main__"})
    return cards


def saved_cards(path):
    """The cards in a notebook by id, each as its FIELDS."""
    outputs = [output.get("data", {}) for cell in cells(path) for output in cell.get("outputs", ())]
    return {data[MIME]["id"]: {name: data[MIME][name] for name in FIELDS} for data in outputs if MIME in data}


def refuse_imports():
    """From here on the process has no torch, no NumPy and no matplotlib."""
    sys.modules.update(dict.fromkeys(REFUSED))
    sys.path.insert(0, str(NOTEBOOKS))


def main(chosen):
    refuse_imports()
    """State each statement of the chosen notebooks again; the number of those refused or with another card."""
    stated = refused = different = 0
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        if chosen and not path.name.startswith(tuple(chosen)):
            continue
        saved = saved_cards(path)
        for number, program in slices(path):
            start = time.perf_counter()
            try:
                cards = run(program)
            except Exception as problem:
                refused += 1
                last = program.splitlines()[-1]
                print(f"REFUSED {path.stem} [{number}] {last[:70]}\n    {type(problem).__name__}: {problem}")
                continue
            stated += len(cards)
            for card in cards:
                if {name: getattr(card, name) for name in FIELDS} != saved.get(card.id):
                    different += 1
                    print(f"ANOTHER CARD {path.stem} [{number}] {card.id}")
            if (seconds := time.perf_counter() - start) > 3:
                print(f"slow: {cards[-1].id} {seconds:.1f} s")
    print(f"{stated} cards, {different} unlike those kept, {refused} refused")
    return refused + different


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
