"""Each exact statement of the notebooks as a short program of its own: SymPy and the checker, nothing else.

A slice is a call of prove, prove_by_induction or refute with `run=` and `claim=` cut, and the lines before it
that it needs, found by their names in the syntax tree. `python -m coursebook.sphinx.run_in_page.statement_programs
[07 …]` runs them with torch and NumPy refused, and prints every statement that is refused or gives another card than
the one kept in git.
"""

import ast
import symtable
import sys
from functools import cache
from unittest import mock

from ...content import notebooks

VERBS = {"prove", "prove_by_induction", "refute"}
REFUSED = ("torch", "numpy", "matplotlib")
FIELDS = ("id", "kind", "title", "statement", "domain", "verdict")  # of a card, but for its run and claim


class _WithoutRun(ast.NodeTransformer):
    """Cuts `run=`, `claim=` and `display(…)`; an argument that served the run alone becomes None.

    unused: {name of a function of the notebook: the places of its arguments that served the run alone}.
    """

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


@cache
def _table(node):
    return symtable.symtable(ast.unparse(node), "cell", "exec")


@cache
def _names_used(node):
    """The names that a line (an ast node) takes from those before it; a loop brings its own variable."""
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
    """The names that a line at the top of a cell (an ast node) binds or changes."""
    names = {s.get_name() for s in _table(node).get_symbols() if s.is_assigned() or s.is_imported()}
    for part in ast.walk(node):  # x[0] = … and x.y = … change x
        if isinstance(part, (ast.Subscript, ast.Attribute)) and isinstance(part.ctx, ast.Store):
            names |= {getattr(part.value, "id", "")}
    return names


def slices(cells):
    """Yield pairs (cell, program), one for each line of the cells that proves or refutes."""
    before, verbs, unused = [], set(VERBS), {}
    for cell in cells:
        if cell.kind != "code" or cell.tags & {"remove-cell", "raises-exception"}:
            continue
        for line in _lines(cell.source):
            called = {getattr(n.func, "id", "") for n in ast.walk(line) if isinstance(n, ast.Call)}
            if called & {*verbs, "display"}:
                line = _WithoutRun(unused).visit(line)
            if isinstance(line, ast.FunctionDef):
                if called & verbs:  # a function of the notebook that states something is a verb itself
                    verbs.add(line.name)
                    used = {n.id for part in line.body for n in ast.walk(part) if isinstance(n, ast.Name)}
                    unused[line.name] = [n for n, a in enumerate(line.args.args) if a.arg not in used]
            elif called & verbs:
                yield cell, _program(before, line)
            before.append(line)


def _lines(source):
    """Yield the lines at the top of a cell as ast nodes; several names imported or assigned at once come one by one."""
    for line in ast.parse(source).body:
        if isinstance(line, ast.ImportFrom):
            yield from (ast.ImportFrom(line.module, [alias], line.level) for alias in line.names)
        elif pairs := _pairs(line):
            yield from (ast.Assign([name], value, lineno=line.lineno) for name, value in pairs)
        else:
            yield line


def _pairs(line):
    """The pairs (a, x), (b, y) of a line `a, b = x, y`; none if a value uses one of its names."""
    if not (isinstance(line, ast.Assign) and isinstance(line.value, ast.Tuple) and len(line.targets) == 1):
        return ()
    targets, values = line.targets[0], line.value
    if not isinstance(targets, ast.Tuple) or any(isinstance(e, ast.Starred) for e in targets.elts + values.elts):
        return ()
    bound, used = ({n.id for n in ast.walk(side) if isinstance(n, ast.Name)} for side in (targets, values))
    return () if bound & used else tuple(zip(targets.elts, values.elts, strict=True))


def _program(before, line):
    """The text of a program: a line, after those lines before it that it needs. All are ast nodes."""
    missing, needed = _names_used(line), [line]
    for earlier in reversed(before):
        bound = _names_bound(earlier)
        if bound & missing:
            # These make a name anew; what comes before them is needed for what they use alone.
            makes = isinstance(earlier, (ast.Assign, ast.FunctionDef, ast.Import, ast.ImportFrom))
            missing = (missing - bound if makes else missing) | _names_used(earlier)
            needed.append(earlier)
    return "\n".join(map(ast.unparse, _imports_together(reversed(needed))))


def _imports_together(parts):
    """These lines (ast nodes) with one import for each module, where its first stood."""
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

    def keeps_card(verb):
        return lambda *args, **named: cards.append(verb(*args, **named)) or cards[-1]

    with mock.patch.multiple(proof, **{name: keeps_card(getattr(proof, name)) for name in VERBS}):
        exec(compile(program, "slice", "exec"), {"__name__": "__main__"})
    return cards


def refuse_imports():
    """From here on the process has no torch, no NumPy and no matplotlib."""
    sys.modules.update(dict.fromkeys(REFUSED))


def main(chosen):
    """Run each statement again, without torch and NumPy, and compare its card with the saved one.

    chosen: beginnings of names of notebooks, none for all. Returns what differs, one a line, or "".
    """
    refuse_imports()
    problems = []
    for chapter in notebooks():
        if not chapter.name.startswith(tuple(chosen) or ""):
            continue
        saved = chapter.results
        for cell, program in slices(chapter.cells):
            try:
                cards = run(program)
            except Exception as problem:
                problems.append(f"{chapter.name} {cell.id} {program.splitlines()[-1][:70]}\n    {problem!r}")
                continue
            for card in cards:
                if card.id not in saved or any(getattr(card, name) != getattr(saved[card.id], name) for name in FIELDS):
                    problems.append(f"{chapter.name} {cell.id} gives another card {card.id}")
    return "\n".join(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or None)
