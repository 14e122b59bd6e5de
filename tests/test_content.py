"""The course as `coursebook.content` reads it."""

import nbformat
import pytest

from coursebook import content
from coursebook.content import Cell, Output


def test_chapters_come_by_number_and_then_the_appendices():
    chapters = content.chapters()
    assert list(chapters) == list(range(len(chapters)))
    assert content.notebooks()[: len(chapters)] == list(chapters.values())
    appendix = content.notebook("a9_slopes_and_curves")
    assert (appendix.number, appendix.is_appendix, appendix.page) == (9, True, "notebooks/a9_slopes_and_curves")
    assert appendix.title.startswith("Appendix: ")
    assert appendix.title_in_contents == appendix.title
    assert chapters[3].title_in_contents == f"3. {chapters[3].title}"


@pytest.mark.parametrize("chapter", content.notebooks(), ids=lambda chapter: chapter.name)
def test_cells_are_those_that_nbformat_reads(chapter):
    cells = chapter.notebook().cells
    assert [cell.source for cell in chapter.cells] == [cell.source for cell in cells]
    printed = [[output.get("text", "") for output in cell.get("outputs", ())] for cell in cells]
    assert [[output.text for output in cell.outputs] for cell in chapter.cells] == printed


def test_a_notebook_is_read_anew_for_each_who_changes_it():
    chapter = content.notebook("03_sinusoidal")
    chapter.notebook().cells.clear()
    assert len(chapter.notebook().cells) == len(chapter.cells)
    nbformat.validate(chapter.notebook())


def test_a_cell_has_its_figures_with_their_captions_and_shows_no_alt_text():
    drawn = Output("", {content.FIGURE: {}, "text/plain": "two clocks"})
    caption = Output("", {"text/markdown": "**Figure.** They agree.", "text/plain": "Figure. They agree."})
    cell = Cell("12345678", "code", "", frozenset(), (Output("done\n", {}), drawn, caption))
    assert [(figure.alt, figure.caption) for figure in cell.figures] == [("two clocks", "**Figure.** They agree.")]
    assert [text for text in cell.shown if text] == ["done\n", "**Figure.** They agree.", "Figure. They agree."]


def test_an_exercise_without_its_solution_is_named(tmp_path):
    path = tmp_path / "03_some.ipynb"
    question = nbformat.v4.new_markdown_cell("**Exercise 3.1.** *Predict.* What is it?")
    nbformat.write(nbformat.v4.new_notebook(cells=[question]), path)
    with pytest.raises(content.Forgotten, match=r"Exercise 3\.1 has no solution"):
        print(content.Chapter(path).exercises)
