"""The minutes that a chapter states are those that are counted."""

import minutes
from test_notebooks import CHAPTERS, DOOR, for_each, read


@for_each([DOOR, *CHAPTERS])
def test_states_honest_minutes(path):
    notebook = read(path)
    assert minutes.stated(notebook) == minutes.minutes(notebook), "run: make normal"
