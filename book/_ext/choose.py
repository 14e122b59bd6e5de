"""The page *Which should I take?*: `{chooser}` asks three questions, and shows a case of the page as its answer.

Its questions and answers stand in the page; `book/assets/choose.js` picks the case.
"""

import json
from html import escape

import yaml
from docutils import nodes
from results import options
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

PAGE = "book/choose"


class Chooser(SphinxDirective):
    """`{chooser}`: a form of three questions; its content is YAML, with `questions` and `answers`.

    An answer names a case, by the label of its section, and for each question the options that lead there, or
    none for all; the first that fits is shown as soon as the questions that it
    names are answered, and the others marked `also` that fit are named. The form is
    hidden until `choose.js` runs.
    """

    has_content = True

    def run(self):
        """The form and a place for the answer."""
        given = yaml.safe_load("\n".join(self.content))
        known = {name: set(question["options"]) for name, question in given["questions"].items()}
        for answer in given["answers"]:
            for name, wanted in answer.items():
                if name not in ("case", "also") and not set(wanted) <= known.get(name, set()):
                    raise ExtensionError(f"{PAGE}: the answer {answer} asks for an option that is not there")
        fields = "".join(
            f'<label>{escape(question["ask"])} <select name="{name}">'
            + options({"": "choose"} | question["options"])
            + "</select></label>"
            for name, question in given["questions"].items()
        )
        answers = escape(json.dumps(given["answers"]))
        form = (
            f'<form class="chooser" aria-label="Three questions" data-answers="{answers}" hidden>{fields}'
            '<output></output><div class="chosen"></div></form>'
        )
        return [nodes.raw("", form, format="html")]


def setup(app):
    app.add_directive("chooser", Chooser)
