"""/docs has every page of `docs/`, whose links lead somewhere, and needs no script."""

import gzip
import re
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import html5lib
import pytest

from audience.api.doc_pages import INDEX, sources

DOCS = Path(__file__).parents[2] / "docs"
NAMES = sorted(str(file.relative_to(DOCS).with_suffix("")) for file in DOCS.rglob("*.md"))
DOORS = ["Move your list here", "Put sign-up on your site", "Run it", "Call the API"]
CODE = re.compile(r"(?s)```.*?```|`[^`]*`")
LINKS = {"a": "href", "img": "src", "link": "href"}


def address(name):
    return f"/docs/{name}"


def read(app, path):
    answer = app.test_client().get(path)
    assert (answer.status_code, answer.mimetype) == (200, "text/html"), path
    return html5lib.parse(answer.text, namespaceHTMLElements=False)


def inner_text(node):
    return "".join(node.itertext())


def links(tree, path):
    """The addresses of this service that a page names."""
    named = (node.get(key) for tag, key in LINKS.items() for node in tree.iter(tag))
    return {link for each in named if each and not urlsplit(link := urljoin(path, each)).netloc}


@pytest.fixture(scope="module")
def parsed():
    """What `pages` has read, once for all tests."""
    return {}


@pytest.fixture
def pages(app, parsed):
    for path in (*map(address, NAMES), "/docs", "/docs/api"):
        parsed[path] = parsed.get(path) or read(app, path)
    return parsed


def test_a_page_has_its_title_and_headings_with_ids(app, pages):
    for name in NAMES:
        tree = pages[address(name)]
        [title] = tree.iterfind(".//h1")
        assert inner_text(tree.find(".//title")) == f"{inner_text(title)} · Audience"
        ids = [node.get("id") for node in tree.iter() if node.get("id")]
        assert len(ids) == len(set(ids)), name
        headings = {node.get("id") for level in ("h2", "h3", "h4") for node in tree.iter(level)}
        assert headings <= set(ids), name


def test_each_link_leads_somewhere(app, pages):
    """Those to files of the repository, which the service does not have, are text."""
    ids = {path: {node.get("id") for node in tree.iter()} for path, tree in pages.items()}
    for page, tree in pages.items():
        for link in links(tree, page):
            path, _, anchor = link.partition("#")
            assert app.test_client().get(path).status_code in (200, 302), (page, link)
            assert not anchor or anchor in ids[path], (page, link)


@pytest.mark.parametrize("name", NAMES)
def test_each_link_to_a_page_is_one(app, name):
    written = re.findall(r"\]\((?!\.\./|https?:)([^)#]+\.md)", (DOCS / f"{name}.md").read_text("utf-8"))
    folder = f"/docs/{name.rpartition('/')[0]}/"
    tree = read(app, address(name))
    for link in written:
        assert urljoin(folder, link.removesuffix(".md")).replace("//", "/") in {
            path.partition("#")[0] for path in links(tree, address(name))
        }, link


def test_every_page_can_be_reached_from_the_index(pages):
    reached, waiting = set(), {"/docs"}
    while waiting:
        page = waiting.pop()
        reached.add(page)
        waiting |= {link.partition("#")[0] for link in links(pages[page], page)} & pages.keys() - reached
    assert pages.keys() - reached == {address(INDEX)}


def test_the_index_has_the_four_doors(pages):
    assert [inner_text(node) for node in pages["/docs"].iter("h2")] == DOORS


def test_addresses_of_the_service_are_its_own(app):
    for path in ("/docs", "/docs/getting-started"):
        assert "/docs/api" in {link.get("href") for link in read(app, path).find(".//main").iter("a")}


def test_a_cell_has_the_bars_of_its_code(pages):
    cells = [inner_text(cell) for tree in pages.values() for cell in tree.iter("td")]
    assert any("|" in cell for cell in cells)
    assert [cell for cell in cells if "\\|" in cell] == []


def test_html_is_left_out_and_is_only_comments(app):
    for name in NAMES:
        text = app.test_client().get(address(name)).text
        assert not re.search("<!--|&lt;!--|<script| style=", text), name
        prose = CODE.sub("", (DOCS / f"{name}.md").read_text("utf-8"))
        marks = re.findall("<[a-z/!][^>]*>", prose)
        assert [mark for mark in marks if not mark.startswith(("<!-- ", "<http"))] == [], name


def test_links_and_pictures_are_below_the_public_address(settings, app):
    object.__setattr__(settings, "public_url", "https://people.example/audience")
    for name in ("README", "console", "answers/validation"):
        found = links(read(app, address(name)), "")
        assert found
        assert [link for link in found if not link.startswith(("/audience/docs", "#"))] == [], name


def test_the_examples_name_the_service_at_hand(settings, app):
    object.__setattr__(settings, "public_url", "https://people.example/audience")
    text = app.test_client().get(address("clients")).text
    assert "https://people.example/audience/api/v1/stats/site" in text
    assert ":8000" not in text


@pytest.mark.parametrize("path", ["/docs", "/docs/", "/docs/segments", "/docs/answers/validation"])
def test_a_page_is_packed_and_allows_no_foreign_content(app, path):
    plain = app.test_client().get(path)
    packed = app.test_client().get(path, headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed.data) == plain.data
    policy = plain.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["nothing", "segments.md", "..%2fLICENSE", "pictures", "static/x.css"])
def test_other_files_are_not_found(app, path):
    answer = app.test_client().get(address(path))
    assert (answer.status_code, answer.mimetype) == (404, "text/html")


def test_pictures_are_served(app):
    pictures = [name for name in sources() if name.endswith(".png")]
    assert pictures
    for name in pictures:
        answer = app.test_client().get(address(name))
        assert (answer.mimetype, answer.data[:4]) == ("image/png", b"\x89PNG")
