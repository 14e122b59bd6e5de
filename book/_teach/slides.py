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
BOOK = "../../html"  # from a deck
NOTES = '<aside class="notes">{}</aside>'  # for the speaker
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


def for_deck(part, page):
    """Return a copy of an element, with addresses as a deck needs them and no buttons. page: its page's name."""
    element = copy.copy(part)
    if element.name != "figure":  # a drawing's style finds it by the figure's id
        element.attrs.pop("id", None)
    for button in element.select("button"):
        button.decompose()
    for link in element.select("a[href]"):
        if not re.match(r"[a-z]+:", link["href"]):
            link["href"] = f"{BOOK}/{urljoin(page + '.html', link['href'])}"
    return element


def for_speaker(element):
    """Return the HTML of an element for the speaker's view, which has no styles: formulas are MathML alone."""
    element = copy.copy(element)
    for part in element.select(".katex-html, .headerlink"):
        part.decompose()
    for part in element.select("a, .katex-mathml, .katex"):
        part.unwrap()
    return str(element)


def paragraphs_before(part):
    """Return the paragraphs (elements) of a chapter that stand just before the element that a slide shows."""
    while part.parent.name not in ("section", "article") and part.parent.parent.name != "blockquote":
        part = part.parent
    paragraphs = []
    for element in part.find_previous_siblings():
        if element.name not in ("p", "ul", "ol") and "math" not in element.get("class", ()):
            break
        paragraphs.insert(0, element)
    return paragraphs


def question(part):
    """Return the HTML of head and content of a slide that asks: options, and the answer with reasons in notes."""
    options = "".join(f"<li>{label.span.decode_contents()}</li>" for label in part.select("label"))
    right = for_deck(part.select_one(".why:has(.holds)").parent, "book/teach/quizzes")
    reasons = NOTES.format("".join(map(for_speaker, part.select("details li > p"))))
    answer = f'<div class="fragment answer">{right.decode_contents()}{reasons}</div>'
    return part.legend.decode_contents(), f'<ol type="a">{options}</ol>{answer}'


def slide_of(chapter, slide, short):
    """Return the HTML of a slide (a dictionary of slides.yml), and its seconds. short: in the lecture of 45 minutes."""
    kind = plan.kind_of(slide)
    page = f"notebooks/{numbered()[chapter].stem}"
    part = built_site.part(kind, chapter, slide[kind])
    texts = [f"<p>{escape(slide['tell'])}</p>"] if "tell" in slide else []
    spoken, place = plan.spoken_text(slide, ASKED), kind.capitalize()
    if kind == "quiz":
        say, content = question(part)
        source, place = f"book/teach/quizzes.html#{slide[kind]}", "Question"
    else:
        element = for_deck(part, page)
        say, source = escape(slide["say"]), f"{page}.html" + (f"#{part['id']}" if part.get("id") else "")
        if not texts:
            texts = [for_speaker(words) for words in [*paragraphs_before(part), *part.select("figcaption")]]
            spoken = re.sub(r"<[^>]*>", " ", re.sub(r"<math.*?</math>", "formula", " ".join(texts), flags=re.S))
        if kind == "figure":
            element.figcaption.decompose()
            place = part.select_one(".figure-number").get_text().removesuffix("·")
        content = str(element)
    time = plan.seconds(slide, spoken, short)
    if minutes := plan.minutes(slide, short):
        texts.insert(0, f"<p><strong>{escape(slide['do'])} ({minutes:g} min)</strong></p>")
    where = f"{chapter}. {escape(built_site.title(chapter))} · {place}"
    return (
        f'<section class="slide {kind}" data-timing="{time:.0f}">{NOTES.format("".join(texts))}<h2>{say}</h2>'
        f'<div class="shown"><div class="fit">{content}</div></div>'
        f'<footer><a href="{BOOK}/{source}">{where}</a></footer></section>'
    ), time


def main():
    """Write into OUT/slides, made anew, a deck for each chapter, one of 45 minutes, and their list, index.html."""
    folder, reveal = OUT / "slides", local_katex.DIST.parents[1] / "reveal.js" / "dist"
    if not reveal.is_dir():
        raise FileNotFoundError(f"reveal.js is not at {reveal}: run 'python book/_ext/local_katex.py'")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(built_site.SITE / "_static", folder / "look" / "_static")
    for file in ("reveal.css", "reveal.js", "plugin/notes.js"):
        shutil.copy(reveal / file, folder / "look")
    for file in ("deck.css", "deck.js"):
        shutil.copy(Path(__file__).parent / file, folder / "look")
    plans = plan.slides(built_site.ROOT)
    decks = [(numbered()[chapter].stem, chapter, built_site.title(chapter), False) for chapter in plans]
    decks.append(("in_45_minutes", 0, f"{built_site.title(0)}, in 45 minutes", True))
    links, count = [], 0
    for name, chapter, title, short in decks:
        shown = [slide for slide in plans[chapter] if not (short and slide.get("in_45") == "no")]
        slides, times = zip(*(slide_of(chapter, slide, short) for slide in shown), strict=True)
        first = f'<section class="slide title" data-timing="0"><h1>{escape(title)}</h1></section>'
        text = PAGE.format(title=escape(title), slides="\n".join([first, *slides]))
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
        count += 1 + len(slides)
        links.append(
            f'<li><a href="{name}.html">{escape(title)}</a>, {round(sum(times) / 60)} minutes, '
            f'{1 + len(slides)} slides; print <a href="{name}.html?print-pdf">for students</a>, '
            f'<a href="{name}.html?print-pdf&amp;showNotes=separate-page">with notes and answers</a></li>'
        )
    contents = f'<section class="slide decks"><h2>Slides</h2><ul>{"".join(links)}</ul></section>'
    (folder / "index.html").write_text(PAGE.format(title="Slides", slides=contents), encoding="utf-8")
    print(f"{len(decks)} decks, {count} slides: file://{folder}/index.html")


if __name__ == "__main__":
    main()
