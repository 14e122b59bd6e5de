"""What a teacher uses: questions, decks, the lecture rehearsed, the cheat sheet, the book as a PDF."""

import re
import tempfile
from pathlib import Path
from urllib.parse import urldefrag

import pytest
from bs4 import BeautifulSoup
from pypdf import PdfReader
from test_site import places, settle

from coursebook import content
from coursebook.teach import built_site, pdf, slides

QUESTIONS = content.questions()
ASKED = [question for asked in QUESTIONS.values() for question in asked]
DECKS = content.slides()
QUIZ_PAGE = built_site.SITE / "book" / "teach" / "quizzes.html"


@pytest.fixture(scope="module")
def decks():
    """The decks, made anew beside the site: their folder, another for each process that runs tests."""
    with tempfile.TemporaryDirectory(dir=built_site.SITE.parent) as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(slides, "OUT", Path(folder))
        slides.main()
        yield Path(folder) / "slides"


@pytest.fixture
def tab(new_tab):
    """A page on which nothing goes wrong and which asks nobody."""
    page = new_tab(viewport={"width": 1280, "height": 720})
    yield page
    assert page.problems == []
    assert [url for url in page.requested if url.startswith("http")] == []
    page.context.close()


def sheets(document):
    """How many pages a PDF by Chromium has."""
    return len(re.findall(rb"/Type\s*/Page\b", document))


def choice(question, right):
    """The label of the option that is right, or of the first that is wrong."""
    place = [option.is_right for option in question.options].index(right)
    return f"#{question.id} label:has(input[value='{place}'])"


def test_a_question_is_answered_by_keyboard(tab):
    tab.goto(QUIZ_PAGE.as_uri())
    asked = next(question for question in ASKED if question.options[1].is_right)
    first = tab.locator(f"#{asked.id}")
    first.locator("input").first.focus()
    tab.keyboard.press("Space")
    assert first.locator("output").inner_text().startswith("Not so.")
    tab.keyboard.press("ArrowDown")
    assert first.locator("output").inner_text().startswith("Right.")
    assert first.locator("output a[href*='#result-']").count() == 1
    first.locator("summary").focus()
    tab.keyboard.press("Enter")
    assert first.locator("details .why").last.is_visible()


def test_first_choices_are_counted_and_options_shuffled(tab):
    tab.goto(QUIZ_PAGE.as_uri())
    score = tab.locator(".quiz-score output")
    tab.locator(choice(ASKED[0], right=False)).click()
    tab.locator(choice(ASKED[0], right=True)).click()
    assert score.inner_text().startswith("0 of 1 right at the first choice")
    tab.locator(choice(ASKED[1], right=True)).click()
    assert score.inner_text().startswith("1 of 2")
    orders = set()
    for _ in range(9):
        tab.locator(".quiz-score button").click()
        orders.add(tab.locator(f"#{ASKED[0].id} label").first.inner_text())
        assert score.inner_text() == ""
    assert len(orders) > 1


def test_without_scripts_a_fold_explains_every_option(new_tab):
    page = new_tab(java_script_enabled=False)
    page.goto(QUIZ_PAGE.as_uri())
    assert page.locator("fieldset.quiz").count() == len(ASKED)
    assert page.locator("fieldset.quiz input").count() == page.locator("fieldset.quiz .why").count()
    last = page.locator("fieldset.quiz").last
    last.locator("summary").click()
    assert last.locator(".why").first.is_visible()
    page.context.close()


def test_a_chapter_links_its_questions_and_the_file_that_grows():
    for number, chapter in content.chapters().items():
        page = (built_site.SITE / "notebooks" / f"{chapter.name}.html").read_text(encoding="utf-8")
        links = re.findall(r'<p class="to-quiz"><a href="([^"]*)".*?<a href="([^"]*)"', page, re.DOTALL)
        ends = (f"../book/teach/quizzes.html#quiz-{number}", "../book/teach/capstone.html")
        assert links == [ends] * (number in QUESTIONS), chapter.name


def test_slides_lead_to_their_places_in_the_book_and_their_drawings_keep_their_styles(decks):
    styled = 0
    for deck in decks.glob("*.html"):
        text = deck.read_text(encoding="utf-8")
        for link in re.findall(r'<a\b[^>]*?href="([^"]*)"', text):
            target, anchor = urldefrag(link)
            if target.startswith(slides.BOOK):  # in public, so that the folder can be carried anywhere
                path = built_site.SITE / (target.removeprefix(slides.BOOK) or "index.html")
                assert path.is_file(), (deck.name, link)
                assert not anchor or anchor in places(path), (deck.name, link)
            elif not target.startswith("http"):
                assert (decks / target.partition("?")[0]).is_file(), (deck.name, link)
        drawings = set(re.findall(r"#([\w-]+)\{--", text))  # the ids by which their colours find them
        assert drawings <= set(re.findall(r'<figure\b[^>]*?\bid="([^"]*)"', text)), deck.name
        styled += len(drawings)
    assert styled > 50


def test_a_deck_has_a_title_objectives_notes_and_time_for_each_slide_and_key_points(decks):
    for deck in sorted(decks.glob("[01]*.html")):
        title, first, *shown, last = BeautifulSoup(deck.read_text(encoding="utf-8"), "html.parser").select("section")
        assert slides.CONFIG["title"] in title.get_text()
        assert "CC BY 4.0" in title.footer.get_text()
        assert "date" in title.select_one("[contenteditable]").get_text()
        assert [slide.h2.get_text() for slide in (first, last)] == [slides.FIRST["say"], slides.LAST["say"]]
        assert min(len(slide.select(".fit li")) for slide in (first, last)) >= 4, deck.name
        assert sum("quiz" not in slide["class"] for slide in shown) >= 8
        for number, slide in enumerate([first, *shown, last], 2):
            where, words = f"{deck.name}, slide {number}", built_site.words(slide.select_one(".notes"))
            assert float(slide["data-timing"]) >= 10, where
            assert ("quiz" in slide["class"]) <= (slide["data-timing"] == "150"), where
            assert len(words) > 30, where
            assert words.endswith((".", "?", "!", ")")), where
        paragraphs = [built_site.words(p) for slide in shown for p in slide.select(":scope > .notes > p")]
        long = [words for words in paragraphs if len(words) > 200]
        assert len(long) == len(set(long)), f"{deck.name}: paragraphs are told twice"
        for formula in BeautifulSoup(deck.read_text(encoding="utf-8"), "html.parser").select(".formula .katex-html"):
            assert built_site.words(formula).strip("\u200b\u2061 ")[-1] not in ".,;"


LOOK = """() => [...document.querySelectorAll("section.slide")].map((slide, n) => {
    const shown = slide.querySelector(".shown");
    if (!shown) return null;
    const out = slide.getBoundingClientRect(), place = shown.getBoundingClientRect();
    const parts = [...shown.querySelectorAll(".fit, svg, img, .katex-display, pre")];
    const boxes = parts.map(part => part.getBoundingClientRect());
    const over = Math.max(...boxes.map(box => Math.max(box.right - out.right, box.bottom - place.bottom - 4)));
    const zoom = Number(shown.querySelector(".fit").style.zoom || 1);
    const small = Math.max(...boxes.map(box => box.height)) < 40;
    const narrow = slide.matches(".figure") && Math.max(...boxes.map(box => box.width)) < 1000;
    return over > 0 || zoom < 0.5 || small || narrow ? `${n + 1}: over ${over}, zoom ${zoom}` : null;
}).filter(Boolean)"""


def test_decks_fit_their_sheets_and_answers_are_for_the_teacher(decks, tab):
    tab.emulate_media(media="print")
    for deck in sorted(decks.glob("[01]*.html")):
        for notes in ("", "&showNotes=separate-page"):
            tab.goto(f"{deck.as_uri()}?print-pdf{notes}")
            tab.wait_for_function("'ready' in document.documentElement.dataset")
            answers = tab.locator(".answer").all()
            assert len(answers) >= 4
            for answer in answers:  # a deck puts its notes on sheets of their own after it is ready
                answer.wait_for(state="visible" if notes else "hidden")
        assert tab.evaluate(LOOK) == [], deck.name
        long_notes = "[...document.querySelectorAll('.speaker-notes-pdf')].filter(e => e.scrollHeight > 720).length"
        assert tab.evaluate(long_notes) == 0, deck.name
        count = tab.locator("section.slide, .speaker-notes-pdf").count()
        assert sheets(tab.pdf(prefer_css_page_size=True, print_background=True)) == count, deck.name


def test_the_speaker_sees_notes_a_clock_and_the_time_for_a_slide(decks, tab):
    at, vote = next((n, slide) for n, slide in enumerate(DECKS[0], 2) if "quiz" in slide)  # after two others
    (answers,) = (question.options for question in ASKED if question.id == vote["quiz"])
    tell, why = (words.partition(".")[0] for words in (vote["tell"], answers[-1].why))
    tab.goto((decks / "00_in_one_sitting.html").as_uri() + f"#/{at}")
    tab.wait_for_function("'ready' in document.documentElement.dataset")
    with tab.expect_popup() as opened:
        tab.keyboard.press("s")
    speaker, answer = opened.value, tab.locator("section.present .answer")
    speaker.get_by_text(tell).wait_for()
    speaker.get_by_text("Time to finish current slide").wait_for()
    assert not answer.is_visible()
    tab.keyboard.press("ArrowRight")
    speaker.get_by_text(why).first.wait_for()
    assert answer.is_visible()


def test_the_cheat_sheet_fills_two_sides(tab):
    tab.goto((built_site.SITE / "book" / "teach" / "cheat_sheet.html").as_uri())
    settle(tab)  # without its letters formulas have other sizes
    assert sheets(tab.pdf(prefer_css_page_size=True, print_background=True)) == 2
    assert tab.locator(".statement").count() >= 12


def test_the_book_is_printed_with_bookmarks_and_public_links(chromium, tmp_path):
    path, names = tmp_path / "some.pdf", ["book/index", content.chapters()[5].page]
    pdf.write(chromium, path, names, "Letter")
    printed = PdfReader(path)
    assert printed.trailer["/Root"]["/Lang"] == "en"
    assert {tuple(map(float, sheet.mediabox[2:])) for sheet in printed.pages} == {(612.0, 792.0)}
    titles = [built_site.page(name).title.get_text().partition(" · ")[0] for name in names]
    assert [mark["/Title"] for mark in printed.outline] == titles
    for mark in printed.outline:
        begins = printed.pages[printed.get_destination_page_number(mark)].extract_text()
        assert mark["/Title"].rpartition(". ")[2] in " ".join(begins.split())
    actions = [note.get_object().get("/A", {}) for sheet in printed.pages for note in sheet.get("/Annots", [])]
    addresses = [action["/URI"] for action in actions if "/URI" in action]
    assert len(addresses) > 20
    assert [address for address in addresses if not address.startswith(("https://", "mailto:"))] == []
