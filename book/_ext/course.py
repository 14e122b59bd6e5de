"""The course's own Sphinx extension: its parts, and the steps by which they make a page, in one table."""

from importlib import import_module

# What a chapter's page is made of; pages made of the notebooks and of lists; the site as a whole.
PARTS = [
    *("local_katex", "printed", "figures", "living", "results", "seals", "folds", "marks", "glossary", "run_here", "bets"),
    *("claims", "models", "page_pictures", "api", "quizzes", "run_sheet", "teaching_plan"),
    *("search_index", "finish"),
]
TRANSFORM = "transform"  # of a page's nodes, when all pages are read; the other names are Sphinx's events
USUAL = 500  # Sphinx's own priority; those of one event run by priority, the small ones first

# (part, its step, when, priority, why there). `search_index` adds its own: 400 among the transforms, 980 at the end.
STEPS = [
    ("local_katex", "add_files", "builder-inited", USUAL, "static files are listed before any page is read"),
    ("api", "fill", "source-read", USUAL, "what it puts in is Markdown, which is parsed then"),
    ("results", "mark_cards", "doctree-read", USUAL, "other pages can link to what is a target now"),
    ("seals", "seal", "doctree-read", 600, "on the cards that `results` made"),
    ("figures", "Figures", TRANSFORM, 3, "MyST-NB, at 4, keeps one MIME type of each output"),
    ("glossary", "Terms", TRANSFORM, 5, "captions are captions by now, and Sphinx resolves links at 10"),
    ("living", "ComeAlive", TRANSFORM, 8, "in the figures and captions that `figures` made"),
    ("folds", "Folds", TRANSFORM, 200, "MyST-NB, at 199, has made a fold of each cell that folds"),
    ("run_here", "AnswerHere", TRANSFORM, 201, "in the folds of exercises that `folds` made"),
    ("bets", "Bets", TRANSFORM, 250, "figures have captions, and what folds is out of the way"),
    ("marks", "Marks", TRANSFORM, 300, "links are resolved, so their targets are known"),
    ("local_katex", "Punctuation", TRANSFORM, 500, "no later step moves a formula or the words after it"),
    ("quizzes", "link_chapter", "html-page-context", USUAL, "the frame of the page asks for the address"),
    ("finish", "page_scripts", "html-page-context", 900, "it looks for what is in the finished body of the page"),
    ("finish", "finish", "build-finished", 950, "pages and static files of all others are there"),
    ("run_here", "add_files", "build-finished", 960, "`finish` rewrites every script; these stay as they came"),
    ("finish", "add_version", "build-finished", 970, "the version covers the programs that `run_here` adds"),
]


def setup(app):
    """Set each part up, and put the steps where the table has them."""
    for part in PARTS:
        if hasattr(module := import_module(part), "setup"):
            module.setup(app)
    for part, name, when, priority, _ in STEPS:
        step = getattr(import_module(part), name)
        if when == TRANSFORM:
            step.default_priority = priority
            app.add_post_transform(step)
        else:
            app.connect(when, step, priority=priority)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
