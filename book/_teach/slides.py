"""Make the decks from a list and the built site: a lecture of 75 minutes, the same in 45, one deck for each chapter.

    python book/_teach/slides.py        writes _build/teach/slides/

The list is `book/teach/slides.yml`. A deck is a page for reveal.js with all it needs beside it, so no network is used.
The speaker's notes hold what to say, what to do and the answers; reveal.js shows them with a clock and with the time
that each slide may take.
"""

import copy
import re
import shutil
from html import escape
from pathlib import Path
from urllib.parse import urljoin

import built_site
import local_katex
import run_sheet as plan
from results import numbered

OUT = built_site.ROOT / "_build" / "teach"
ASKED = plan.questions(built_site.ROOT)
LOOK = Path(__file__).parent
BOOK = "../../html"  # from a deck
FILES = ("reveal.css", "reveal.js", "plugin/notes.js")
PAGE = """<!DOCTYPE html>
<html lang="en" data-theme="light" class="deck">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="stylesheet" href="look/reveal.css">
<link rel="stylesheet" href="look/_static/site.css">
<link rel="stylesheet" href="look/deck.css">
<link rel="icon" href="look/_static/favicon.svg">
<script defer src="look/reveal.js"></script>
<script defer src="look/notes.js"></script>
<script defer src="look/deck.js"></script>
</head>
<body>
<main class="reveal"><div class="slides bd-article">
{slides}
</div></main>
</body>
</html>
"""


def for_deck(found, page):
    """A copy of an element of a page, with addresses as they have to be in a deck and without buttons."""
    element = copy.copy(found)
    if element.name != "figure":  # a drawing's style finds it by the figure's id
        element.attrs.pop("id", None)
    for button in element.select("button"):
        button.decompose()
    for link in element.select("a[href]"):
        if not re.match(r"[a-z]+:", link["href"]):
            link["href"] = f"{BOOK}/{urljoin(page + '.html', link['href'])}"
    return element


def for_speaker(element):
    """An element as the speaker's view can show it, which has no styles: formulas are MathML alone."""
    element = copy.copy(element)
    for part in element.select(".katex-html, .headerlink"):
        part.decompose()
    for part in element.select("a, .katex-mathml, .katex"):
        part.unwrap()
    return str(element)


def paragraphs_before(found):
    """The paragraphs of a chapter that lead to what a slide shows."""
    while found.parent.name not in ("section", "article") and found.parent.parent.name != "blockquote":
        found = found.parent
    paragraphs = []
    for element in found.find_previous_siblings():
        if element.name not in ("p", "ul", "ol") and "math" not in element.get("class", ()):
            break
        paragraphs.insert(0, element)
    return paragraphs


def notes(texts):
    """The speaker's notes."""
    return f'<aside class="notes">{"".join(texts)}</aside>'


def slide_of(chapter, slide, short=False):
    """One slide. Returns it, and its seconds."""
    kind = plan.kind_of(slide)
    name = slide[kind]
    page = f"notebooks/{numbered()[chapter].stem}"
    found = built_site.part(kind, chapter, name)
    words, spoken = [f"<p>{escape(slide['tell'])}</p>"] if "tell" in slide else [], plan.spoken_text(slide, ASKED)
    if kind == "quiz":
        options = "".join(f"<li>{label.span.decode_contents()}</li>" for label in found.select("label"))
        right = for_deck(found.select_one(".why:has(.holds)").parent, "book/teach/quizzes")
        reasons = [for_speaker(element) for element in found.select("details li > p")]
        answer = f'<div class="fragment answer">{right.decode_contents()}{notes(reasons)}</div>'
        say, content = found.legend.decode_contents(), f'<ol type="a">{options}</ol>{answer}'
        source, place = f"book/teach/quizzes.html#{name}", "Question"
    else:
        element, anchor = for_deck(found, page), found.get("id")
        say, content, place = escape(slide["say"]), str(element), kind.capitalize()
        source = f"{page}.html" + (f"#{anchor}" if anchor else "")
        if not words:
            words = [for_speaker(paragraph) for paragraph in paragraphs_before(found)]
            words += [for_speaker(caption) for caption in found.select("figcaption")]
            text = re.sub(r"<math.*?</math>", "formula", " ".join(words), flags=re.S)
            spoken = re.sub(r"<[^>]*>", " ", text)
        if kind == "figure":
            element.figcaption.decompose()
            place, content = found.select_one(".figure-number").get_text().removesuffix("·"), str(element)
    time = plan.seconds(slide, spoken, short)
    if plan.minutes(slide, short):
        words.insert(0, f"<p><strong>{escape(slide['do'])} ({plan.minutes(slide, short):g} min)</strong></p>")
    where = f"{chapter}. {escape(built_site.title(chapter))} · {place}"
    return (
        f'<section class="slide {kind}" data-timing="{time:.0f}">{notes(words)}<h2>{say}</h2>'
        f'<div class="shown"><div class="fit">{content}</div></div>'
        f'<footer><a href="{BOOK}/{source}">{where}</a></footer></section>'
    ), time


def deck_of(chapter, slides, title, short=False):
    """A deck: its title, its minutes, its slides."""
    made = [slide_of(chapter, slide, short) for slide in slides if not (short and slide.get("in_45") == "no")]
    minutes = round(sum(time for _, time in made) / 60)
    first = f'<section class="slide title" data-timing="0"><h1>{escape(title)}</h1></section>'
    return title, minutes, [first, *(slide for slide, _ in made)]


def main():
    """Write all decks and their list."""
    folder, reveal = OUT / "slides", local_katex.DIST.parents[1] / "reveal.js" / "dist"
    if not reveal.is_dir():
        raise FileNotFoundError(f"reveal.js is not at {reveal}: run 'python book/_ext/local_katex.py'")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built_site.SITE / "_static", folder / "look" / "_static")
    for file in (*(reveal / file for file in FILES), LOOK / "deck.css", LOOK / "deck.js"):
        shutil.copy(file, folder / "look")
    chapters = plan.slides(built_site.ROOT)
    decks = {numbered()[n].stem: deck_of(n, chapters[n], built_site.title(n)) for n in chapters}
    decks["in_45_minutes"] = deck_of(0, chapters[0], f"{built_site.title(0)}, in 45 minutes", short=True)
    links = []
    for name, (title, minutes, slides) in decks.items():
        text = PAGE.format(title=escape(title), slides="\n".join(slides))
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
        links.append(
            f'<li><a href="{name}.html">{escape(title)}</a>, {minutes} minutes, {len(slides)} slides; print '
            f'<a href="{name}.html?print-pdf">for students</a>, '
            f'<a href="{name}.html?print-pdf&amp;showNotes=separate-page">with notes and answers</a></li>'
        )
    contents = f'<section class="slide decks"><h2>Slides</h2><ul>{"".join(links)}</ul></section>'
    (folder / "index.html").write_text(PAGE.format(title="Slides", slides=contents), encoding="utf-8")
    count = sum(len(slides) for *_, slides in decks.values())
    print(f"{len(decks)} decks, {count} slides: file://{folder}/index.html")


if __name__ == "__main__":
    main()
