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
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
KEPT = HERE / "statements.txt"
PACKAGES = (
    "coq",
    "libcoq-mathcomp-analysis",
    "libcoq-mathcomp-algebra-tactics",
    "libcoq-mathcomp-real-closed",
)
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
    """A theorem or a definition, as its file has it."""

    kind: str
    name: str
    file: Path
    line: int
    comment: str
    source: str
    proof: str


def stated(folder=HERE):
    """All theorems and definitions, in the order of the files."""
    found = []
    for file in sorted(folder.glob("*.v")):
        text = file.read_text(encoding="ascii")
        for match in STATED.finditer(text):
            start = match.start("kind")
            end = text.find("Qed.", match.end()) + 4 if match["kind"] == "Theorem" else match.end()
            found.append(
                Stated(
                    match["kind"], match["name"], file, text[:start].count("\n") + 1,
                    " ".join((match["comment"] or "").split()), text[start : match.end()], text[start:end],
                )
            )  # fmt: skip
    return found


def theorems(folder=HERE):
    """The theorems by name."""
    return {entry.name: entry for entry in stated(folder) if entry.kind == "Theorem"}


@dataclass
class Report:
    """What Coq says: each statement as printed, the axioms of each theorem, the seconds of each proof."""

    printed: dict = field(default_factory=dict)
    digest: dict = field(default_factory=dict)
    rests: dict = field(default_factory=dict)  # of each, if each was asked for
    together: list = field(default_factory=list)  # of all theorems together
    seconds: dict = field(default_factory=dict)

    def statements(self):
        """The text that is kept: each name with the digest of its full form, then the statement."""
        entries = (f"{name}  {self.digest[name]}\n{text}\n" for name, text in self.printed.items())
        return "\n".join(entries)


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
        report = Report(seconds=compiled(place))
        ask(place, entries, each)
        report.together = axioms(Path(place, "everything.rests.out").read_text())
        for entry in entries:
            name = entry.name
            report.printed[name] = Path(place, f"{name}.short.out").read_text().strip()
            full = Path(place, f"{name}.full.out").read_bytes()
            report.digest[name] = hashlib.sha256(full).hexdigest()[:16]
            if each and entry.kind == "Theorem":
                report.rests[name] = axioms(Path(place, f"{name}.rests.out").read_text())
    return report


def compiled(place):
    """Compile the files in the order of their needs; the seconds that each theorem took."""
    names = sorted(file.name for file in Path(place).glob("*.v"))
    order = run(["coqdep", "-Q", ".", "posenc", "-sort", *names], place).split()
    seconds = {}
    for name in order:
        text = Path(place, name).read_text(encoding="ascii")
        times = run(["coqc", *FLAGS, "-time", name], place)
        spent = [
            (int(start), float(user))
            for start, user in re.findall(r"^Chars (\d+) - \d+ .* secs \(([\d.]+)u,", times, re.MULTILINE)
        ]
        for match in STATED.finditer(text):
            end = text.find("Qed.", match.end())
            seconds[match["name"]] = sum(user for start, user in spent if match.start("kind") <= start <= end)
    return seconds


def ask(place, entries, each):
    """Let Coq print each statement, short and in full, and what the theorems rest on, to files."""
    lines = ["From mathcomp Require Import all_ssreflect all_fingroup all_algebra."]
    lines += ["From mathcomp.real_closed Require Import complex."]
    lines += ["From mathcomp.analysis Require Import reals exp trigo."]
    lines += [
        f"From posenc Require Import {file}." for file in sorted({entry.file.stem for entry in entries})
    ]
    lines += ["Local Open Scope ring_scope.", "Set Printing Width 110."]
    for entry in entries:
        command = "Check" if entry.kind == "Theorem" else "Print"
        path = f"{entry.file.stem}.{entry.name}"
        lines += [f'Redirect "{entry.name}.short" {command} {path}.']
        lines += [
            "Set Printing All.",
            f'Redirect "{entry.name}.full" {command} {path}.',
            "Unset Printing All.",
        ]
        if each and entry.kind == "Theorem":
            lines += [f'Redirect "{entry.name}.rests" Print Assumptions {path}.']
    names = [f"@{entry.file.stem}.{entry.name}" for entry in entries if entry.kind == "Theorem"]
    lines += [
        f"Definition everything := ({', '.join(names)}).",
        'Redirect "everything.rests" Print Assumptions everything.',
    ]
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
        return KEPT.write_text(check().statements(), encoding="utf-8")
    report = check(each=True)
    for name, entry in theorems().items():
        rests = report.rests[name]
        words = (
            "no axiom" if not rests else "classical axioms" if set(rests) <= CLASSICAL else ", ".join(rests)
        )
        lines = entry.proof.count("\n") + 1
        print(f"{entry.file.name:16} {name:32} {lines:3} lines {report.seconds[name]:6.1f} s  {words}")
    print("\nThe classical axioms:", *sorted(CLASSICAL), sep="\n  ")
    if not set(report.together) <= CLASSICAL:
        raise SystemExit("A theorem rests on more than these.")
    if KEPT.read_text(encoding="utf-8") != report.statements():
        raise SystemExit("The statements differ from those in statements.txt: see how (--keep keeps these).")


if __name__ == "__main__":
    main(sys.argv[1:])
