"""The properties of `clean`: safe as HTML text and in quoted attributes, nothing visible lost, idempotent."""

import html
import threading
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audience.answers.moderation.cleaning import clean
from tests.depth import examples
from tests.rows import each_row

HOSTILE = st.text(
    st.sampled_from("<>&;#xX\"'`=/!-?amplt013c \t\n\r\0\x0b\x0c\x1f\x7f\x85\ud800\udfff\ufeff\u2028é")
)
PIECES = [
    "&",
    "&amp;",
    "&lt",
    "&lt;",
    "&LT;",
    "&#60;",
    "&#x3c",
    "&#0;",
    "&#xD800;",
    "&foo;",
    "&#",
    "&#x;",
    "&#8238;",
    "&#x202e;",
    "82",
    "\u202e",
]
TAGS = [";", "<", ">", "<script>", "<!--", "-->", "</", '"', "'"]
FRAGMENTS = st.lists(
    st.sampled_from([*PIECES, *TAGS, "<![CDATA[", "<a b='", "\r\n", "\r", "\0", "\ud83d", "x", " "])
).map("".join)
TEXTS = st.one_of(HOSTILE, FRAGMENTS, st.text(st.characters()))


@each_row(
    ("text", "cleaned"),
    [
        ("I <3 you", "I &lt;3 you"),
        ("a<b", "a&lt;b"),
        ("<bob@example.com>", "&lt;bob@example.com&gt;"),
        ("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;"),
        ("a <!-- note --> b", "a &lt;!-- note --&gt; b"),
        ("<!doctype html>", "&lt;!doctype html&gt;"),
        ("<img src=x onerror=alert(1)", "&lt;img src=x onerror=alert(1)"),
        ("\"' onclick=alert(1)", "&quot;&#39; onclick=alert(1)"),
        ("fish & chips", "fish &amp; chips"),
        ("fish &amp; chips", "fish &amp; chips"),
        ("&lt;b&gt;", "&lt;b&gt;"),
        ("&lt b", "&amp;lt b"),
        ("a\r\nb\tc\n", "a\nb\tc\n"),
        ("a\0b\x1bc\x7fd\x85e", "abcde"),
        ("a\ud800b\udc00c", "abc"),
        ("a\u202ab\u202bc\u202cd\u202de\u202ef", "abcdef"),
        ("a\u2066b\u2067c\u2068d\u2069e", "abcde"),
        ("a\u200db\u200ec\u2065d\u206ae\u202ff", "a\u200db\u200ec\u2065d\u206ae\u202ff"),
        ("&#8238;a&#x202E;b&#X0002066;c&#08297;", "&amp;#8238;a&amp;#x202E;b&amp;#X0002066;c&amp;#08297;"),
        ("&#82&#8238;38;&#8239;", "&amp;#82&amp;#8238;38;&#8239;"),
        ("", ""),
        ("日本語 😀 e\u0301", "日本語 😀 e\u0301"),
    ],
)
def test_clean(text, cleaned):
    assert clean(text) == cleaned


@given(TEXTS)
def test_a_second_pass_changes_nothing(text):
    once = clean(text)
    assert clean(once) == once


@pytest.mark.parametrize("reference", ["&quot;", "&#39;", "&lt;", "&amp;", "&#x3c;", "&", "&amp", "'"])
@each_row("length", range(10230, 10245))
def test_a_second_pass_changes_nothing_where_the_parser_reads_in_chunks(reference, length):
    once = clean("x" * length + reference * 3)
    assert clean(once) == once


@given(TEXTS)
def test_brackets_and_quotes_are_escaped(text):
    assert not set(clean(text)) & set("<>\"'\r\0")
    clean(text).encode()


@given(st.text(st.sampled_from("<>&\"'ab;!-/ \n")).filter(lambda text: html.unescape(text) == text))
def test_the_displayed_text_is_the_original(text):
    assert html.unescape(clean(text)) == text


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, [name for name, _ in attrs]))

    def handle_comment(self, data):
        self.seen.append(("comment", []))


@settings(max_examples=examples(200))
@given(TEXTS)
def test_a_parser_finds_no_markup_in_a_cleaned_text(text):
    reader = Reader()
    safe = clean(text)
    reader.feed(f"<p>{safe}</p><b title=\"{safe}\">.</b><i title='{safe}'>.</i>")
    reader.close()
    assert reader.seen == [("p", []), ("b", ["title"]), ("i", ["title"])]


def test_threads_do_not_interfere():
    texts = [f'<{n}> & "{n}" &lt; <script>' * 50 for n in range(8)]
    expected = [clean(text) for text in texts]
    cleaned_texts = {}

    def work(number):
        cleaned_texts[number] = [clean(texts[number]) for _ in range(20)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cleaned_texts == {number: [expected[number]] * 20 for number in range(8)}
