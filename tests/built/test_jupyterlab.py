"""JupyterLab in a real Chromium, as a reader meets it: open a chapter and run it."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

import nbformat
import pytest
from normalise import FOLDER, notebooks

from posenc import draw

# The story, the chapter with most formulas, an appendix; once a week all of them.
PATHS = [path for path in notebooks() if os.environ.get("EVERY_NOTEBOOK") or path.name.startswith(("00", "07", "a2"))]
SECOND = 1000  # in playwright's milliseconds

# Everything below asks the application for the open notebook's panel, and for its cells by number.
PANEL = "const panel = window.jupyterapp.shell.currentWidget, cells = panel.content.widgets;"
READY = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
MATHS = r"\$[^$]+\$|\\(frac|begin|omega|theta)"
FOLDED = f"() => {{ {PANEL} return cells.filter(cell => cell.inputHidden && cell.outputHidden).length; }}"
SETTLED = f"""index => {{ {PANEL}
    const texts = cells[index].node.querySelectorAll('.jp-RenderedMarkdown, .jp-RenderedLatex');
    const raw = [...texts].some(text => /{MATHS}/.test(text.innerText));
    const images = [...cells[index].node.querySelectorAll('.jp-OutputArea img')];
    const rendered = cells[index].node.firstElementChild?.checkVisibility({{contentVisibilityAuto: true}});
    const waits = cells[index].node.querySelector('.jp-InputPrompt')?.textContent.includes('*');
    const due = cells[index].model.type === 'code' && !cells[index].outputHidden
        && cells[index].model.sharedModel.getOutputs().length;
    const there = !due || cells[index].node.querySelector('.jp-OutputArea-output')?.checkVisibility();
    return rendered && !raw && !waits && there && images.every(image => image.complete);
}}"""
CELL = f"""index => {{ {PANEL}
    const cell = cells[index], node = cell.node, all = selector => [...node.querySelectorAll(selector)];
    const outputs = cell.model.type === 'code' ? cell.model.sharedModel.getOutputs() : [];
    return {{
        text: all('.jp-RenderedMarkdown, .jp-RenderedHTMLCommon').map(e => e.innerText).join('\\n'),
        refused: all('mjx-merror').length,
        figures: all('.jp-OutputArea img').filter(image => image.naturalWidth > 200).length,
        errors: outputs.filter(o => o.output_type === 'error' || o.name === 'stderr')
                       .map(o => o.evalue ?? o.text),
        editor: all('.cm-content').some(e => e.checkVisibility()),
        count: cell.model.executionCount ?? null,
    }};
}}"""


# Scrolls to a cell, waits until it shows what it has to show, and says what a reader sees there. What stands above a
# cell may grow while it settles, and push it away: then it is scrolled to again. What did not settle in time is seen.
LOOK = f"""async index => {{
    const panel = window.jupyterapp.shell.currentWidget, settled = {SETTLED}, seen = {CELL};
    const frame = () => new Promise(requestAnimationFrame);
    for (const end = performance.now() + 30_000; performance.now() < end;) {{
        await panel.content.scrollToItem(index, 'auto');
        const late = performance.now() + 10_000;
        while (!settled(index) && performance.now() < late) await frame();
        for (const still = performance.now() + 50; performance.now() < still;) await frame();
        if (settled(index)) break;
    }}
    return seen(index);
}}"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A JupyterLab on a copy of the notebooks, with nobody's settings. Gives its address and token."""
    home = tmp_path_factory.mktemp("lab")
    skip = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    shutil.copytree(FOLDER, home / "course" / "notebooks", ignore=skip)
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
    own = {place: str(home / place.lower()) for place in places}
    options = ["--no-browser", "--allow-root", "--expose-app-in-browser"]
    options += ["--LabApp.news_url=None", f"--ServerApp.root_dir={home / 'course'}"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | own
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options], stdout=log, stderr=log, env=environment
        )
        try:
            info = wait_for_server(server, home / "jupyter_runtime_dir", home / "log")
            yield info["url"], info["token"]
        finally:
            server.terminate()
            server.wait(timeout=30)


def wait_for_server(server, folder, log):
    """What the server says about itself, once it listens."""
    for _ in range(600):
        assert server.poll() is None, log.read_text()
        for file in folder.glob(f"jpserver-{server.pid}.json"):
            return json.loads(file.read_text())
        time.sleep(0.1)
    raise AssertionError(log.read_text())


@pytest.fixture
def open_chapter(lab, chromium):
    """Open a chapter at the address at which Binder's button lands, and wait for its kernel."""
    address, token = lab
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(120 * SECOND)

    def visit(name):
        page = context.new_page()
        page.goto(f"{address}lab/tree/notebooks/{name}.ipynb?reset&token={token}")
        page.wait_for_function(READY)
        return page

    yield visit
    headers = {"Authorization": f"token {token}"}
    for session in context.request.get(f"{address}api/sessions", headers=headers).json():
        context.request.delete(f"{address}api/sessions/{session['id']}", headers=headers)
    context.close()


def run_all(page):
    """What the menu's Run All Cells does; returns once the last cell has run."""
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function(READY)


def hides(cell, part):
    """Whether a cell opens with its `source` or its `outputs` hidden."""
    return cell.metadata.get("jupyter", {}).get(f"{part}_hidden", False)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_chapter_runs_and_reads_well(open_chapter, path):
    cells = nbformat.read(path, as_version=4).cells
    page = open_chapter(path.stem)
    assert page.evaluate(FOLDED) == sum(hides(cell, "outputs") for cell in cells)
    run_all(page)
    for index, cell in enumerate(cells):
        seen = page.evaluate(LOOK, index)
        place = f"cell {index}: {cell.source[:80]!r}"
        raw = re.findall(r":::|```|\{\w[\w:-]*\}`|\{(?:eq|cite|ref|doc|numref|math|term)\}", seen["text"])
        assert raw == [], f"{place} shows {raw}"
        assert not re.search(MATHS, seen["text"]), f"{place} shows raw mathematics"
        assert not seen["refused"], f"MathJax refuses a formula of {place}"
        if cell.cell_type == "markdown":
            assert seen["text"].strip(), f"{place} shows nothing"
            continue
        tags = cell.metadata.get("tags", ())
        assert seen["count"], f"{place} did not run"
        if "raises-exception" not in tags:
            assert seen["errors"] == [], place
        assert seen["editor"] == (not hides(cell, "source")), place
        figures = sum(draw.MIME in output.get("data", {}) for output in cell.outputs)
        assert seen["figures"] == figures, place  # JupyterLab unfolds what it runs
