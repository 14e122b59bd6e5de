"""The theme's icons, cut down to those that the pages show.

The theme brings two thousand icons: a script of 1.5 MB, which `assets/scripts/fontawesome.js` replaces by
nothing, and 280 kB of fonts. After the build, the fonts keep the glyphs that occur.
"""

import logging
import re
from pathlib import Path

from fontTools import subset

STYLE = "styles/pydata-sphinx-theme.css"

logging.getLogger("fontTools").setLevel(logging.WARNING)


def cut_icons(app, exception):
    """Subset the icon fonts in the built site, and drop what no browser fetches."""
    if exception or app.builder.format != "html":
        return
    site = Path(app.outdir)
    static = site / "_static"
    style = (static / STYLE).read_text(encoding="utf-8")
    pages = [*site.rglob("*.html"), *static.glob("scripts/*.js"), *static.glob("*.js")]
    used = set()
    for page in pages:
        used.update(re.findall(r"\bfa-[a-z0-9-]+", page.read_text(encoding="utf-8")))
    glyphs = set(re.findall(r'--pst-icon-[\w-]+: ?"(.)"', style))
    glyphs |= set(re.findall(r"[\ue000-\uf8ff]", style))
    for names, code in re.findall(r'([^{}]*):before\{content:"\\([0-9a-f]+)"\}', style):
        if used & set(re.findall(r"fa-[a-z0-9-]+", names)):
            glyphs.add(chr(int(code, 16)))
    for font in sorted((static / "vendor" / "fontawesome" / "webfonts").glob("*.woff2")):
        options = subset.Options(flavor="woff2", layout_features=[], notdef_outline=True)
        face = subset.load_font(str(font), options)
        cutter = subset.Subsetter(options)
        cutter.populate(text="".join(sorted(glyphs)))
        cutter.subset(face)
        subset.save_font(face, str(font), options)
    for unused in [*static.rglob("*.map"), *(static / "vendor").rglob("*.ttf")]:
        unused.unlink()


def setup(app):
    """Run last, when the pages and the static files are there."""
    app.connect("build-finished", cut_icons, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
