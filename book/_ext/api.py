"""The page of the package: `% api: module` in it becomes that module's functions and classes.

Names, signatures and texts are read from the source, without importing it: the page cannot say anything else
than the docstrings do.
"""

import ast
import re
from pathlib import Path

# Where each is taught: a module, or a part of one that several chapters teach. A method belongs to its class.
TAUGHT = {
    "01_order_blindness": "doors",
    "02_what_a_code_must_do": (
        "additive.index additive.normalised additive.binary additive.Index additive.Normalised "
        "additive.Binary frequencies.geometric"
    ),
    "03_sinusoidal": "additive.angles additive.sinusoidal additive.Sinusoidal frequencies.angles",
    "06_adding_and_learning": "additive.Additive additive.Learned",
    "07_rope_complex": "rotary.turns rotary.rotate",
    "08_rope_in_practice": "rotary.Rotary layouts frequencies.check",
    "09_biases_on_scores": "bias schemes rotary.RotaryValues",
    "10_long_context": "scaling axial",
}
# Modules that a page of the book shows rather than a chapter.
PAGES = {
    "models": "Its page is [What models do](models.md).",
    "real": "Its page is [Ask a released model](recipes.md#test-real).",
}
CHAPTER = {name: chapter for chapter, names in TAUGHT.items() for name in names.split()}


def public(tree):
    """The functions and classes of a module or class that the page shows."""
    kinds = ast.FunctionDef, ast.ClassDef
    defined = [node for node in tree.body if isinstance(node, kinds) and not node.name.startswith("_")]
    return [node for node in defined if ast.get_docstring(node)]


def signature(node, name):
    """The signature, as one would call it; on several lines where it is long."""
    if any(getattr(mark, "id", "") == "property" for mark in getattr(node, "decorator_list", [])):
        return name
    function, result = node, ""
    if isinstance(node, ast.ClassDef):
        name, function = f"class {name}", initialiser(node)
    elif node.returns:
        result = f" -> {ast.unparse(node.returns)}"
    # Commas outside of brackets part the arguments.
    arguments = re.split(r", (?![^\[(]*[\])])", ast.unparse(function.args)) if function else []
    arguments = [part for part in arguments if part not in ("self", "")]
    line = f"{name}({', '.join(arguments)}){result}"
    return line if len(line) < 60 else f"{name}(\n    " + ",\n    ".join(arguments) + f"\n){result}"


def initialiser(node):
    """The `__init__` of a class, if it has one."""
    return next((part for part in node.body if getattr(part, "name", "") == "__init__"), None)


def documentation(node):
    """The docstring in Markdown: a list of the arguments, paragraphs of the rest."""
    docs = [ast.get_docstring(part) for part in (node, initialiser(node)) if part]
    lines = "\n\n".join(filter(None, docs)).splitlines()
    lines = [re.sub(r"^([a-z_]+(?:, [a-z_]+)*): ", r"- **\1**: ", line) for line in lines]
    lines = [re.sub(r"^(Raises|Returns|Source:)", r"\n\1", line) for line in lines]
    return re.sub(r"(?<!\n)\n(?=- \*\*)", "\n\n", "\n".join(lines))


def describe(module, source):
    """The Markdown of a module."""
    parts = []
    for node in public(ast.parse(source)):
        taught = PAGES.get(module, "")
        if chapter := CHAPTER.get(f"{module}.{node.name}", CHAPTER.get(module)):
            taught = f"Taught in [chapter {int(chapter[:2])}](../notebooks/{chapter}.ipynb)."
        parts += [f"### {node.name}", f"```python\n{signature(node, node.name)}\n```", documentation(node), taught]
        methods = public(node) if isinstance(node, ast.ClassDef) else []
        for method in methods:
            parts += [f"```python\n{signature(method, f'{node.name}.{method.name}')}\n```", documentation(method)]
    return "\n\n".join(parts)


def fill(app, page, source):
    """Put the modules into the page that asks for them."""
    folder = Path(app.srcdir, "notebooks", "posenc")

    def module(match):
        path = folder / f"{match[1]}.py"
        app.env.note_dependency(str(path))
        return describe(match[1], path.read_text(encoding="utf-8"))

    source[0] = re.sub(r"^% api: (\w+)$", module, source[0], flags=re.MULTILINE)


def setup(app):
    app.connect("source-read", fill)
