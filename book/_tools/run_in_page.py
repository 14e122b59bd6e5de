"""Run what the pages offer in a real browser, from the built site: each statement has to give the card that is kept
in git, each exercise has to take its solution.

    python book/_tools/run_in_page.py            all of the book
    python book/_tools/run_in_page.py 04 a4      those of some notebooks

Prints what gives another card, what takes more than three seconds, what is refused, and how many there were.
"""

import json
import sys
from pathlib import Path

import browser
from playwright.sync_api import sync_playwright
from serve import serving
from statement_programs import FIELDS, NOTEBOOKS, kept

sys.path.append(str(Path(__file__).parents[1] / "_teach"))
import exercises

SITE = Path(__file__).parents[2] / "_build" / "html"
SLOW = 3  # seconds
IN_WORKER = """async ([address, programs]) => {
    const worker = new Worker(`${address}/_static/run/worker.js`, {type: "module"});
    const made = {};
    for (const [id, program] of Object.entries(programs)) {
        made[id] = await new Promise((done) => {
            worker.onmessage = ({data}) => (data.said || data.failed) && done(data);
            worker.postMessage({program});
        });
    }
    worker.terminate();
    return made;
}"""


def shipped(page, kind="statements"):
    """The programs of a page by id, as the site ships them: "statements" or "answers"."""
    file = SITE / "_static" / "run" / "statements" / f"{page}.json"
    return json.loads(file.read_text(encoding="utf-8"))[kind]


def run(tab, address, programs):
    """Run programs in a worker of the page: by id, the cards and the refusal, and the seconds that it took."""
    return tab.evaluate(IN_WORKER, [address, programs])


def unlike(stored, made):
    """What a program gave in place of the stored card; None if it gave that."""
    said = made.get("said")
    if not said or said["refusal"]:
        return made.get("failed") or said["refusal"]["words"]
    cards = {card["id"]: {name: card[name] for name in FIELDS} for card in said["cards"]}
    return None if cards.get(stored["id"]) == stored else cards


def main(chosen):
    """Run the statements of the notebooks whose names begin so."""
    wrong, count, answered = 0, 0, 0
    with serving(SITE) as address, sync_playwright() as play:
        tab = play.chromium.launch(executable_path=browser.find(), args=["--no-sandbox"]).new_page()
        tab.goto(f"{address}/404.html")
        for path in sorted(NOTEBOOKS.glob("*.ipynb")):
            if chosen and not path.name.startswith(tuple(chosen)):
                continue
            stored = {id: card for id, card in kept(path).items() if card["kind"] in ("proved", "refuted")}
            made = run(tab, address, shipped(path.stem))
            for id, card in stored.items():
                count += 1
                if id not in made or (other := unlike(card, made[id])):
                    wrong += 1
                    print(f"{path.stem}, {id}: {other if id in made else 'no program'}")
                elif made[id]["seconds"] > SLOW:
                    print(f"{path.stem}, {id}: {made[id]['seconds']:.0f} s")
            solutions = {f"answer-{one.checker}": one.solution for one in exercises.of(path)}
            cells = {id: f"{cell}\n{solutions[id]}" for id, cell in shipped(path.stem, "answers").items()}
            for id, told in run(tab, address, cells).items():
                answered += 1
                if "said" not in told or "Right. " not in told["said"]["printed"]:
                    wrong += 1
                    print(f"{path.stem}, {id}: {told}")
    print(f"{count} statements and {answered} exercises run in Chromium, {wrong} not as they are kept")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
