"""The steps at the end of a build, on pieces of pages; the tests of the built site see what else they do."""

import pytest

from coursebook.sphinx.frame import finish

HAN = '<span lang="zh-Hans">位置</span>'


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ('<div role="list" class="citation-list">', '<div class="citation-list">'),
        ('<div class="citation" id="a" role="doc-biblioentry">', '<div class="citation" id="a">'),
        ('<span class="katex">', '<span class="katex" translate="no">'),
        ("<title>位置</title><p>Su: 位置 2</p>", f"<title>位置</title><p>Su: {HAN} 2</p>"),
        ('<dt lang="zh-Hans">位置</dt>', '<dt lang="zh-Hans">位置</dt>'),
        ("<option>位置</option>", '<option lang="zh-Hans">位置</option>'),
    ],
)
def test_pages_have_what_html_allows_and_say_what_is_formula_or_chinese(written, mended):
    assert finish.mend(written) == mended


def test_dark_colours_hold_on_screens_only(tmp_path):
    both = ".highlight .k { color: #000 }\n"
    (tmp_path / "pygments.css").write_text("".join(f'html[data-theme="{t}"] {both}' for t in ("light", "dark")))
    (tmp_path / "katex.min.css").write_text("/* a note */ .katex{}")
    light, dark = finish.style(tmp_path).split("@media screen {", 1)
    assert light.strip() == both.strip()
    assert dark.strip().startswith(f'html[data-theme="dark"] {both}')
    assert ".katex{}" in dark
    assert "light-dark(" not in dark, "a browser of 2022 knows none, and would show no colour"


def test_a_table_with_formulas_is_copied_with_its_columns():
    assert finish.mend("<tr><td>1</td>\n<td>2</td>\n</tr>\n<tr>") == "<tr><td>1</td>\t<td>2</td>\n</tr>\n<tr>"


def test_of_code_stay_the_marks_that_have_a_colour():
    name, string = '<span class="n">f</span><span class="p">(</span>', '<span class="s">"n"</span>'
    page = '<div class="highlight"><pre>{}</pre></div><p><span class="n">not code</span></p>'
    assert finish.lean(page.format(name + string)) == page.format("f(" + string)
