"""What the extension adds to Sphinx: its directives, and the steps that make a page, in their order."""

from importlib import import_module

# What a page asks for: its name there, its module, its class.
DIRECTIVES = [
    ("bets", "directives.bets", "BetList"),
    ("cell", "directives.cheat_sheet", "Cell"),
    ("claims", "directives.claims", "Claims"),
    ("claims-texts", "directives.claims", "ClaimsTexts"),
    ("misconceptions", "directives.quizzes", "Misconceptions"),
    ("models", "directives.models", "Models"),
    ("picture", "directives.page_pictures", "PagePicture"),
    ("quizzes", "directives.quizzes", "Quizzes"),
    ("result-count", "directives.results", "ResultCount"),
    ("results", "directives.results", "Results"),
    ("run-here", "run_in_page.run_here", "RunHere"),
    ("seal-count", "directives.theorems", "SealCount"),
    ("statements", "directives.cheat_sheet", "Statements"),
    ("teaching-map", "directives.teaching_plan", "TeachingMap"),
    ("theorem", "directives.theorems", "Theorem"),
    ("wrong-bets", "directives.bets", "WrongBets"),
]
# What sets itself up: it has nodes of its own, or changes how another extension works.
PARTS = ["frame.katex", "directives.base", "transforms.figures", "transforms.folds"]
TRANSFORM = "transform"  # of a page's nodes, when all pages are read; the other names are Sphinx's events
USUAL = 500  # Sphinx's own priority; those of one event run by priority, the small ones first

# (part, its step, when, priority, why there)
STEPS = [
    ("frame.katex", "add_files", "builder-inited", USUAL, "static files are listed before any page is read"),
    ("directives.api", "fill", "source-read", USUAL, "what it puts in is Markdown, which is parsed then"),
    ("transforms.cards", "mark_cards", "doctree-read", USUAL, "other pages can link to what is a target now"),
    ("directives.theorems", "seal", "doctree-read", 600, "on the cards that `cards` made"),
    ("transforms.figures", "Figures", TRANSFORM, 3, "MyST-NB, at 4, keeps one MIME type of each output"),
    ("transforms.glossary", "Terms", TRANSFORM, 5, "captions are captions by now, and Sphinx resolves links at 10"),
    ("transforms.living", "ComeAlive", TRANSFORM, 8, "in the figures and captions that `figures` made"),
    ("transforms.folds", "Folds", TRANSFORM, 200, "MyST-NB, at 199, has made a fold of each cell that folds"),
    ("run_in_page.run_here", "AnswerHere", TRANSFORM, 201, "in the folds of exercises that `folds` made"),
    ("transforms.bets", "Bets", TRANSFORM, 250, "figures have captions, and what folds is out of the way"),
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
        "scripts that `finish` has not rewritten",
    ),
    ("frame.moved", "lead_on", "build-finished", 965, "`finish` takes these for no pages of the book"),
    ("frame.finish", "add_version", "build-finished", 970, "the version covers the programs that `run_here` adds"),
    ("frame.search_index", "build_index", "build-finished", 980, "it reads the pages as they will be sent"),
]


def module(part):
    """A module of this package, such as that of "directives.claims"."""
    return import_module(f".{part}", __package__)


def setup(app):
    """Register all of it."""
    for part in PARTS:
        module(part).setup(app)
    for name, part, directive in DIRECTIVES:
        app.add_directive(name, getattr(module(part), directive))
    for part, name, when, priority, _ in STEPS:
        step = getattr(module(part), name)
        if when == TRANSFORM:
            step.default_priority = priority
            app.add_post_transform(step)
        else:
            app.connect(when, step, priority=priority)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
