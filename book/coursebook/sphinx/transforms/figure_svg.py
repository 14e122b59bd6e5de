"""A drawing of matplotlib's as SVG for the page: with live text, in the colours of both themes.

A colour's counterpart by night has the same contrast with the dark page as the colour has with the light one.
Heatmaps turn their lightness round by night (`figures.css`), so that 0 is as dark as the page.
"""

import base64
import colorsys
import io
import re
from bisect import bisect_left

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from PIL import Image

DAY, NIGHT = "#fdfdfb", "#18211e"  # the papers: that of the figures, and the page's in the dark theme
COLOUR = re.compile(r"#([0-9a-f]{6})\b")
DROPPED = re.compile(
    r"<metadata>.*?</metadata>|<style.*?</style>"
    rf'|<path [^>]*style="fill: {DAY}"/>'  # paper: the page shows through
    r"|font-family: [^;]*; "  # text has the page's own face
    r'| transform="rotate\(-0 [^"]*"',
    re.DOTALL,
)


def tidy(svg, name):
    """An SVG file's text as HTML: a style of colours by night, an svg without paper; ids begin with `name`."""
    used = set(re.findall(r'(?:url\(|href=")#([\w-]+)', svg))
    svg = DROPPED.sub("", svg[svg.index("<svg") :])
    svg = re.sub(r'<svg [^>]*(viewBox="[^"]*")[^>]*>', r"<svg \1>", svg)
    svg = re.sub(r' id="([^"]*)"', lambda id: f' id="{name}-{id[1]}"' if id[1] in used else "", svg)
    svg = re.sub(r'(url\(|href=")#', rf"\1#{name}-", svg)
    svg = re.sub(r'(?<=data:image/png;base64,)[^"]*', with_palette, svg)
    svg = re.sub(r'(?<= d=")M([L\d.\s-]{1000,})', as_steps, svg)
    svg = re.sub(r' (?:d|x|y)="[^"]*"', in_tenths, svg)
    svg = re.sub(r"\s+", " ", svg).replace("> <", "><").strip()
    night = ";".join(f"--{colour}:{by_night('#' + colour)}" for colour in sorted(set(COLOUR.findall(svg))))
    svg = COLOUR.sub(r"var(--\1,#\1)", svg)
    svg = re.sub(r' style="([^"]*)"', as_attributes, svg)
    return f'<style>@media screen{{html[data-theme="dark"] #{name}{{{night}}}}}</style>{svg}'


def as_attributes(match):
    """A matched style as attributes, which a server's policy cannot refuse."""
    return "".join(f' {name}="{value}"' for name, value in re.findall(r"([\w-]+): ([^;]+)", match[1]))


def with_palette(match):
    """A matched PNG, in base64, with a table of its colours, half the bytes; unchanged if that loses any."""
    image = Image.open(io.BytesIO(base64.b64decode(match[0]))).convert("RGBA")
    palette = image.convert("RGB").quantize(256)
    if palette.convert("RGBA").tobytes() != image.tobytes():
        return match[0]
    palette.save(file := io.BytesIO(), format="png", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def as_steps(match):
    """A matched path as steps from point to point, in tenths of a unit; its rounding errors do not add up."""
    points = np.array(match[1].replace("L", " ").split(), float).reshape(-1, 2)
    steps = np.diff(np.rint(10 * points), axis=0, prepend=0) / 10
    return "m" + "l".join(f"{x:g} {y:g}" for x, y in steps)


def in_tenths(match):
    """A matched attribute with its numbers rounded to a tenth of a unit, which is a sixth of a pixel."""
    return re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.1f}", match[0])


def by_night(colour):
    """The colour of the same hue that contrasts with the dark page as `colour` does with the light one."""
    if colour == DAY:
        return NIGHT
    wanted = (luminance(DAY) + 0.05) * (luminance(NIGHT) + 0.05) / (luminance(colour) + 0.05) - 0.05
    hue, _, saturation = colorsys.rgb_to_hls(*to_rgb(colour))

    def with_lightness(step):
        return to_hex(colorsys.hls_to_rgb(hue, step / 2**20, saturation))

    # Luminance rises with lightness.
    return with_lightness(bisect_left(range(2**20), wanted, key=lambda step: luminance(with_lightness(step))))


def luminance(colour):
    """The relative luminance of a colour, from 0 to 1, as WCAG defines it to measure contrast."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
