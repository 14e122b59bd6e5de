"""Check every theorem in this folder from nothing, with Coq, and print what each rests on.

- `python3 proofs/check.py` checks all; one line a theorem: lines, seconds, what it rests on.
- `… --provide` sees that Coq is there; under CI=true it installs it, or fails.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = "coq libcoq-mathcomp-analysis libcoq-mathcomp-algebra-tactics libcoq-mathcomp-real-closed".split()
REMEDY = f"on Debian 12: apt-get install {' '.join(PACKAGES)}"
VERSION = "8.16.1"  # of Coq; with mathcomp 1.15 and mathcomp-analysis 0.6, as in Debian 12
# The three axioms of classical mathematics that the library's real numbers rest on. We add none.
CLASSICAL = {
    "boolp.constructive_indefinite_description",
    "boolp.functional_extensionality_dep",
    "boolp.propositional_extensionality",
}
QUIET = "-notation-overridden,-ambiguous-paths,-redundant-canonical-projection,-projection-no-head-constant"
FLAGS = ["-q", "-Q", ".", "posenc", "-w", QUIET]
STATEMENT = re.compile(
    r"^(?:\(\*(?P<comment>(?:(?!\*\)).)*)\*\)\n)?(?P<kind>Theorem|Definition|Record) (?P<name>[\w']+)"
    r"(?P<text>.*?\.)(?=\s)",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class Statement:
    """A theorem or a definition, as its file has it; start and end are places in the file, with the proof."""

    kind: str
    name: str
    file: Path
    comment: str
    source: str
    line: int
    lines: int
    start: int
    end: int


def statements(folder=HERE):
    """All theorems and definitions, in the order of the files."""
    in_order = []
    for file in sorted(folder.glob("*.v")):
        text = file.read_text(encoding="ascii")
        for match in STATEMENT.finditer(text):
            start = match.start("kind")
            end = text.find("Qed.", match.end()) + 4 if match["kind"] == "Theorem" else match.end()
            in_order.append(
                Statement(
                    kind=match["kind"],
                    name=match["name"],
                    file=file,
                    comment=" ".join((match["comment"] or "").split()),
                    source=text[start : match.end()],
                    line=text[:start].count("\n") + 1,
                    lines=text[start:end].count("\n") + 1,
                    start=start,
                    end=end,
                )
            )
    return in_order


def theorems(folder=HERE):
    """The theorems alone."""
    return [statement for statement in statements(folder) if statement.kind == "Theorem"]


@dataclass
class Report:
    """What Coq says: the axioms of all theorems, those of each if each was asked for, the seconds of each proof."""

    together: list
    each: dict
    seconds: dict


def coq():
    """The path of a Coq of our version, or None."""
    path = shutil.which("coqc")
    if not path:
        return None
    version = subprocess.run([path, "--print-version"], capture_output=True, text=True).stdout
    return path if version.startswith(VERSION) else None


def check(folder=HERE, each=False):
    """Compile all files in an empty place and ask Coq what it accepted. Raises SystemExit if that is not all.

    The axioms of all theorems together take Coq two seconds; those of each, one second a theorem.
    """
    stated = theorems(folder)
    with tempfile.TemporaryDirectory() as place:
        for file in folder.glob("*.v"):
            shutil.copy(file, place)
        seconds = compile_all(place, stated)
        axioms = ask_for_axioms(place, stated, each)
    return Report(axioms.pop("everything"), axioms, seconds)


def compile_all(place, stated):
    """Compile the files in the order of their needs; the seconds that each theorem took."""
    names = sorted(file.name for file in Path(place).glob("*.v"))  # also what states nothing
    seconds = {}
    for name in run(["coqdep", "-Q", ".", "posenc", "-sort", *names], place).split():
        times = run(["coqc", *FLAGS, "-time", name], place)
        sentences = re.findall(r"^Chars (\d+) - \d+ .* secs \(([\d.]+)u,", times, re.MULTILINE)
        for theorem in stated:
            if theorem.file.name == name:
                own = [float(user) for at, user in sentences if theorem.start <= int(at) <= theorem.end]
                seconds[theorem.name] = sum(own)
    return seconds


def ask_for_axioms(place, stated, each):
    """Let Coq print what the theorems rest on, to files: {"everything": axioms}, and of each theorem its own."""
    paths = {theorem.name: f"{theorem.file.stem}.{theorem.name}" for theorem in stated}
    lines = [
        # An axiom is called by the shortest name that these imports allow, as in CLASSICAL.
        "From mathcomp Require Import all_ssreflect all_fingroup all_algebra.",
        "From mathcomp.real_closed Require Import complex.",
        "From mathcomp.analysis Require Import reals exp trigo.",
        *(f"From posenc Require Import {file}." for file in sorted({theorem.file.stem for theorem in stated})),
        f"Definition everything := ({', '.join(f'@{path}' for path in paths.values())}).",
    ]
    asked = {"everything": "everything"} | (paths if each else {})
    lines += [f'Redirect "{name}" Print Assumptions {path}.' for name, path in asked.items()]
    Path(place, "ask.v").write_text("\n".join(lines) + "\n")
    run(["coqc", *FLAGS, "ask.v"], place)
    return {name: axioms_in(Path(place, f"{name}.out").read_text("utf-8")) for name in asked}


def axioms_in(text):
    """The names in an answer to Print Assumptions. What is not understood is kept as it is."""
    if text.strip() == "Closed under the global context":
        return []
    names = [line for line in text.splitlines() if line and not line.startswith(" ") and line != "Axioms:"]
    return sorted(re.sub(r"\s*:.*", "", name) for name in names)


def run(command, place):
    """Run a command in the place of the check; its output. Raises SystemExit with Coq's own words if it fails."""
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    if done.returncode:
        output = [line for line in done.stdout.splitlines() if not line.startswith("Chars ")]
        raise SystemExit("\n".join([f"{command[0]} does not accept it:", *output, done.stderr]))
    return done.stdout


def provide():
    """A Coq: the one that is there; under CI one that we install, or a failure; elsewhere a sentence."""
    if coq():
        return f"Coq {VERSION} is there: the tests check the theorems of proofs/."
    if os.environ.get("CI") != "true":
        return f"There is no Coq {VERSION} here, so the theorems of proofs/ are not checked ({REMEDY})."
    if shutil.which("apt-get"):
        root = [] if os.geteuid() == 0 else ["sudo"]
        for command in (["update"], ["install", "--yes", "--no-install-recommends", *PACKAGES]):
            subprocess.run([*root, "apt-get", *command])
    if not coq():
        raise SystemExit(f"CI must check the theorems, and Coq {VERSION} could not be installed ({REMEDY}).")
    return f"Coq {VERSION} was installed."


def main(arguments):
    """The command line."""
    if arguments == ["--provide"]:
        return print("Proofs:", provide())
    if not coq():
        raise SystemExit(f"There is no Coq {VERSION} here ({REMEDY}).")
    report = check(each=True)
    for theorem in theorems():
        axioms, seconds = report.each[theorem.name], report.seconds[theorem.name]
        words = "no axiom" if not axioms else "classical axioms" if set(axioms) <= CLASSICAL else ", ".join(axioms)
        print(f"{theorem.file.name:16} {theorem.name:32} {theorem.lines:3} lines {seconds:6.1f} s  {words}")
    print("\nThe classical axioms:", *sorted(CLASSICAL), sep="\n  ")
    if not set(report.together) <= CLASSICAL:
        raise SystemExit("A theorem rests on more than these.")


if __name__ == "__main__":
    main(sys.argv[1:])
