"""A notebook opened alone, as Colab does: the first cell brings the package, then every cell runs."""

import json
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from coursebook.content import ROOT, chapters, config, with_exercises
from coursebook.teach import edition
from coursebook.tools.colab_cell import colab_cell

REPOSITORY = config()["repository"]
NOWHERE = "http://127.0.0.1:9"
NOTE = "Note: you may need to restart the kernel to use updated packages.\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory, serve):
    """What the public address would serve: the archive of the branch."""
    served = tmp_path_factory.mktemp("address")
    archive = served / "archive" / "refs" / "heads" / f"{REPOSITORY['branch']}.zip"
    archive.parent.mkdir(parents=True)
    files = [*(ROOT / "notebooks" / "posenc").rglob("*.*"), *ROOT.glob("*.*"), ROOT / "LICENSE"]
    with zipfile.ZipFile(archive, "w") as zipped:
        for file in files:
            if file.is_file():
                zipped.write(file, Path("course-main", file.relative_to(ROOT)))
    return serve(served)


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A kernel of a new environment that has all packages but posenc."""
    home = tmp_path_factory.mktemp("machine")
    venv.create(home / "env", with_pip=False)
    places = {"base": str(home / "env"), "platbase": str(home / "env")}
    packages = Path(sysconfig.get_path("purelib", "venv", places))
    (packages / "packages.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = Path(sysconfig.get_path("scripts", "venv", places)) / Path(sys.executable).name
    spec = {
        "argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "alone",
        "language": "python",
        # Offline: hatchling is there already. pip reads this 0 as "no isolation".
        "env": {"PIP_NO_INDEX": "1", "PIP_RETRIES": "0", "PIP_NO_BUILD_ISOLATION": "0", "PYTHONPATH": ""},
    }
    (home / "kernels" / "alone").mkdir(parents=True)
    (home / "kernels" / "alone" / "kernel.json").write_text(json.dumps(spec))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PATH", str(home))
        yield packages


def run(cells, folder, address):
    """Execute cells in a folder, with the public address in another place. Returns the notebook."""
    code = [nbformat.v4.new_code_cell(cell.replace(REPOSITORY["url"], address)) for cell in cells]
    notebook = nbformat.v4.new_notebook(cells=code)
    NotebookClient(notebook, timeout=120, kernel_name="alone", resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


def test_without_a_network_one_sentence_says_what_to_do(machine, tmp_path):
    with pytest.raises(CellExecutionError, match="posenc is missing here: run 'make lab'") as failure:
        run([colab_cell()], tmp_path, NOWHERE)
    assert failure.value.ename == "ModuleNotFoundError"


def test_the_first_cell_installs_the_package_and_a_chapter_runs_alone(machine, tmp_path, address):
    cells = [cell.source for cell in chapters()[5].cells if cell.kind == "code"]  # the shortest
    assert cells[0] == colab_cell()
    where = "import posenc.checks\nprint(posenc.__file__)"
    notebook = run([colab_cell(), where, *cells], tmp_path, address)
    # IPython's %pip adds a note of its own, which Colab's leaves out.
    assert [output.text for output in notebook.cells[0].outputs] == [NOTE]
    assert Path(notebook.cells[1].outputs[0].text).is_relative_to(machine)
    assert notebook.cells[2].outputs == []  # it is there already
    assert list(tmp_path.iterdir()) == []


def test_an_assignment_runs_as_it_is_handed_out(machine, tmp_path, address):
    chapter = with_exercises()[10]  # which reads a file of the package
    cells = [cell.source for cell in edition.assignment(chapter).cells if cell.cell_type == "code"]
    notebook = run(cells, tmp_path, address)
    says = [cell.outputs[-1]["data"]["text/plain"] for cell in notebook.cells if "\ncheck." in cell.source]
    assert len(says) == sum(exercise.checker is not None for exercise in chapter.exercises)
    assert all(words.startswith(("Not answered yet", "Not yet")) for words in says)
