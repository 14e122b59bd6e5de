"""The course's own Sphinx extension: it sets the modules of this folder up, in their order."""

from importlib import import_module

# What a chapter's page is made of; pages made of the notebooks and of lists; the site as a whole.
PARTS = [
    *("local_katex", "printed", "figures", "living", "results", "seals", "folds", "marks", "glossary", "run_here"),
    *("claims", "models", "page_pictures", "api", "quizzes", "run_sheet", "teaching_plan"),
    *("search_index", "finish"),
]


def setup(app):
    """Set each part up."""
    for part in PARTS:
        import_module(part).setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
