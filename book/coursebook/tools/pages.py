"""The names of the notebooks: chapter 0, the other chapters, the appendices."""

from ..content import notebooks

DOOR = "00_in_one_sitting"  # chapter 0 has rules of its own
CHAPTERS = [chapter.name for chapter in notebooks() if not chapter.is_appendix and chapter.name != DOOR]
APPENDICES = [chapter.name for chapter in notebooks() if chapter.is_appendix]
NOTEBOOKS = [DOOR, *CHAPTERS, *APPENDICES]
