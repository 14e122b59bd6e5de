"""A drawing of matplotlib's as SVG for the page: small, with live text, in the colours of both themes.

A colour's counterpart by night has the same contrast with the dark page as the colour has with the
light one. A heatmap turns its lightness round by night, so that 0 is as dark as the page. What stands on a
heatmap keeps its colours, as that heatmap does.
"""

import base64
import colorsys
import io
import re
from collections import Counter
from xml.etree import ElementTree

from matplotlib.colors import to_hex, to_rgb
from PIL import Image, ImageChops

DAY, NIGHT = "#fdfdfb", "#18211e"  # the papers: that of the figures, and the page's in the dark theme
PAPER = f"fill:var(--{DAY[1:]},{DAY})"
DROPPED = ("metadata", "style")
TURNED = "filter:invert(.9) hue-rotate(180deg)"
EDGE = 0.6  # a tick of an axis begins at the edge of its heatmap, up to rounding
LONG = 1000  # characters of a path
COLOUR = re.compile(r"#([0-9a-f]{6})\b")


def tidy(svg, name):
    """The drawing as an element of a page, transparent where it is paper; its ids begin with `name`."""
    root = ElementTree.fromstring(svg)
    used = set(re.findall(r'(?:url\(|href=")#([\w-]+)', svg))
    _strip(root)
    maps = [_box(image) for image in root.iter("image") if image.get("transform", "").startswith("matrix")]
    bare = maps and not any(_on(element, maps) for element in root.iter() if element.tag != "image")
    for element in root.iter():
        _clean(element, name, used, themed=not _on(element, maps))
    for parent in root.iter():
        parent[:] = [child for child in parent if child.get("style") != PAPER]
    _flatten(root)
    view = root.get("viewBox")
    root.attrib.clear()
    root.attrib.update({"viewBox": view, "aria-hidden": "true"})
    rules = _rules(root, name)
    drawing = ElementTree.tostring(root, encoding="unicode")
    colours = sorted(set(re.findall(r"var\(--(\w+)", rules + drawing)))
    night = ";".join(f"--{colour}:{by_night('#' + colour)}" for colour in colours)
    dark = f'html[data-theme="dark"] #{name}'
    turned = f"{dark} image{{{TURNED}}}" if bare else ""
    return f"<style>{rules}@media screen{{{dark}{{{night}}}{turned}}}</style>{drawing}"


def by_night(colour):
    """The colour of the same hue that contrasts with the dark page as `colour` does with the light one."""
    if colour == DAY:
        return NIGHT
    wanted = (light(DAY) + 0.05) * (light(NIGHT) + 0.05) / (light(colour) + 0.05) - 0.05
    hue, _, strength = colorsys.rgb_to_hls(*to_rgb(colour))
    low, high = 0.0, 1.0
    for _ in range(20):  # luminance rises with lightness: halve the interval
        middle = (low + high) / 2
        found = to_hex(colorsys.hls_to_rgb(hue, middle, strength))
        low, high = (middle, high) if light(found) < wanted else (low, middle)
    return to_hex(colorsys.hls_to_rgb(hue, high, strength))


def light(colour):
    """Relative luminance, as contrast is measured."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _strip(root):
    """Names without their namespaces; no metadata, no style sheet."""
    for element in list(root.iter()):
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
        element.text, element.tail = (element.text or "").strip() or None, None
        element[:] = [child for child in element if child.tag.rpartition("}")[2] not in DROPPED]


def _clean(element, name, used, themed):
    """Shorten an element's attributes; let the theme change its colours, if it is `themed`."""
    given = element.attrib
    if given.get("id") not in used:
        given.pop("id", None)
    style = dict(part.split(": ", 1) for part in given.pop("style", "").split("; ") if ": " in part)
    style.pop("font-family", None)
    if themed:
        style = {key: COLOUR.sub(r"var(--\1,#\1)", value) for key, value in style.items()}
    if style:
        given["style"] = ";".join(f"{key}:{value}" for key, value in style.items())
    if given.get("transform", "").startswith("rotate(-0 "):
        del given["transform"]
    for key, value in given.items():
        if key == "d":
            value = re.sub(r"\s*([A-Zz])\s*", r"\1", value)
            if len(value) > LONG and not re.search("[^MLz0-9. -]", value):
                given[key] = _steps(value)
                continue
        if key in ("id", "href", "clip-path") and not value.startswith("data:"):
            value = re.sub(r"^(url\(#|#|)", rf"\1{name}-", value)
        elif key in ("d", "x", "y", "width", "height") or (key == "transform" and "matrix" not in value):
            value = re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), value)
        if value.startswith("data:image/png"):
            value = _palette(value)
        given[key] = re.sub(r"\s+", "" if value.startswith("data:") else " ", value).strip()


def _steps(path):
    """A long line as steps from point to point, in tenths of a unit; no rounding adds up."""
    place, steps = (0, 0), []
    for kind, x, y in re.findall(r"([ML])(\S+) ([^ MLz]+)", path):
        to = round(10 * float(x)), round(10 * float(y))
        if kind == "M" or to != place:
            by = [f"{(end - start) / 10:g}" for start, end in zip(place, to, strict=True)]
            steps.append(kind.lower() + re.sub(r" ?(-)", r"\1", re.sub(r"\b0\.", ".", " ".join(by))))
        place = to
    return "".join(steps) + ("z" if path.endswith("z") else "")


def _palette(url):
    """A heatmap's pixels with a table of its colours (a colour map has 256), where nothing is lost by it."""
    kind, _, data = url.partition(",")
    with Image.open(io.BytesIO(base64.b64decode(data))) as image:
        pixels = image.convert("RGBA")
    if pixels.getextrema()[3] != (255, 255) or not pixels.getcolors(256):
        return url
    plain = pixels.convert("RGB")
    few = plain.quantize(256)
    if ImageChops.difference(few.convert("RGB"), plain).getbbox():
        return url
    few.save(small := io.BytesIO(), format="png", optimize=True)
    return min(url, f"{kind},{base64.b64encode(small.getvalue()).decode()}", key=len)


def _box(image):
    """Left, top, right, bottom of a heatmap."""
    across, _, _, down, x, y = map(float, re.findall(r"-?[\d.]+", image.get("transform")))
    return x, y, x + across * float(image.get("width")), y + down * float(image.get("height"))


def _on(element, maps):
    """Whether something begins inside a heatmap; its background, drawn before, is as large as it is."""
    start = re.match(r"M (\S+) (\S+)", element.get("d", ""))
    x, y = start.groups() if start else (element.get("x"), element.get("y"))
    if x is None or y is None:
        return False
    return any(
        left + EDGE < float(x) < right - EDGE and top + EDGE < float(y) < bottom - EDGE
        for left, top, right, bottom in maps
    )


def _rules(root, name):
    """Write each style that is used again as one rule, and give its elements a class in its place."""
    styled = [element for element in root.iter() if "style" in element.attrib]
    used = Counter(element.get("style") for element in styled)
    again = [style for style, times in used.items() if times > 1]
    for element in styled:
        if element.get("style") in again:
            element.set("class", f"s{again.index(element.attrib.pop('style'))}")
    return "".join(f"#{name} .s{number}{{{style}}}" for number, style in enumerate(again))


def _flatten(parent):
    """Put the children of groups that say nothing in the groups' place; share a style that all have."""
    flat = []
    for child in parent:
        _flatten(child)
        styles = {inner.get("style") for inner in child}
        if child.tag == "g" and len(child) > 1 and len(styles) == 1 and None not in styles:
            child.set("style", styles.pop())
            for inner in child:
                del inner.attrib["style"]
        if child.tag not in ("g", "defs"):
            flat.append(child)
        elif child.attrib or child.tag == "defs":
            flat += [child] if len(child) else []
        else:
            flat += list(child)
    parent[:] = flat
