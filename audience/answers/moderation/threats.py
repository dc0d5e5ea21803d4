"""Tags that would run a script, or load a resource that may run one, by rules for elements and attributes."""

import re
import unicodedata

from audience.answers.moderation.markup import ELEMENTS, Attribute, MarkupTag

SCRIPT = re.compile(r"(?:[^:]*:)?script(?![a-z0-9-])")  # with any namespace prefix
# Elements that load a resource: always, or with a value in any attribute. Without one, the latter are
# placeholders such as `List<Object>`.
ALWAYS_LOADS = frozenset({"iframe", "portal", "fencedframe", "applet", "handler"})
LOADS_WITH_VALUE = frozenset({"object", "embed", "base", "frame", "link", "xml", "import"})

EVENT = re.compile(
    r"on(?!ce$|ly$|es$|to$|ion$|ions$|line$|set$|ward$|wards$|board$|going$|stage$|site$)[a-z]{2,}"
)
# What stands before the address of a link in Markdown: `[a](`, `[a]: ` and `<`.
MARKDOWN = re.compile(r"\]\s*+[(:]\s*+<?|<")
SCHEME = re.compile(r"(?:javascript|vbscript|livescript|mocha|jscript):\S|data:text/html")
ADDRESSES = frozenset({"href", "src", "action", "formaction", "poster", "background"})
# Attributes that act whatever their value is, those that contain CSS, and words. Others may have a URL.
ACTIVE = frozenset({"srcdoc", "attributename", "http-equiv"})
STYLES = frozenset({
    "style", "fill", "stroke", "filter", "mask", "clip-path", "cursor",
    "marker", "marker-start", "marker-mid", "marker-end",
})  # fmt: skip
WORDING = frozenset({"title", "alt", "placeholder", "label", "class", "id", "lang", "name", "summary"})
CALL = re.compile(r"[(`=]")
LOW_CONTROL = re.compile("[\x00-\x1f]")

# Characters that browsers of any age have ignored in a scheme.
JUNK = re.compile(
    "[\x00-\x20\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff\ufffd\\\\]+"
)
HIDING = re.compile("[\x00-\x1f]+")  # of them, those that browsers leave out of an address
AWAY = re.compile(r" *//++[^ ]")
SCRIPT_ADDRESS = re.compile(r"(?:^|[;,:='\"`(])(?:javascript|vbscript|livescript|mocha|jscript):")
DOCUMENT_ADDRESS = re.compile(
    r"(?:^|[;,:='\"`(])data:(?:text/(?:html|xml|xsl|javascript|vbscript)|application/(?!pdf|json|octet-stream)\w"
    r"|multipart/|image/svg)"
)
# Elements that display an SVG document without running its scripts.
PICTURES = frozenset({"img", "image", "feimage", "source", "video", "picture", "input"})
PICTURE_ADDRESS = re.compile(r"data:image/svg")

CSS_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))")
CSS_LOADS = re.compile(
    r"@import|expression\s*\(|-moz-binding|behaviou?r\s*:|(?:java|vb)script:|image-set\s*\(|-o-link"
    r"|url\s*\(\s*+['\"]?+\s*+(?!\#|data:image/(?:png|gif|jpe?g|webp|avif))"
)


def is_script(tag: MarkupTag) -> bool:
    """Whether the tag opens a script element."""
    return bool(SCRIPT.match(tag.name))


def threatens(tag: MarkupTag) -> bool:
    """Whether the tag would run a script, or load a document, a script or a style sheet."""
    if tag.name in ALWAYS_LOADS or is_script(tag):
        return True
    if tag.name in LOADS_WITH_VALUE and any(value for _, value in tag.attributes):
        return True
    return any(_acts(tag, attribute) for attribute in tag.attributes)


def breaks_out(attribute: Attribute) -> bool:
    """Whether an attribute after a stray quote would run a script, as an event handler with a call does."""
    name, value = attribute
    return bool(EVENT.match(name) and value and CALL.search(value))


def is_script_address(text: str) -> bool:
    """Whether the whole text is a URL that runs a script: `javascript:alert(1)`, but not the title
    `JavaScript: The Good Parts`."""
    address = LOW_CONTROL.sub("", text).strip().lower()
    if address.startswith("data:text/html"):
        return True
    scheme, colon, code = address.partition(":")
    return (
        bool(colon) and scheme in ("javascript", "vbscript") and code[:1] != " " and bool(CALL.search(code))
    )


def links_to_script(text: str) -> bool:
    """Whether a link in Markdown runs a script: `[a](javascript:alert(1))`."""
    shown = HIDING.sub("", text.replace("\\:", ":").replace("\\/", "/")).lower()
    return any(SCHEME.match(shown, start.end()) for start in MARKDOWN.finditer(shown))


def leads_away(tag: MarkupTag) -> bool:
    """Whether an attribute of the tag has an address that names a host without a scheme (`//example.com`). A
    backslash counts as a slash, as it does in browsers.
    """
    return any(
        AWAY.match(HIDING.sub("", value or "").replace("\\", "/"))
        for name, value in tag.attributes
        if name.rpartition(":")[2] in ADDRESSES
    )


def css_loads(css: str) -> bool:
    """Whether a style sheet or declaration loads a resource. Comments and escapes are resolved before."""
    css = unicodedata.normalize("NFKC", css).lower()
    css = CSS_ESCAPE.sub(_character, css)
    head, *rest = css.split("/*")
    bare = "".join([head, *(part.partition("*/")[2] for part in rest)])
    return bool(CSS_LOADS.search(css) or CSS_LOADS.search(bare))


def style_loads(text: str) -> bool:
    """Whether the text from its first style tag on, read as CSS, loads a resource."""
    start = text.lower().find("<style")
    return start >= 0 and css_loads(text[start:])


def _character(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[2]
    code = int(escape[1], 16)
    return chr(code).lower() if code < 0x110000 else "\ufffd"


def _acts(tag: MarkupTag, attribute: Attribute) -> bool:
    """Whether an attribute of the tag makes a browser run, load or change something."""
    name, value = attribute[0].rpartition(":")[2], attribute[1] or ""
    if EVENT.match(name):
        return bool(value.strip()) or tag.name in ELEMENTS
    if name in ACTIVE or name in WORDING:
        return name in ACTIVE
    return _is_address(tag, value) or (name in STYLES and css_loads(value))


def _is_address(tag: MarkupTag, value: str) -> bool:
    """Whether a value is a URL that runs a script, or loads a document other than a picture."""
    squeezed = JUNK.sub("", value).lower()
    if SCRIPT_ADDRESS.search(squeezed):
        return True
    document = DOCUMENT_ADDRESS.search(squeezed)
    return bool(document) and not (tag.name in PICTURES and PICTURE_ADDRESS.match(squeezed))
