"""What the search finds: words and names, but not digits of printed numbers and pieces of formulas."""

import re

from sphinx.search.en import SearchEnglish

# Three letters in a row, one or two letters (PE), one with a digit (T5), two with digits (fp16), 2d, other scripts.
WORD = re.compile(r"[a-z]{1,2}|[a-z]\d|[a-z]{2}\d+|\dd|.*[a-z]{3}.*|[^\x00-\x7f\d].*", re.IGNORECASE | re.DOTALL)


class Words(SearchEnglish):
    """English, without digits, pieces of formulas and the words that make a question."""

    QUESTION = "can could do does how should what when where which who why would"
    stopwords = SearchEnglish.stopwords | set(QUESTION.split())

    def word_filter(self, word):
        """Whether a word is put into the index."""
        return super().word_filter(word) and bool(WORD.fullmatch(word))


def setup(app):
    """Take the place of Sphinx's English."""
    app.add_search_language(Words)
