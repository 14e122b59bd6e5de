"""The steps at the end of a build, on small pages."""

import finish
import printed
import pytest
from search_words import WORD


@pytest.mark.parametrize(
    ("written", "moved"),
    [
        ('href="../notebooks/07.html#top"', 'href="notebooks/07.html#top"'),
        ('src="notation.png"', 'src="book/notation.png"'),
        ('href="#main"', 'href="#main"'),
        ('href="https://a.example/../b"', 'href="https://a.example/../b"'),
        ('data-content_root="../"', 'data-content_root="./"'),
    ],
)
def test_a_page_moves_one_folder_up(written, moved):
    assert finish.moved_up(f"<a {written}>", "book") == f"<a {moved}>"


def test_dark_colours_hold_on_screens_only(tmp_path):
    both = ".highlight .k { color: #000 }\n"
    (tmp_path / "pygments.css").write_text("".join(f'html[data-theme="{t}"] {both}' for t in ("light", "dark")))
    (tmp_path / "katex.min.css").write_text("/* a note */ .katex{}")
    light, dark = finish.style(tmp_path).split("@media screen {", 1)
    assert light.strip() == both.strip()
    assert dark.strip().startswith(f'html[data-theme="dark"] {both}')
    assert ".katex{}" in dark
    assert "a note" not in dark
    assert "light-dark(" not in dark, "a browser of 2022 knows none, and would show no colour"


def test_roles_that_html_does_not_allow_are_dropped():
    written = '<div role="list" class="citation-list"><div class="citation" id="a" role="doc-biblioentry">'
    assert "role" not in finish.mend(written)


def test_a_formula_is_not_translated():
    assert finish.mend('<span class="katex">') == '<span class="katex" translate="no">'


def test_chinese_says_that_it_is():
    han = '<span lang="zh-Hans">位置</span>'
    assert finish.mend("<title>位置</title><p>Su: 位置 2</p>") == f"<title>位置</title><p>Su: {han} 2</p>"
    assert finish.mend('<dt lang="zh-Hans">位置</dt>') == '<dt lang="zh-Hans">位置</dt>'
    assert finish.mend("<option>位置</option>") == '<option lang="zh-Hans">位置</option>'


def test_a_table_with_formulas_is_copied_with_its_columns():
    assert finish.mend("<tr><td>1</td>\n<td>2</td>\n</tr>\n<tr>") == "<tr><td>1</td>\t<td>2</td>\n</tr>\n<tr>"


def test_of_code_stay_the_marks_that_have_a_colour():
    name, string = '<span class="n">f</span><span class="p">(</span>', '<span class="s">"n"</span>'
    page = '<div class="highlight"><pre>{}</pre></div><p><span class="n">not code</span></p>'
    assert finish.lean(page.format(name + string)) == page.format("f(" + string)


def test_words_that_a_reader_looks_for_are_found_and_no_pieces_of_formulas():
    assert all(map(WORD.fullmatch, ["PE", "T5", "e", "omega", "rope", "xpos", "float32", "正弦", "ω"]))
    assert not any(map(WORD.fullmatch, ["00136", "10000", "3e", "u_1u_n", "1_2", "_i", "10_", "x_0y_0"]))


def test_what_was_printed_in_pieces_is_joined_as_it_came():
    pieces = [{"output_type": "stream", "name": "stdout", "text": text} for text in ("a: 0", ".5", "\n", "b\n")]
    shown = printed.in_one_piece(lambda whole: whole)([*pieces, {"output_type": "display_data"}])
    assert [output.get("text") for output in shown] == ["a: 0.5\nb\n", None]
    assert pieces[0]["text"] == "a: 0"
