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
    "08_rope_in_practice": "rotary.Rotary layouts frequencies.check frequencies.exact_device",
    "09_biases_on_scores": "bias schemes rotary.RotaryValues",
    "10_long_context": "scaling axial",
    "12_in_a_real_model": "real",
}
# Modules that a page of the book shows rather than a chapter.
PAGES = {"models": "Its page is [What models do](models.md)."}
CHAPTER = {name: chapter for chapter, names in TAUGHT.items() for name in names.split()}


def public(tree):
    """The functions and classes of a module or class, an ast node, that have a docstring and are not private."""
    nodes = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return [node for node in nodes if ast.get_docstring(node) and not node.name.startswith("_")]


def signature(node, name):
    """The signature of a function or class, an ast node, as one would call it; of a property, its name."""
    if any(ast.unparse(mark) == "property" for mark in node.decorator_list):
        return name
    function = node if isinstance(node, ast.FunctionDef) else initialiser(node)
    name = name if function is node else f"class {name}"
    result = f" -> {ast.unparse(node.returns)}" if function is node and node.returns else ""
    # Commas outside of brackets part the arguments.
    arguments = re.split(r", (?![^\[(]*[\])])", ast.unparse(function.args)) if function else []
    arguments = [part for part in arguments if part not in ("self", "")]
    line = f"{name}({', '.join(arguments)}){result}"
    return line if len(line) < 60 else f"{name}(\n    " + ",\n    ".join(arguments) + f"\n){result}"


def initialiser(node):
    """The `__init__` of a class, an ast node, or None."""
    return next((part for part in node.body if getattr(part, "name", "") == "__init__"), None)


def documentation(node):
    """A docstring in Markdown (of a class, also its initialiser's): arguments as a list. node: of ast."""
    docs = [ast.get_docstring(part) for part in (node, initialiser(node)) if part]
    lines = "\n\n".join(filter(None, docs)).splitlines()
    lines = [re.sub(r"^([a-z_]+(?:, [a-z_]+)*): ", r"- **\1**: ", line) for line in lines]
    lines = [re.sub(r"^(Raises|Returns|Source:)", r"\n\1", line) for line in lines]
    return re.sub(r"(?<!\n)\n(?=- \*\*)", "\n\n", "\n".join(lines))


def describe(module, source):
    """The Markdown of a module of posenc. module: its name, such as "rotary". source: the text of its file."""
    parts = []
    for node in public(ast.parse(source)):
        taught = PAGES.get(module, "")
        if chapter := CHAPTER.get(f"{module}.{node.name}", CHAPTER.get(module)):
            taught = f"Taught in [chapter {int(chapter[:2])}](../notebooks/{chapter}.ipynb)."
        parts += [f"### {node.name}", entry(node, node.name), taught]
        parts += [entry(method, f"{node.name}.{method.name}") for method in public(node)]
    return "\n\n".join(parts)


def entry(node, name):
    """The Markdown of an ast node: its signature under this name, and what its docstring says."""
    return f"```python\n{signature(node, name)}\n```\n\n{documentation(node)}"


def fill(app, page, source):
    """Replace each line "% api: rotary" of a page by what `describe` says of that module. source: [text], changed."""
    for line, module in re.findall(r"^(% api: (\w+))$", source[0], flags=re.MULTILINE):
        path = Path(app.srcdir, "notebooks", "posenc", f"{module}.py")
        source[0] = source[0].replace(f"{line}\n", describe(module, path.read_text(encoding="utf-8")) + "\n")
