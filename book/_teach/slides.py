"""Make the decks: one for each chapter, one for the lecture, from a list and the built site.

    python book/_teach/slides.py        writes _build/teach/slides/ and _build/teach/lecture.ipynb

The list is `book/teach/slides.yml`. A deck is one page of HTML with pictures and styles beside it; it needs
no network, and prints a slide on a sheet.
"""

import ast
import builtins
import copy
import dis
import json
import posixpath
import re
import shutil
from html import escape
from pathlib import Path
from types import CodeType
from urllib.parse import urldefrag

import built
import lecture as plan

OUT = built.ROOT / "_build" / "teach"
LOOK = Path(__file__).parent
BOOK = "../../html"  # from a deck
MIME = "application/vnd.posenc.result+json"
KINDS = ("figure", "card", "code", "formula", "quiz")
PAGE = """<!DOCTYPE html>
<html lang="en" data-theme="light" class="deck">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="stylesheet" href="look/_static/site.css">
<link rel="stylesheet" href="look/deck.css">
<link rel="icon" href="look/_static/favicon.svg">
<script defer src="look/deck.js"></script>
</head>
<body>
<main class="bd-article">
{slides}
</main>
</body>
</html>
"""


def kind_of(slide):
    """What a slide shows."""
    (kind,) = slide.keys() & set(KINDS)
    return kind


def shown(chapter, slide):
    """What stands on a slide: its line, its content, where it comes from, and what kind of place that is."""
    kind = kind_of(slide)
    name = slide[kind]
    page = f"notebooks/{built.chapters()[chapter].stem}"
    if kind == "quiz":
        field = built.part(kind, chapter, name)
        options = "".join(f"<li>{label.span.decode_contents()}</li>" for label in field.select("label"))
        right = field.select_one(".why:has(.holds)").parent
        answer = own(right, "book/teach/quizzes").decode_contents()
        content = f'<ol type="a">{options}</ol><details><summary>Answer</summary>{answer}</details>'
        return field.legend.decode_contents(), content, f"book/teach/quizzes.html#{name}", "Question"
    found = built.part(kind, chapter, name)
    element, anchor = own(found, page), found.get("id")
    place = kind.capitalize()
    if kind == "figure":
        number = element.select_one(".figure-number").extract()
        place = number.get_text().removesuffix("·")
    return escape(slide["say"]), str(element), f"{page}.html" + (f"#{anchor}" if anchor else ""), place


def own(found, page):
    """A copy of an element of a page, with addresses as they have to be in a deck and without buttons."""
    element = copy.copy(found)
    if element.name != "figure":  # a drawing's style finds it by the figure's id
        element.attrs.pop("id", None)
    for button in element.select("button"):
        button.decompose()
    for link in element.select("a[href]"):
        if not re.match(r"[a-z]+:", link["href"]):
            target, anchor = urldefrag(link["href"])
            path = (
                posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
                if target
                else f"{page}.html"
            )
            link["href"] = f"{BOOK}/{path}#{anchor}"
    for image in element.select("img"):
        image["src"] = f"look/_images/{posixpath.basename(image['src'])}"
        image["loading"] = "eager"
    return element


def slide_of(chapter, slide):
    """One slide."""
    say, content, source, place = shown(chapter, slide)
    where = f"{chapter}. {escape(built.title(chapter))} · {place}"
    return (
        f'<section class="slide {kind_of(slide)}"><h2>{say}</h2>'
        f'<div class="shown"><div class="fit">{content}</div></div>'
        f'<footer><a href="{BOOK}/{source}">{where}</a></footer></section>'
    )


def title_slide(title, below):
    """The first slide of a deck, or of a step."""
    return f'<section class="slide title"><h1>{escape(title)}</h1><p>{escape(below)}</p></section>'


def by_name(decks):
    """The slides of each chapter by the cell, result or question that they show."""
    return {chapter: {slide[kind_of(slide)]: slide for slide in slides} for chapter, slides in decks.items()}


def lecture_slides(decks, lecture):
    """The slides of the lecture."""
    decks = by_name(decks)
    total = sum(step["minutes"] for step in lecture["steps"])
    slides = [title_slide(lecture["title"], f"A lecture of {total} minutes")]
    for step in lecture["steps"]:
        slides.append(title_slide(step["step"], f"{step['minutes']} minutes"))
        slides += [slide_of(step["chapter"], decks[step["chapter"]][name]) for name in step["show"]]
    return slides


def names(source):
    """The names that a cell asks of earlier ones, those that it binds, and those into which it stores."""
    lines = [line for line in source.splitlines() if not line.lstrip().startswith("%")]
    code = compile("\n".join(lines), "<cell>", "exec")
    asked, bound, inner = set(), set(), set()
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_NAME", "LOAD_GLOBAL") and step.argval not in bound:
            asked.add(step.argval)
        elif step.opname == "STORE_NAME":
            bound.add(step.argval)
    within = [part for part in code.co_consts if isinstance(part, CodeType)]
    for part in within:  # grows while it is read
        within += [more for more in part.co_consts if isinstance(more, CodeType)]
        inner |= {
            step.argval for step in dis.get_instructions(part) if step.opname in ("LOAD_NAME", "LOAD_GLOBAL")
        }
    stores = [
        node.value for node in ast.walk(ast.parse("\n".join(lines)))
        if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store)
    ]  # fmt: skip
    into = {node.id for node in stores if isinstance(node, ast.Name)}
    return (asked | inner - bound) - set(dir(builtins)), bound, into


def needed(cells, wanted):
    """The indices of the cells that run what is wanted: those, and all before that give what these ask."""
    chosen, missing = [], set()
    for n in range(len(cells) - 1, -1, -1):
        if cells[n]["cell_type"] != "code" or "remove-cell" in cells[n]["metadata"].get("tags", ()):
            continue
        asked, bound, into = names("".join(cells[n]["source"]))
        if n in wanted or (bound | into) & missing:
            chosen.append(n)
            missing = (missing - bound) | asked
    return chosen[::-1]


def runs(chapter, slides):
    """The indices of the cells of a chapter that some slides show, and of all that these need."""
    cells = built.cells(chapter)
    wanted = {n for n, cell in enumerate(cells) for slide in slides if is_of(slide, cell)}
    return needed(cells, wanted)


def is_of(slide, cell):
    """Whether a cell makes what a slide shows."""
    kind, source = kind_of(slide), "".join(cell["source"])
    data = [output["data"] for output in cell.get("outputs", ()) if "data" in output]
    if kind == "card":
        return any(output.get(MIME, {}).get("id") == slide["card"] for output in data)
    if kind == "figure":
        captions = ["".join(output.get("text/markdown", "")) for output in data]
        return any(built.words(text).startswith(f"**Figure.** {slide['figure']}") for text in captions)
    return kind == "code" and cell["cell_type"] == "code" and source.startswith(slide["code"])


FIRST = """import sys
from pathlib import Path

sys.path[:0] = [str(place) for up in Path.cwd().parents if (place := up / "notebooks").is_dir()]"""


def lecture_notebook(decks, lecture):
    """What the lecture shows and runs, step by step, as a notebook."""
    decks, cells = by_name(decks), []

    def add(kind, text, **more):
        cells.append({"cell_type": kind, "id": f"step-{len(cells)}", "metadata": {}, "source": text, **more})

    add("markdown", f"# {lecture['title']}")
    add("code", FIRST, outputs=[], execution_count=None)
    for step in lecture["steps"]:
        add("markdown", f"## {step['step']} ({step['minutes']} minutes)\n\n{step['do']}")
        chapter = step["chapter"]
        slides = [decks[chapter][name] for name in step["show"]]
        for n in runs(chapter, slides):
            cell = built.cells(chapter)[n]
            folded = {"jupyter": {"source_hidden": True}} if cell["metadata"].get("tags") else {}
            add("code", "".join(cell["source"]), outputs=[], execution_count=None)
            cells[-1]["metadata"] = folded
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def main():
    """Write all decks, their list, and the notebook of the lecture."""
    (chapters, lecture), folder = plan.slides(built.ROOT), OUT / "slides"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built.SITE / "_static", folder / "look" / "_static")
    for file in ("deck.css", "deck.js"):
        shutil.copy(LOOK / file, folder / "look")
    decks = {"lecture": (lecture["title"], lecture_slides(chapters, lecture))}
    for chapter, slides in chapters.items():
        name, title = built.chapters()[chapter].stem, built.title(chapter)
        first = title_slide(title, f"Positional Encoding, Proved and Run · chapter {chapter}")
        decks[name] = (title, [first, *(slide_of(chapter, slide) for slide in slides)])
    for name, (title, slides) in decks.items():
        text = PAGE.format(title=escape(title), slides="\n".join(slides))
        for picture in set(re.findall(r"look/_images/([^\"]+)", text)):
            (folder / "look" / "_images").mkdir(exist_ok=True)
            shutil.copy(built.SITE / "_images" / picture, folder / "look" / "_images")
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    links = "".join(
        f'<li><a href="{name}.html">{escape(title)}</a></li>' for name, (title, _) in decks.items()
    )
    contents = f'<section class="slide title"><h1>Slides</h1><ol start="0">{links}</ol></section>'
    (folder / "index.html").write_text(PAGE.format(title="Slides", slides=contents), encoding="utf-8")
    notebook = json.dumps(lecture_notebook(chapters, lecture), indent=1, ensure_ascii=False)
    (OUT / "lecture.ipynb").write_text(f"{notebook}\n", encoding="utf-8")
    count = sum(len(slides) for _, slides in decks.values())
    print(f"{len(decks)} decks, {count} slides: file://{folder}/index.html")


if __name__ == "__main__":
    main()
