"""JupyterLab in a real Chromium, as a reader meets it: open a chapter and run it."""

import json
import os
import shutil
import subprocess
import sys
import time

import pytest

from coursebook.content import NOTEBOOKS, chapters, notebooks
from posenc import draw

# The chapter with most formulas; once a week all of them.
CHAPTERS = notebooks() if os.environ.get("EVERY_NOTEBOOK") else [chapters()[7]]

# Everything below asks the application for the open notebook's panel, and for its cells by number.
PANEL = "const panel = window.jupyterapp.shell.currentWidget, cells = panel.content.widgets;"
READY = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
FOLDED = f"() => {{ {PANEL} return cells.filter(cell => cell.inputHidden && cell.outputHidden).length; }}"
RAW = r"\$[^$]+\$|\\(?:frac|begin|omega|theta)|:::|```|\{\w[\w:-]*\}`|\{(?:eq|cite|ref|doc|numref|math|term)\}"
# Scrolls to a cell, and says what a reader sees there once it shows what it has to show. What stands above a cell may
# grow meanwhile and push it away: then it is scrolled to again.
LOOK = f"""index => {{ {PANEL}
    panel.content.scrollToItem(index, 'auto');
    const cell = cells[index], node = cell.node, all = selector => [...node.querySelectorAll(selector)];
    const texts = all('.jp-RenderedMarkdown, .jp-RenderedHTMLCommon, .jp-RenderedLatex');
    const text = texts.map(e => e.innerText).join('\\n');
    const outputs = cell.model.type === 'code' ? cell.model.sharedModel.getOutputs() : [];
    const images = all('.jp-OutputArea img');
    const settled = node.firstElementChild?.checkVisibility({{contentVisibilityAuto: true}})
        && !node.querySelector('.jp-InputPrompt')?.textContent.includes('*')
        && (!outputs.length || cell.outputHidden || node.querySelector('.jp-OutputArea-output')?.checkVisibility())
        && !/{RAW}/.test(text) && images.every(image => image.complete);
    return settled && {{
        text, refused: all('mjx-merror').length,
        figures: images.filter(image => image.naturalWidth > 200).length,
        errors: outputs.filter(o => o.output_type === 'error' || o.name === 'stderr').map(o => o.evalue ?? o.text),
        editor: all('.cm-content').some(e => e.checkVisibility()),
        count: cell.model.executionCount ?? null,
    }};
}}"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A JupyterLab on a copy of the notebooks, with nobody's settings. Gives its address and token."""
    home = tmp_path_factory.mktemp("lab")
    skip = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    shutil.copytree(NOTEBOOKS, home / "course" / "notebooks", ignore=skip)
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    environment = os.environ | {place: str(home / place.lower()) for place in places}
    environment.pop("PYTHONPATH", None)
    options = ["--no-browser", "--allow-root", "--expose-app-in-browser"]
    options += ["--LabApp.news_url=None", f"--ServerApp.root_dir={home / 'course'}"]
    command = [sys.executable, "-m", "jupyterlab", *options]
    with (home / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log, env=environment) as server:
        about = home / "jupyter_runtime_dir" / f"jpserver-{server.pid}.json"
        end = time.monotonic() + 60
        while not about.is_file():
            assert server.poll() is None, (home / "log").read_text()
            assert time.monotonic() < end, (home / "log").read_text()
            time.sleep(0.1)
        info = json.loads(about.read_text())
        yield info["url"], info["token"]
        server.terminate()


def hides(cell, part):
    """Whether a cell opens with its `source` or its `outputs` hidden."""
    return cell.metadata.get("jupyter", {}).get(f"{part}_hidden", False)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.name)
def test_chapter_runs_and_reads_well(lab, new_tab, chapter):
    cells = chapter.notebook().cells
    address, token = lab
    page = new_tab(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(120_000)
    page.goto(f"{address}lab/tree/{chapter.page}.ipynb?reset&token={token}")  # where Binder's button lands
    page.wait_for_function(READY)
    assert page.evaluate(FOLDED) == sum(hides(cell, "outputs") for cell in cells)
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function(READY)
    for index, cell in enumerate(cells):
        place = f"cell {index}: {cell.source[:80]!r}"
        print(place)
        seen = page.wait_for_function(LOOK, arg=index).json_value()
        assert not seen["refused"], f"MathJax refuses a formula of {place}"
        if cell.cell_type == "markdown":
            assert seen["text"].strip(), f"{place} shows nothing"
            continue
        assert seen["count"], f"{place} did not run"
        if "raises-exception" not in cell.metadata.get("tags", ()):
            assert seen["errors"] == [], place
        assert seen["editor"] == (not hides(cell, "source")), place
        figures = sum(draw.MIME in output.get("data", {}) for output in cell.outputs)
        assert seen["figures"] == figures, place  # JupyterLab unfolds what it runs
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.context.close()
