"""Check every theorem in `proofs/` from nothing, with Coq, and print what each rests on.

- `python3 book/coursebook/tools/proofs.py` checks all; one line a theorem.
- `… --provide` sees that Coq is there; under CI=true it installs it, or fails.

It is run by its path, by any Python 3.11 and without the set-up, so it imports the standard library alone.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "proofs"
VERSION = "8.16.1"  # of Coq; with mathcomp 1.15 and mathcomp-analysis 0.6, as in Debian 12
INSTALL = "apt-get install coq libcoq-mathcomp-analysis libcoq-mathcomp-algebra-tactics libcoq-mathcomp-real-closed"
COQC = "coqc -q -w none -Q . posenc".split()
# The three axioms of classical mathematics that the library's real numbers rest on. We add none.
CLASSICAL = {
    "boolp.constructive_indefinite_description",
    "boolp.functional_extensionality_dep",
    "boolp.propositional_extensionality",
}
# An axiom is called by the shortest name that these imports allow, as in CLASSICAL.
IMPORTS = """From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From mathcomp.real_closed Require Import complex.
From mathcomp.analysis Require Import reals exp trigo."""
COMMENT = r"(?:\(\*(?P<comment>(?:(?!\*\)).)*)\*\)\n)?"
SOURCE = r"(?P<source>(?P<kind>Theorem|Definition|Record) (?P<name>[\w']+).*?\.)(?=\s)"
Statement = namedtuple("Statement", "kind name comment source file line")


def statements(folder=FOLDER):
    """Yield a Statement for each theorem and definition in a folder, in the order of the files."""
    for file in sorted(folder.glob("*.v")):
        text = file.read_text(encoding="ascii")
        for match in re.finditer(f"^{COMMENT}{SOURCE}", text, re.DOTALL | re.MULTILINE):
            comment = " ".join((match["comment"] or "").split())
            line = text.count("\n", 0, match.start("source")) + 1
            yield Statement(match["kind"], match["name"], comment, match["source"], file, line)


def check(folder=FOLDER, each=True):
    """Compile all files in an empty place. Returns the axioms that each theorem rests on, by its name.

    That takes Coq one second a theorem; with each=False, "everything" at once takes two.
    Raises SystemExit with Coq's own words if it does not accept a file.
    """
    stated = [statement for statement in statements(folder) if statement.kind == "Theorem"]
    paths = {theorem.name: f"{theorem.file.stem}.{theorem.name}" for theorem in stated}
    requires = [f"From posenc Require Import {stem}." for stem in sorted({theorem.file.stem for theorem in stated})]
    everything = f"Definition everything := ({', '.join(f'@{path}' for path in paths.values())})."
    printed_names = paths if each else {"everything": "everything"}
    prints = [f'Redirect "{name}" Print Assumptions {path}.' for name, path in printed_names.items()]
    with tempfile.TemporaryDirectory() as place:
        files = [Path(shutil.copy(file, place)).name for file in sorted(folder.glob("*.v"))]
        Path(place, "ask.v").write_text("\n".join([IMPORTS, *requires, everything, *prints, ""]))
        in_order = run(["coqdep", "-Q", ".", "posenc", "-sort", *files], place).split()
        for name in [*in_order, "ask.v"]:
            run([*COQC, name], place)
        return {name: axioms_in(Path(place, f"{name}.out").read_text("utf-8")) for name in printed_names}


def axioms_in(answer):
    """The names in Coq's answer to Print Assumptions, sorted. What is not understood is kept as it is."""
    lines = [line for line in answer.splitlines() if line and not line.startswith(" ")]
    headings = ("Axioms:", "Closed under the global context")
    return sorted(re.sub(r"\s*:.*", "", line) for line in lines if line not in headings)


def run(command, place):
    """Run a command, a list of words, in the folder `place`. Returns its output; raises SystemExit where it fails."""
    process = subprocess.run(command, cwd=place, capture_output=True, text=True)
    if process.returncode:
        raise SystemExit(f"{command[0]} does not accept it:\n{process.stdout}{process.stderr}")
    return process.stdout


def has_coq():
    """Whether a Coq of our version is there."""
    return bool(shutil.which("coqc")) and run(["coqc", "--print-version"], FOLDER).startswith(VERSION)


def provide():
    """See that Coq is there; under CI install it, or fail. Returns what is so in a sentence."""
    if os.environ.get("CI") == "true" and not has_coq():
        root = "" if os.geteuid() == 0 else "sudo "
        subprocess.run(f"{root}apt-get update; {root}{INSTALL} --yes --no-install-recommends", shell=True)
        if not has_coq():
            raise SystemExit(f"CI must check the theorems, and Coq {VERSION} could not be installed: {INSTALL}")
    if has_coq():
        return f"Coq {VERSION} is there: the tests check the theorems of proofs/."
    return f"There is no Coq {VERSION} here, so the theorems of proofs/ are not checked (on Debian 12: {INSTALL})."


def main():
    """Provide Coq, print what each theorem rests on, and exit with an error if an axiom is not a classical one."""
    words = provide()
    if not has_coq():
        raise SystemExit(words)
    axioms = check()
    for name, own in axioms.items():
        print(f"{name:32}", ", ".join(own) or "no axiom")
    if ours := set().union(*axioms.values()) - CLASSICAL:
        raise SystemExit(f"More than the classical axioms: {', '.join(sorted(ours))}.")


if __name__ == "__main__":
    print("Proofs:", provide()) if sys.argv[1:] == ["--provide"] else main()
