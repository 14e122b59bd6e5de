"""The course's own Sphinx extension: it sets the modules of this folder up, in their order."""

from importlib import import_module

PARTS = (
    # formulas, figures, folds: what a chapter's page is made of
    "local_katex", "figures", "living", "results", "seals", "folds", "glossary", "run_here",
    # pages that are made of the notebooks and of lists
    "claims", "models", "models_map", "models_deployed", "choose", "front_picture", "api", "quizzes",
    "lecture",
    # the site as a whole
    "search_words", "finish",
)  # fmt: skip


def setup(app):
    """Set each part up."""
    for part in PARTS:
        import_module(part).setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
