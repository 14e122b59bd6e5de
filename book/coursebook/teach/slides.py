"""Make the decks from a list and the built site: a lecture of 75 minutes, the same in 45, one deck for each chapter.

    python -m coursebook.teach.slides       writes _build/teach/slides/

The list is `book/teach/slides.yml`. A deck is a page for reveal.js with all it needs beside it, so no network is used.
The speaker's notes hold what to say, what to do and the answers; reveal.js shows them with a clock and with the time
that each slide may take.
"""

import copy
import re
import shutil
from html import escape
from urllib.parse import urljoin

from .. import content
from ..content import chapters
from ..sphinx.frame import katex
from . import built_site

OUT = content.ROOT / "_build" / "teach"
CONFIG = content.config()
BOOK = CONFIG["sphinx"]["config"]["html_baseurl"]  # so that a deck can be carried anywhere
WORDS = 130  # a minute
QUESTION = 2.5  # minutes: a vote, a talk between neighbours, the reasons
LOOK = 40  # seconds in which nobody listens, since a picture is new; what is done at it has them already
# What stands first and last in each deck: a list of its chapter, under one of these headings.
FIRST = {
    "say": "After this you can",
    "points": ("What you will be able to do", "Can you explain it now?"),
    "do": "Read out two of these that matter to this class, and come back to them at the end.",
    "minutes": 0.5,
}
LAST = {
    "say": "What to take home",
    "points": ("Key points", "The story in six lines"),
    "do": "Let everybody read, and ask which line surprised them. Then go back to the second slide: who can do what?",
    "minutes": 1,
}
LEAST = 60  # letters that can be notes by themselves
# A last sentence that leads on, to what the slide has not.
LEADS_ON = re.compile(r"(?:(?<=[.?!)])\s+|(?<=<p>))(?:[^.?!]|[.?!](?=\S))*:</p>$")
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


SLIDE = """<section class="slide {kind}" data-timing="{time:.0f}"><aside class="notes">{notes}</aside>
<h2>{say}</h2>
<div class="shown"><div class="fit">{content}</div></div>
<footer><a href="{book}{source}">{where}</a></footer></section>"""
TITLE = """<section class="slide title" data-timing="0"><h1>{title}</h1><p>{course}</p>
<p class="lecturer" contenteditable="true" spellcheck="false">Lecturer · date</p>
<footer>Text and figures by {author}, CC BY 4.0; code MIT.&ensp;<a href="{book}">{book}</a></footer></section>"""


def minutes(slide, short):
    """The minutes of what is done at a slide besides speaking. short: in the lecture of 45 minutes."""
    return float(slide.get("in_45", slide.get("minutes", 0)) if short else slide.get("minutes", 0))


def seconds(slide, words, short=False):
    """The seconds that a slide takes: a question's, or those of its words (a text), of looking and doing."""
    if "quiz" in slide:
        return 60 * QUESTION
    doing = 60 * minutes(slide, short)
    return 60 * len(words.split()) / WORDS + (doing or LOOK * ("figure" in slide))


def for_deck(part, page):
    """A copy of an element, with public addresses and no buttons. page: its page's name."""
    element = copy.copy(part)
    if element.name != "figure":  # a drawing's style finds it by the figure's id
        element.attrs.pop("id", None)
    for button in element.select("button"):
        button.decompose()
    for link in element.select("a[href]"):
        if not re.match(r"[a-z]+:", link["href"]):
            link["href"] = BOOK + urljoin(page + ".html", link["href"])
    return element


def without_last_stop(element):
    """Take off the point or comma that ends a formula in a sentence. Changes the element and returns it."""
    for form in element.select(".katex-html, math"):
        *_, last = (text for text in form.find_all(string=True) if text.strip("\u200b\u2061 \n"))
        last.replace_with(last.rstrip().rstrip(".,;"))
    return element


def for_speaker(element):
    """The HTML of an element for the speaker's view, which has no styles: formulas are MathML alone."""
    element = copy.copy(element)
    for part in element.select(".katex-html, .headerlink"):
        part.decompose()
    for part in element.select("a, span"):
        part.unwrap()
    return str(element)


def words_around(part):
    """The paragraphs (elements) just before what a slide shows; where they end open, the next one, too."""
    while part.parent.name not in ("section", "article", "details") and part.parent.parent.name != "blockquote":
        part = part.parent
    paragraphs = []
    for element in part.find_previous_siblings():
        if element.name not in ("p", "ul", "ol") and "math" not in element.get("class", ()):
            break
        paragraphs.insert(0, element)
    after = part.find_next_sibling("p")
    ends = paragraphs and built_site.words(paragraphs[-1]).endswith((".", "?", "!", ")"))
    return paragraphs if after is None or (ends and part.name == "figure") else [*paragraphs, after]


def notes_on(part, used):
    """The words of the book at what a slide shows, as HTML, in whole sentences.

    used: the paragraphs that were notes of slides before it; those of this one are added to it.
    """
    around, captions = words_around(part), part.select("figcaption")
    words = [element for element in around if not any(element is other for other in used)] + captions
    if sum(len(built_site.words(element)) for element in words) < LEAST:
        words = around[-2:]
    used += around
    notes = [for_speaker(element) for element in words]
    while len(notes) > 1 and LEADS_ON.sub("</p>", notes[-1]) == "<p></p>":
        notes.pop()
    return [*notes[:-1], LEADS_ON.sub("</p>", notes[-1])]


def question(part):
    """The HTML of head and content of a slide that asks: options, and the answer with reasons in notes."""
    options = "".join(f"<li>{label.span.decode_contents()}</li>" for label in part.select("label"))
    right = for_deck(part.select_one(".why:has(.holds)").parent, "book/teach/quizzes").decode_contents()
    reasons = "".join(map(for_speaker, part.select("details li > p")))
    answer = f'<div class="fragment answer">{right}<aside class="notes">{reasons}</aside></div>'
    return part.legend.decode_contents(), f'<ol type="a">{options}</ol>{answer}'


def slide_of(chapter, slide, short, used):
    """The HTML of a slide (a dictionary as slides.yml has them), and its seconds.

    short: in the lecture of 45 minutes. used: as `notes_on` has it.
    """
    (kind,) = slide.keys() & {"figure", "code", "formula", "points", "quiz"}
    page = chapters()[chapter].page
    part = built_site.part(kind, chapter, slide[kind], int(slide.get("nth", 1)))
    place, source = kind.capitalize(), f"{page}.html" + (f"#{part['id']}" if part.get("id") else "")
    notes = [f"<p>{escape(slide['tell'])}</p>"] if "tell" in slide else []
    if kind == "quiz":
        say, content = question(part)
        source, place = f"book/teach/quizzes.html#{slide[kind]}", "Question"
        notes = notes or ["<p>Vote; neighbours who disagree talk for a minute; vote again; then the reasons.</p>"]
    else:
        element = without_last_stop(for_deck(part, page))
        notes = notes if "tell" in slide or kind == "points" else notes_on(part, used)
        if kind == "figure":
            element.figcaption.decompose()
            place = part.select_one(".figure-number").get_text().removesuffix("·")
        say, content = escape(slide["say"]), str(element)
    spoken = re.sub(r"<[^>]*>", " ", re.sub(r"<math.*?</math>", "formula", " ".join(notes), flags=re.DOTALL))
    time = seconds(slide, spoken, short)
    if doing := minutes(slide, short):
        notes.insert(0, f"<p><strong>{escape(slide['do'])} ({doing:g} min)</strong></p>")
    where = f"{chapter}. {escape(chapters()[chapter].title)} · {place}"
    words = {"say": say, "content": content, "notes": "".join(notes), "where": where}
    return SLIDE.format(kind=kind, time=time, book=BOOK, source=source, **words), time


def main():
    """Write into OUT/slides, made anew, a deck for each chapter, one of 45 minutes, and their list, index.html."""
    folder, reveal = OUT / "slides", katex.DIST.parents[1] / "reveal.js" / "dist"
    if not reveal.is_dir():
        raise FileNotFoundError(f"reveal.js is not at {reveal}: run 'python -m coursebook.sphinx.frame.katex'")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built_site.SITE / "_static", folder / "look" / "_static")
    for file in ("reveal.css", "reveal.js", "plugin/notes.js"):
        shutil.copy(reveal / file, folder / "look")
    for file in ("deck.css", "deck.js"):
        shutil.copy(content.ROOT / "book" / "teach" / file, folder / "look")
    plans = content.slides()
    decks = [(chapters()[chapter].name, chapter, chapters()[chapter].title, False) for chapter in plans]
    decks.append(("in_45_minutes", 0, f"{chapters()[0].title}, in 45 minutes", True))
    links, count = [], 0
    for name, chapter, title, short in decks:
        shown = [slide for slide in plans[chapter] if not (short and slide.get("in_45") == "no")]
        used = []
        slides, times = zip(*(slide_of(chapter, slide, short, used) for slide in (FIRST, *shown, LAST)), strict=True)
        words = {"title": escape(title), "course": CONFIG["title"], "author": CONFIG["author"], "book": BOOK}
        text = PAGE.format(title=escape(title), slides="\n".join([TITLE.format(**words), *slides]))
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
        count += 1 + len(slides)
        links.append(
            f'<li><a href="{name}.html">{escape(title)}</a>, {round(sum(times) / 60)} minutes, '
            f'{1 + len(slides)} slides; print <a href="{name}.html?print-pdf">for students</a>, '
            f'<a href="{name}.html?print-pdf&amp;showNotes=separate-page">with notes and answers</a></li>'
        )
    contents = f'<section class="slide decks"><h2>Slides</h2><ul>{"".join(links)}</ul></section>'
    (folder / "index.html").write_text(PAGE.format(title="Slides", slides=contents), encoding="utf-8")
    print(f"{len(decks)} decks, {count} slides: {(folder / 'index.html').as_uri()}")


if __name__ == "__main__":
    main()
