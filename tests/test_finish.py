"""The steps at the end of a build, on small pages."""

import finish
import pytest
from search_words import WORD

FORMULA = '<span class="katex"><span class="katex-html"><span class="base">{}</span></span></span>'


@pytest.mark.parametrize(
    ("written", "moved"),
    [
        ('href="../notebooks/07.html#top"', 'href="notebooks/07.html#top"'),
        ('href="notation.html"', 'href="book/notation.html"'),
        ('src="../_static/course.js?v=1"', 'src="_static/course.js?v=1"'),
        ('href="#main"', 'href="#main"'),
        ('href="https://a.example/../b"', 'href="https://a.example/../b"'),
        ('data-content_root="../"', 'data-content_root="./"'),
    ],
)
def test_a_page_moves_one_folder_up(written, moved):
    assert finish.moved_up(f"<a {written}>", "book") == f"<a {moved}>"


def test_glyphs_are_those_of_formulas():
    page = f"Text <code>xyz</code> {FORMULA.format('a<span>&lt;∑</span>')} more {FORMULA.format('b')} text"
    assert finish.glyphs(page) == set("a<∑b")


def test_dark_colours_hold_on_screens_only(tmp_path):
    both = ".highlight .k { color: #000 }\n"
    (tmp_path / "pygments.css").write_text("".join(f'html[data-theme="{t}"] {both}' for t in ("light", "dark")))
    (tmp_path / "katex.min.css").write_text("/* a note */ .katex{}")
    sheet = finish.style(tmp_path)
    screen = sheet[sheet.index("@media screen {") :]
    assert sheet.count('html[data-theme="dark"] .highlight .k') == 1
    assert 'html[data-theme="dark"] .highlight .k' in screen[: screen.index(".katex")]
    assert sheet.startswith(".highlight .k { color: #000 }")
    assert ".katex{}" in sheet
    assert "a note" not in sheet


def test_roles_that_html_does_not_allow_are_dropped():
    written = '<div role="list" class="citation-list"><div class="citation" id="a" role="doc-biblioentry">'
    assert "role" not in finish.mend(written)


def test_tex_goes_and_mathml_stays():
    tex = '<annotation encoding="application/x-tex">x^2</annotation>'
    mathml = "<msup><mi>x</mi><mn>2</mn></msup>"
    written = f"<p>So</p><math><semantics>{mathml}{tex}</semantics></math> and <math><semantics>"
    assert finish.lean(written + f"<mi>y</mi>{tex}</semantics></math>") == (
        f"<p>So</p><math>{mathml}</math> and <math><mi>y</mi></math>"
    )


def test_code_keeps_its_text_and_the_marks_that_have_a_colour():
    name, string = '<span class="n">f</span><span class="p">(</span>', '<span class="s">"n"</span>'
    around = '<div class="highlight"><pre>{}</pre></div><p><span class="n">not code</span></p>'
    lean = finish.lean(around.format(name + string))
    assert lean == around.format("f(" + string)


def test_words_that_a_reader_looks_for_are_found_and_no_pieces_of_formulas():
    assert all(map(WORD.fullmatch, ["PE", "T5", "e", "omega", "rope", "xpos", "float32", "正弦", "ω"]))
    assert not any(map(WORD.fullmatch, ["00136", "10000", "3e", "u_1u_n", "1_2", "_i", "10_", "x_0y_0"]))
