"""Find a Chromium; run as a script, provide one where there is none.

Looked at, in this order: the environment variable CHROMIUM, `chromium` and its other names on the path,
the browser that playwright downloaded.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """The path of a Chromium: $CHROMIUM, then NAMES on the PATH, then playwright's own; None where there is none."""
    for name in filter(None, (os.environ.get("CHROMIUM"), *NAMES)):
        if path := shutil.which(name):
            return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def provide():
    """Install a Chromium, with playwright, else with apt where we may. Returns its path, or exits with what to do."""
    attempts = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and os.geteuid() == 0:
        attempts[0].insert(-1, "--with-deps")
        attempts.append(["apt-get", "install", "--yes", "--no-install-recommends", "chromium"])
    for command in attempts:
        if subprocess.run(command).returncode == 0 and (path := find()):
            return path
    sys.exit("No Chromium was found or could be installed: install one, or set CHROMIUM to the path of yours.")


if __name__ == "__main__":
    print("Browser:", find() or provide())
