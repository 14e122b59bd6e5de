"""The pages of the book, as the table of contents lists them."""

import yaml
from normalise import FOLDER, ROOT, is_appendix, notebooks

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
DOOR = "00_in_one_sitting"  # chapter 0 has rules of its own
CHAPTERS = [path.stem for path in notebooks() if not is_appendix(path) and path.stem != DOOR]
APPENDICES = [path.stem for path in notebooks() if is_appendix(path)]
NOTEBOOKS = [DOOR, *CHAPTERS, *APPENDICES]


def page_names():
    """Return the names of all pages, such as "book/notation", without suffix and in their order."""
    names = [TOC["root"]]
    for entry in (entry for part in TOC["parts"] for entry in part["chapters"]):
        if "file" in entry:
            names.append(entry["file"])
        else:
            paths = sorted(FOLDER.parent.glob(f"{entry['glob']}.ipynb"))
            names += [path.relative_to(ROOT).with_suffix("").as_posix() for path in paths]
    return names
