"""Check every theorem in this folder from nothing, with Coq, and print what each rests on.

- `python3 proofs/check.py` checks all; one line a theorem: lines, seconds, what it rests on.
- `… --keep` keeps the statements as Coq prints them, in statements.txt.
- `… --provide` sees that Coq is there; under CI=true it installs it, or fails.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
KEPT = HERE / "statements.txt"
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
STATED = re.compile(
    r"^(?:\(\*(?P<comment>(?:(?!\*\)).)*)\*\)\n)?(?P<kind>Theorem|Definition|Record) (?P<name>[\w']+)"
    r"(?P<text>.*?\.)(?=\s)",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class Stated:
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


def stated(folder=HERE):
    """All theorems and definitions, in the order of the files."""
    found = []
    for file in sorted(folder.glob("*.v")):
        text = file.read_text(encoding="ascii")
        for match in STATED.finditer(text):
            start = match.start("kind")
            end = text.find("Qed.", match.end()) + 4 if match["kind"] == "Theorem" else match.end()
            line, lines = text[:start].count("\n") + 1, text[start:end].count("\n") + 1
            said, source = " ".join((match["comment"] or "").split()), text[start : match.end()]
            found.append(Stated(match["kind"], match["name"], file, said, source, line, lines, start, end))
    return found


@dataclass
class Report:
    """What Coq says: the axioms of all theorems, those of each if each was asked for, the seconds of each proof.

    statements is the text that is kept: each name with the digest of its full form, then the statement.
    """

    statements: str
    together: list
    rests: dict
    seconds: dict


def coq():
    """The path of a Coq of our version, or None."""
    path = shutil.which("coqc")
    if not path:
        return None
    version = subprocess.run([path, "--print-version"], capture_output=True, text=True).stdout
    return path if version.startswith(VERSION) else None


def check(folder=HERE, each=False):
    """Compile all files in an empty place and ask Coq what it accepted. Raises if that is not all.

    The axioms of all theorems together take Coq two seconds; those of each, one second a theorem.
    """
    entries = stated(folder)
    with tempfile.TemporaryDirectory() as place:
        for file in folder.glob("*.v"):
            shutil.copy(file, place)
        seconds = compiled(place, entries)
        ask(place, entries, each)
        said = {file.name.removesuffix(".out"): file.read_text("utf-8") for file in Path(place).glob("*.out")}
    kept = []
    for name in (entry.name for entry in entries):
        digest = hashlib.sha256(said[f"{name}.full"].encode()).hexdigest()[:16]
        kept.append(f"{name}  {digest}\n{said[f'{name}.short'].strip()}\n")
    rests = {name.removesuffix(".rests"): axioms(text) for name, text in said.items() if name.endswith(".rests")}
    return Report("\n".join(kept), rests.pop("everything"), rests, seconds)


def compiled(place, entries):
    """Compile the files in the order of their needs; the seconds that each theorem took."""
    names = sorted(file.name for file in Path(place).glob("*.v"))  # also what states nothing
    seconds = {}
    for name in run(["coqdep", "-Q", ".", "posenc", "-sort", *names], place).split():
        times = run(["coqc", *FLAGS, "-time", name], place)
        spent = re.findall(r"^Chars (\d+) - \d+ .* secs \(([\d.]+)u,", times, re.MULTILINE)
        for entry in (entry for entry in entries if entry.file.name == name):
            seconds[entry.name] = sum(float(user) for at, user in spent if entry.start <= int(at) <= entry.end)
    return seconds


def ask(place, entries, each):
    """Let Coq print each statement, short and in full, and what the theorems rest on, to files."""
    lines = [
        "From mathcomp Require Import all_ssreflect all_fingroup all_algebra.",
        "From mathcomp.real_closed Require Import complex.",
        "From mathcomp.analysis Require Import reals exp trigo.",
        *(f"From posenc Require Import {file}." for file in sorted({entry.file.stem for entry in entries})),
        "Local Open Scope ring_scope.\nSet Printing Width 110.",
    ]
    for entry in entries:
        command = "Check" if entry.kind == "Theorem" else "Print"
        path = f"{entry.file.stem}.{entry.name}"
        lines += [f'Redirect "{entry.name}.short" {command} {path}.']
        lines += [f'Set Printing All.\nRedirect "{entry.name}.full" {command} {path}.\nUnset Printing All.']
        if each and entry.kind == "Theorem":
            lines += [f'Redirect "{entry.name}.rests" Print Assumptions {path}.']
    names = [f"@{entry.file.stem}.{entry.name}" for entry in entries if entry.kind == "Theorem"]
    lines += [f"Definition everything := ({', '.join(names)})."]
    lines += ['Redirect "everything.rests" Print Assumptions everything.']
    Path(place, "ask.v").write_text("\n".join(lines) + "\n")
    run(["coqc", *FLAGS, "ask.v"], place)


def axioms(text):
    """The names in an answer to Print Assumptions. What is not understood is kept as it is."""
    if text.strip() == "Closed under the global context":
        return []
    names = [line for line in text.splitlines() if line and not line.startswith(" ") and line != "Axioms:"]
    return sorted(re.sub(r"\s*:.*", "", name) for name in names)


def run(command, place):
    """Run a command in the place of the check; its output. Raises with Coq's own words if it fails."""
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    if done.returncode:
        said = [line for line in done.stdout.splitlines() if not line.startswith("Chars ")]
        raise SystemExit("\n".join([f"{' '.join(command[:1])} does not accept it:", *said, done.stderr]))
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
    if arguments == ["--keep"]:
        return KEPT.write_text(check().statements, encoding="utf-8")
    report = check(each=True)
    for entry in (entry for entry in stated() if entry.kind == "Theorem"):
        rests, seconds = report.rests[entry.name], report.seconds[entry.name]
        words = "no axiom" if not rests else "classical axioms" if set(rests) <= CLASSICAL else ", ".join(rests)
        print(f"{entry.file.name:16} {entry.name:32} {entry.lines:3} lines {seconds:6.1f} s  {words}")
    print("\nThe classical axioms:", *sorted(CLASSICAL), sep="\n  ")
    if not set(report.together) <= CLASSICAL:
        raise SystemExit("A theorem rests on more than these.")
    if KEPT.read_text(encoding="utf-8") != report.statements:
        raise SystemExit("The statements differ from those in statements.txt: see how (--keep keeps these).")


if __name__ == "__main__":
    main(sys.argv[1:])
