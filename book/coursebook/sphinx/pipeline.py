"""The parts of the extension, and the steps by which they make a page, in one table."""

from importlib import import_module

# What sets itself up besides: it registers directives, nodes or KaTeX.
PARTS = [
    *("frame.katex", "transforms.printed", "transforms.figures", "directives.results", "directives.theorems"),
    *("transforms.folds", "run_in_page.run_here"),
    *("directives.claims", "directives.models", "directives.page_pictures", "directives.quizzes"),
    *("directives.run_sheet", "directives.teaching_plan"),
]
TRANSFORM = "transform"  # of a page's nodes, when all pages are read; the other names are Sphinx's events
USUAL = 500  # Sphinx's own priority; those of one event run by priority, the small ones first

# (part, its step, when, priority, why there)
STEPS = [
    ("frame.katex", "add_files", "builder-inited", USUAL, "static files are listed before any page is read"),
    ("directives.api", "fill", "source-read", USUAL, "what it puts in is Markdown, which is parsed then"),
    ("directives.results", "mark_cards", "doctree-read", USUAL, "other pages can link to what is a target now"),
    ("directives.theorems", "seal", "doctree-read", 600, "on the cards that `results` made"),
    ("transforms.figures", "Figures", TRANSFORM, 3, "MyST-NB, at 4, keeps one MIME type of each output"),
    ("transforms.glossary", "Terms", TRANSFORM, 5, "captions are captions by now, and Sphinx resolves links at 10"),
    ("transforms.living", "ComeAlive", TRANSFORM, 8, "in the figures and captions that `figures` made"),
    ("transforms.folds", "Folds", TRANSFORM, 200, "MyST-NB, at 199, has made a fold of each cell that folds"),
    ("run_in_page.run_here", "AnswerHere", TRANSFORM, 201, "in the folds of exercises that `folds` made"),
    ("transforms.marks", "Marks", TRANSFORM, 300, "links are resolved, so their targets are known"),
    ("frame.search_index", "IndexEntries", TRANSFORM, 400, "on the page as it will be"),
    ("frame.katex", "Punctuation", TRANSFORM, 500, "no later step moves a formula or the words after it"),
    ("directives.quizzes", "link_chapter", "html-page-context", USUAL, "the frame of the page asks for the address"),
    ("frame.search_index", "weigh", "html-page-context", USUAL, "the frame of the page asks for weight and words"),
    ("frame.finish", "page_scripts", "html-page-context", 900, "it looks for what is in the finished body of the page"),
    ("frame.finish", "finish", "build-finished", 950, "pages and static files of all others are there"),
    (
        "run_in_page.run_here",
        "add_files",
        "build-finished",
        960,
        "`finish` rewrites scripts; these stay as they came",
    ),
    ("frame.finish", "add_version", "build-finished", 970, "the version covers the programs that `run_here` adds"),
    ("frame.search_index", "build_index", "build-finished", 980, "it reads the pages as they will be sent"),
]


def setup(app):
    """Set each part up, and put the steps where the table has them."""
    for part in PARTS:
        import_module(f".{part}", __package__).setup(app)
    for part, name, when, priority, _ in STEPS:
        step = getattr(import_module(f".{part}", __package__), name)
        if when == TRANSFORM:
            step.default_priority = priority
            app.add_post_transform(step)
        else:
            app.connect(when, step, priority=priority)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
