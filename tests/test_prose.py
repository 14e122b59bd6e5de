"""The rules for prose, on small notebooks and on all pages."""

import functools
import itertools
import math

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from coursebook.content import FIGURE, ROOT, cell_of
from coursebook.tools import prose


@functools.cache
def book():
    """The passages of all pages, and what is compared of them."""
    pages = prose.pages()
    return pages, list(prose.results_and_sources(pages, prose.given_numbers()))


def made(*texts, code="", output=""):
    out = [new_output("stream", text=output)] if output else []
    return new_notebook(cells=[*map(new_markdown_cell, texts), new_code_cell(code, outputs=out)])


def missing(notebook):
    """The results of a notebook that nothing in it shows."""
    pages = {"notebooks/a.ipynb": prose.passages_of_notebook([*map(cell_of, notebook.cells)])}
    rows = prose.results_and_sources(pages, {})
    return [n for *_, results, shown in rows for n in results if not prose.stands_in(n, shown)]


NUMBERS = [  # prose, output, the numbers that are missing
    ("It is 0.92.", "0.92", []),
    ("It is $-0.92$.", "−0.920", []),
    ("It is −0.92.", "[-0.92, 1]", []),
    ("It is 12\u2009345.5.", "12345.5", []),
    (r"At most $2.1 \cdot 10^{-5}$.", "2.1e-05", ["2.1"]),
    ("From 0.1–0.3.", "0.1 0.3", []),
    ("$1-0.3$", "-0.3", []),
    ("It is 0.92.", "0.921", ["0.92"]),
    ("It is 0.92.", "0.92.1", ["0.92"]),
    ("It is −0.92.", "0.92", ["-0.92"]),
    (r"It is $0.000\,95$.", "0.000", ["0.00095"]),
    ("| 1.0 | **2.5** |", "1.0", ["2.5"]),
    ("446 of 10 000 rows, or $10\\,000$.", "of 10 000: 446", []),
    ("It errs by 341.", "from 256 to 511 314", ["341"]),
    ("In 84 per cent, 12 % and $7\\%$.", "84 % 0.12", ["7%"]),
    (r"With $\frac{1}{16}$, $\tfrac1{100}$ and 22/17.", "1/16 100", ["22/17"]),
    # Places, years, editions, addresses, code and small numbers are no results.
    ("**Exercise 4.2.** Solve exercises 4.3, 4.4 and 4.5, as in section 3.5 and sections 3.4.1 to 3.4.2.", "", []),
    ("[Su et al., 2021](https://arxiv.org/abs/2104.09864), equation 2.1; arXiv:1706.03762.", "", []),
    ("Read with torch 2.13, Python 3.11, version 1.0.4; 1.2.3 is newer. In 2017, 39 of 40.", "", []),
    ("Run `x = 0.25`, or\n```python\ny = 0.75\n```", "", []),
]


@pytest.mark.parametrize(("text", "output", "expected"), NUMBERS)
def test_a_number_is_found_again_or_named(text, output, expected):
    assert missing(made(text, output=output)) == expected


def test_only_what_the_section_shows_counts():
    far = made("It is 0.92.", "## Another section", output="0.92")
    far.cells.insert(1, new_code_cell("", outputs=[new_output("stream", text="0.5")]))
    assert missing(far) == ["0.92"]
    assert missing(made("It is 0.92.", code="# 0.92")) == missing(made("It is 0.92.", code="0.92")) == ["0.92"]
    assert missing(made("It is 446.", code="446")) == missing(made("## Exercises", "Take 0.92.", code="0.92")) == []
    figure = {FIGURE: {}, "text/plain": "an arrow from 0.92 to 0.5"}
    caption = {"text/markdown": "**Figure.** It ends at 0.5."}
    drawn = made("It goes from 0.92 to 0.5.")
    drawn.cells[-1].outputs = [new_output("display_data", data=data) for data in (figure, caption)]
    assert missing(drawn) == ["0.92"]


def test_each_result_of_the_book_is_found_again():
    assert prose.unsupported(book()[1]) == []


def test_what_is_given_is_needed_and_right():
    """A formula gives the number, to its digits; in a file it stands."""
    for page, lines in prose.given_numbers().items():
        results = {number for passage in book()[0].get(page, ()) for number in prose.results_in(passage.text)}
        for origin, numbers in lines.items():
            assert page == "everywhere" or set(numbers) <= results, f"{page} has not all of {numbers}: drop the others"
            if origin.startswith("= "):
                (number,), value = numbers, eval(origin[2:], {"pi": math.pi})
                digits = len(number.partition(".")[2]) or len(number.rstrip("0")) - len(number)
                assert round(value, digits) == float(number), f"{page}: {origin} is {value}"
            elif (ROOT / origin).is_file():
                shown = prose.numbers_shown([(ROOT / origin).read_text(encoding="utf-8")])
                assert set(numbers) <= shown, f"{origin} has not all of {numbers}"


@pytest.mark.parametrize(("decimals", "most"), [(True, 1 / 80), (False, 1 / 30)])
def test_a_digit_that_is_changed_is_found_out(decimals, most):
    """Every change of one digit of each result, or of a notebook's decimals, but to another that stands beside it."""
    changes, passed = 0, []
    for page, section, results, shown in book()[1]:
        for number, digit in itertools.product(set(results), "0123456789"):
            if not decimals or ("." in number and page.endswith(".ipynb")):
                places = [at for at, was in enumerate(number) if was.isdigit() and was != digit]
                others = {number[:at] + digit + number[at + 1 :] for at in places} - set(results)
                changes += len(others)
                passed += [(page, section, number, other) for other in others if prose.stands_in(other, shown)]
    advice = "make the rule of prose.py stricter, or give the numbers of a new passage with more digits"
    assert len(passed) <= most * changes, f"{len(passed)} of {changes} pass: {advice}: {passed}"
