"""Questions that expose misconceptions, from `book/teach/quizzes.yml`.

`{quizzes}` makes the page of all questions, a section for each chapter; each question is a fieldset of
radio buttons, and a fold explains every option. It works without scripts; `quiz.js` answers a choice at once.
`{misconceptions}` makes the teacher's list of the same questions. A chapter's page links to its questions.
"""

from pathlib import Path

from docutils import nodes

from ... import content
from .base import FromCourse, mark, tag
from .theorems import name_target, reference

PAGE = "book/teach/quizzes"


class FromQuizzes(FromCourse):
    """A section for each chapter, under its title, with what a subclass makes of the chapter's questions."""

    def run(self):
        """A section for each chapter of book/teach/quizzes.yml, filled by a subclass's `entries`, as nodes."""
        chapters, sections = content.chapters(), []
        for chapter, questions in content.questions().items():
            section = nodes.section(ids=[f"{self.prefix}-{chapter}"], names=[f"{self.prefix} {chapter}"])
            section += nodes.title("", "", *self.inline(chapters[chapter].title_in_contents))
            section += self.entries(questions)
            sections.append(section)
        return sections

    def card(self, name):
        """A link to the card of a result, given by its id, which must be there."""
        if name not in content.results():
            raise self.error(f"there is no result {name!r}")
        return self.link(content.results()[name])


class Quizzes(FromQuizzes):
    """`{quizzes}`: all questions, by chapter."""

    prefix = "quiz"

    def entries(self, questions):
        """A node for each question."""
        return [self.question(question) for question in questions]

    def question(self, question):
        """One question: a fieldset of choices, a place for the answer, a fold that explains each option."""
        name = question.id
        name_target(self.env, name, name)  # other pages refer to it by its id
        field = tag("fieldset", ids=[name], classes=["quiz"])
        field += tag("legend", *self.inline(question.ask))
        reasons = nodes.bullet_list()
        for count, option in enumerate(question.options):
            # A browser that fills in what was chosen before would fill it in without the answer.
            choice = tag("input", type="radio", name=name, value=str(count), autocomplete="off")
            words = nodes.inline("", "", *self.inline(option.words))
            field += tag("label", choice, nodes.Text(" "), words)
            verdict = mark("Right.", "holds") if option.is_right else mark("Not so.", "wrong")
            line = self.line(verdict, nodes.Text(" "), option.why, kind="why")
            line += [nodes.Text(" See "), self.card(option.by), nodes.Text(".")]
            answer = self.line(nodes.emphasis("", "", *self.inline(option.words)), kind="option")
            reasons += nodes.list_item("", answer, line)
        summary = tag("summary", nodes.Text("Each answer, explained"))
        field += [tag("output"), tag("details", summary, reasons, classes=["fold"])]
        return field


class Misconceptions(FromQuizzes):
    """`{misconceptions}`: what to expect in each chapter, and the question that exposes it."""

    prefix = "expect"

    def entries(self, questions):
        """A list of the beliefs that these questions expose, each with what to ask and what to show."""
        entries = nodes.bullet_list()
        for question in questions:
            belief = self.line(nodes.strong("", "", *self.inline(question.belief)), kind="belief")
            if question.seen:
                belief += [nodes.Text(" "), nodes.reference("", "seen here", refuri=question.seen)]
            # What a reference links is made plain text, and a question may have formulas.
            link = reference(question.id, self.env.docname, nodes.Text("Ask:"))
            (right,) = (option for option in question.options if option.is_right)
            ask = self.line(nodes.emphasis("", "", link), f" {question.ask}", kind="ask")
            answer = self.line("*Show:* ", self.card(right.by), kind="show")
            entries += nodes.list_item("", belief, ask, answer)
        return entries


def link_chapter(app, pagename, templatename, context, doctree):
    """Put into `context` how many questions a notebook's chapter has (an appendix: 0), and their address."""
    if pagename.startswith("notebooks/") and PAGE in app.env.found_docs:
        chapter = content.Chapter(Path(pagename))
        context["questions"] = 0 if chapter.is_appendix else len(content.questions().get(chapter.number, ()))
        context["quiz_link"] = f"{context['pathto'](PAGE)}#quiz-{chapter.number}"
