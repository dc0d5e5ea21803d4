"""The pages of the documentation, read from the Markdown of `docs/`, with the tables of the code."""

from collections import Counter
from functools import cache
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import NamedTuple
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from audience.api.doc_tables import fill_in

INDEX = "README"
PICTURE = ".png"
SERVICE = "http://127.0.0.1:8000"  # as the documentation calls it


class Heading(NamedTuple):
    tag: str
    id: str
    text: str


class DocPage(NamedTuple):
    title: str
    sections: list[Heading]
    html: str


@cache
def sources() -> dict[str, Path]:
    """The file of each page and picture, by its path below `/docs`, which has no `.md`."""
    folder = Path(str(files("audience.api"))) / "documents"
    found = (file for ending in (".md", PICTURE) for file in folder.rglob(f"*{ending}"))
    return {str(file.relative_to(folder)).removesuffix(".md"): file for file in found}


def read(name: str, base_url: str) -> DocPage:
    """The page `name` of the service at `base_url`, whose address stands in its examples."""
    markdown = _parser()
    tokens = markdown.parse(fill_in(sources()[name].read_text("utf-8").replace(SERVICE, base_url)))
    title, *headings = _name_headings(tokens)
    for inline in tokens:
        inline.attrs.pop("style", None)  # alignment of a column, which the security policy refuses
        for token in inline.children or ():
            _resolve(token, dirname(name), base_url)
    for opening, inline, closing in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if opening.type == "th_open" and not inline.content:
            opening.tag = closing.tag = "td"  # the corner of a table heads nothing
    html = markdown.renderer.render(tokens, markdown.options, {})
    return DocPage(title.text, [heading for heading in headings if heading.tag == "h2"], html)


@cache
def _parser() -> MarkdownIt:
    """A parser that knows tables and drops HTML. A wide table scrolls."""
    parser = MarkdownIt().enable("table")
    table = {"table_open": '<div class="wide" tabindex="0"><table>\n', "table_close": "</table></div>\n"}
    for kind, text in ({"html_block": "", "html_inline": ""} | table).items():
        parser.add_render_rule(kind, lambda *_, text=text: text)
    return parser


def _name_headings(tokens: list[Token]) -> list[Heading]:
    """Gives each heading the id that GitHub gives it. Returns them."""
    headings, uses = [], Counter[str]()
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            text = "".join(child.content for child in inline.children or ())
            letters = (letter for letter in text.lower() if letter.isalnum() or letter in " -_")
            anchor = "".join(letters).replace(" ", "-")
            suffix = f"-{uses[anchor]}" if uses[anchor] else ""
            uses[anchor] += 1
            headings.append(Heading(opening.tag, anchor + suffix, text))
            opening.attrs["id"] = anchor + suffix
    return headings


def _resolve(token: Token, folder: str, base_url: str) -> None:
    """Turns a relative link into an address of the service. A link to what is not served becomes text."""
    root = urlsplit(base_url).path
    for key in token.attrs.keys() & {"href", "src"}:
        address = str(token.attrs[key])
        link = urlsplit(address)
        target = normpath(join(folder, link.path)).removesuffix(".md")
        if link.scheme or not link.path:
            token.attrs[key] = address.replace(base_url, root)
        elif target in sources():
            token.attrs[key] = link._replace(path=f"{root}/docs/{target}").geturl()
        else:
            del token.attrs[key]
