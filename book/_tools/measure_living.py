"""Print how smoothly each living figure follows the hand while it is dragged.

    python book/_tools/measure_living.py               every figure
    python book/_tools/measure_living.py sinusoids     some

At full speed and with the processor slowed down four times, in a window of 390 px with a screen of double
density. `work` is what the page's main thread does for one frame, in ms: drawing may take 16.7 of them for
60 frames a second. Other programs that run meanwhile lower the first two numbers.
"""

import itertools
import statistics
import sys
import time
from pathlib import Path

import browser
import yaml
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
FIGURES = yaml.safe_load((ROOT / "book" / "_ext" / "living.yml").read_text(encoding="utf-8"))
SECONDS = 2.0
COUNT = """() => {
    const note = now => { frames_.push(now); requestAnimationFrame(note); };
    window.frames_ = [];
    requestAnimationFrame(note);
}"""


def measure(tab, name, slower):
    """Frames a second, all and the slowest twentieth, and work per frame in ms, while a figure is dragged."""
    tab.goto((ROOT / "_build" / "html" / FIGURES[name]["page"]).with_suffix(".html").as_uri())
    box = tab.locator(f".living[data-figure={FIGURES[name].get('plays', name)}]").element_handle()
    tab.mouse.move(9, 9)
    centre = "box.scrollIntoView({block: 'center', behavior: 'instant'})"
    tab.wait_for_function(f"box => {{ {centre}; return 'alive' in box.dataset; }}", arg=box, polling=50)
    tab.wait_for_timeout(1500)
    session = tab.context.new_cdp_session(tab)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    session.send("Performance.enable")

    def worked():
        metrics = session.send("Performance.getMetrics")["metrics"]
        return {metric["name"]: metric["value"] for metric in metrics}["TaskDuration"]

    grip = box.query_selector(".grip").bounding_box()
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2
    reach = min(x, 390 - x) - 12
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.evaluate(COUNT)
    before, start = worked(), time.monotonic()
    while (gone := time.monotonic() - start) < SECONDS:
        swing = abs(gone % 1 - 0.5) * 4 - 1  # to and fro, once a second
        tab.mouse.move(x + reach * swing, y + 0.3 * reach * swing)
    work = worked() - before
    tab.mouse.up()
    frames = tab.evaluate("frames_")
    session.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    lasted = sorted(later - earlier for earlier, later in itertools.pairwise(frames))
    slow = lasted[int(0.95 * len(lasted)) :]
    return 1000 / statistics.mean(lasted), 1000 / statistics.mean(slow), 1000 * work / len(frames)


def main(names):
    """Measure and print."""
    print(f"{'figure':12}{'processor':>12}{'frames/s':>10}{'slowest 5%':>12}{'work, ms':>10}")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser.find(), args=["--no-sandbox"])
        for name in names or FIGURES:
            for slower in (1, 4):
                tab = running.new_page(viewport={"width": 390, "height": 844}, device_scale_factor=2)
                rate, slowest, work = measure(tab, name, slower)
                print(f"{name:12}{f'1/{slower}':>12}{rate:10.0f}{slowest:12.0f}{work:10.1f}", flush=True)
                tab.close()
        running.close()


if __name__ == "__main__":
    main(sys.argv[1:])
