"""The cheat sheet: formulas and code that come from the lists and the notebooks.

`{statements}` shows formulas, each line the id of the result that proves it, a short name, and TeX;
`{cell} 03_sinusoidal def sinusoidal` the code of a cell.
"""

from dataclasses import replace

from docutils import nodes

from ...content import notebook, results
from .base import FromCourse


class Statements(FromCourse):
    """`{statements}`: formulas as a person writes them, each under a name that leads to the card of its proof."""

    has_content = True

    def run(self):
        """A container for each line "id | words | TeX"; raises unless the id is of a proved result."""
        statements = []
        for line in self.content:
            name, words, formula = (part.strip() for part in line.split("|", 2))
            if name not in results() or results()[name].kind != "proved":
                raise self.error(f"{name!r} is not a result that was proved")
            link = self.link(replace(results()[name], title=words))
            block = nodes.math_block("", formula, number=None, label=None, nowrap=False)
            statements.append(nodes.container("", self.line(link, kind="named"), block, classes=["statement"]))
        return statements


class Cell(FromCourse):
    """`{cell} NOTEBOOK WORDS`: the code of the cell that begins with the words, up to two empty lines."""

    required_arguments = 2
    final_argument_whitespace = True

    def run(self):
        """The first part of a notebook's cell, as code. Arguments: the notebook, how the cell begins."""
        name, words = self.arguments
        chapter = notebook(name)
        sources = [cell.source for cell in chapter.cells]
        if sum(source.startswith(words) for source in sources) != 1:
            raise self.error(f"not one cell of {chapter.path.name} begins with {words!r}")
        code = next(source for source in sources if source.startswith(words)).partition("\n\n\n")[0]
        return [nodes.literal_block(code, code, language="python")]
