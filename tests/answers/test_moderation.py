"""Moderation: one case per line, and the bundled corpora."""

import pytest
from html5lib import HTMLParser
from hypothesis import given
from hypothesis import strategies as st

from audience.answers.moderation.cleaning import clean
from audience.answers.moderation.markup import MarkupTag, tags
from audience.answers.moderation.moderation import moderate
from audience.answers.moderation.reasons import MAX_LENGTH
from audience.answers.moderation.reasons import ModerationReason as Reason
from audience.answers.moderation.threats import EVENT, threatens
from audience.answers.validation.reasons import ValidationReason
from tests.answers.corpora import EVENTS, documentation, ordinary_sentences, payloads
from tests.answers.corpora import PAYLOAD_FILES as FILES
from tests.depth import sample
from tests.rows import each_row

HANDMADE = next(file for file in FILES if file.name == "xss_handmade.json")


def reasons(text):
    return [str(reason) for reason in moderate(text).reasons]


@each_row(
    ("text", "codes"),
    [
        ("Hello, world", []),
        ("<script>alert('xss')</script>", ["xss", "script_tag"]),
        ("<SCRIPT SRC=x>", ["xss", "script_tag"]),
        ("<scr<script>ipt>", ["xss", "script_tag"]),
        ("&lt;script&gt;alert(1)&lt;/script&gt;", ["xss", "script_tag"]),
        ("&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt;", ["xss", "script_tag"]),
        ("<img src=x onerror=alert(1)>", ["xss"]),
        ("<img src=x onerror=alert(1)", ["xss"]),
        ('<p title="<img src=x onerror=alert(1)>">', ["xss", "html"]),
        ("<p>Hi <script>alert(1)</script></p>", ["xss", "script_tag", "html"]),
        ('" onmouseover="alert(1)', ["xss"]),
        ("javascript:alert(1)", ["xss"]),
        ("<a href='java\tscript:alert(1)'>x</a>", ["xss"]),
        ("<a href='&#106;avascript:alert(1)'>x</a>", ["xss"]),
        ("<a href='data:text/html,x'>x</a>", ["xss"]),
        ("<a href='/here'>x</a>", ["html"]),
        ("<a title='javascript:alert(1)'>x</a>", ["html"]),
        ("<img src='data:image/png;base64,iVBORw0='>", ["html"]),
        ("<img src='data:image/svg+xml,%3Csvg/%3E'>", ["html"]),
        ("<svg><rect fill='url(#a)'/></svg>", ["html"]),
        ("<style>p{color:red}</style>", ["html"]),
        ("<style>p{background:u\\72l(x)}</style>", ["xss"]),
        ("<p style='color:red'>x</p>", ["html"]),
        ("<meta charset=utf-8>", ["html"]),
        ("<meta http-equiv=refresh content=0>", ["xss"]),
        ("<iframe>", ["xss"]),
        ("<object data=x>", ["xss"]),
        ("<base href=/>", ["xss"]),
        ("<link rel=stylesheet href=x>", ["xss"]),
        ("<b>bold</b>", ["html"]),
        ("bold</b>", ["html"]),
        ("<!-- note -->", ["html"]),
        ("<!DOCTYPE html>", ["html"]),
        ("<input disabled>", ["html"]),
        ("a <b and c> d", []),
        ("<name>", []),
        ("<unknown class=x>", ["html"]),
        ('<a href="//evil.example">x</a>', ["html", "link"]),
        ("<img src=//evil.example/x.png>", ["html", "link"]),
        ("<img src='\\\\evil.example'>", ["html", "link"]),
        ('<a href=" /\t\\evil.example">', ["html", "link"]),
        ("&lt;a href=//evil.example&gt;", ["html", "link"]),
        ('<use xlink:href="//evil.example/x.svg"/>', ["html", "link"]),
        ("<a href='///evil.example'>x</a>", ["html", "link"]),
        ("<img src='/\\\\//evil.example'>", ["html", "link"]),
        ('<a href="///">x</a>', ["html"]),
        ('<a href="/evil">x</a>', ["html"]),
        ('<a href="//">x</a>', ["html"]),
        ('<a title="//evil.example">x</a>', ["html"]),
        ("// TODO: write", []),
        ("[x](javascript:alert(1))", ["xss"]),
        ("![x]( <JavaScript:alert`1`> 'title')", ["xss"]),
        ("[x][1]\n\n[1]: javascript:document.title", ["xss"]),
        ("[x](java\tscript:alert(1))", ["xss"]),
        ("[x](java\u202escript:alert(1))", ["xss"]),
        ("[x](javascript&#58;alert(1))", ["xss"]),
        ("[x](javascript&amp;colon;alert(1))", ["xss"]),
        ("[x](javascript\\:alert(1))", ["xss"]),
        ("[x](<javascript\\:a>)", ["xss"]),
        ("[x](data\\:text\\/html,x)", ["xss"]),
        (f"[x](java{'&Tab;' * 200}script:alert(1))", ["xss"]),
        (f"[x](java{'&amp;Tab;' * 200}script:alert(1))", ["xss"]),
        (f"[x](java{chr(9) * 2_000}script\\:alert(1))", ["xss"]),
        (r"[x]\(javascript\: a title)", []),
        ("[x](vbscript:x)", ["xss"]),
        ("[x](data:text/html;base64,PHNjcmlwdD4)", ["xss"]),
        ("<javascript:alert(1)>", ["xss"]),
        ("[JavaScript: The Good Parts](/book)", []),
        ("[books]: JavaScript: The Good Parts", []),
        ("a[0](javascript)", []),
        ("[x](data:image/png;base64,AAAA)", []),
        ("see https://example.com/x", ["link"]),
        ("see HTTP://EXAMPLE.COM", ["link"]),
        ("hxxp://example.com", ["link"]),
        ("www.example.com", ["link"]),
        ("example.com", ["link"]),
        ("EXAMPLE.COM", ["link"]),
        ("Example.Com", ["link"]),
        ("visit example.co.uk today", ["link"]),
        ("bit.ly/abc", ["link"]),
        ("t.me/somebody", ["link"]),
        ("bücher.de", ["link"]),
        ("пример.рф", ["link"]),
        ("xn--bcher-kva.de", ["link"]),
        ("spam.xyz, cheap.shop", ["link"]),
        ("example[.]com", ["link"]),
        ("example (dot) com", ["link"]),
        ("example。com", ["link"]),
        ("ｅｘａｍｐｌｅ．ｃｏｍ", ["link"]),
        ("I bought it at shop.it", ["link"]),
        ("I went home.it was late", []),
        ("readme.md", []),
        ("readme.md/raw", ["link"]),
        ("https://readme.md", ["link"]),
        ("asp.net", []),
        ("bob@example.com", []),
        ("bob@example.com and example.org", ["link"]),
        ("example.invalid", []),
        ("co.uk", []),
        ("See you soon.work was hard", []),
        ("We were late.today is better", []),
        ("My shop is shut till two.tomorrow.work as usual", []),
        ("visit my.spam.work now", ["link"]),
        ("visit spam.work now", ["link"]),
        ("spam.work now", ["link"]),
        ("buy pills-4.life today", ["link"]),
        ("Der Weg war weit.de Boer fuhr", []),
        ("Jetzt auf laden.de Angebote sehen", ["link"]),
        ("3.14 1.2.3 10.0.0.1", []),
        ("call 555-123-4567 now", ["phone_number"]),
        ("555-123-4567, after five", ["phone_number"]),
        ("(555) 123-4567", ["phone_number"]),
        ("order #123-456-7890", []),
        ("DE89 3704 0044 0532 0130 00", []),
        ("1-800-555-0199", ["phone_number"]),
        ("+44 20 7946 0958", ["phone_number"]),
        ("+49 (0)30 1234567", ["phone_number"]),
        ("0049 30 1234567", ["phone_number"]),
        ("020 7946 0958", ["phone_number"]),
        ("06 12 34 56 78", ["phone_number"]),
        ("06.12.34.56.78", ["phone_number"]),
        ("07700900123", ["phone_number"]),
        ("tel: 5551234", ["phone_number"]),
        ("WhatsApp 15551234567", ["phone_number"]),
        ("＋４９ ３０ １２３４５６７", ["phone_number"]),
        ("2024-01-15 10:30", []),
        ("01/02/2024 10:30", []),
        ("01.02.2024", []),
        ("1234567890123456", []),
        ("10,000,000 or 10.000.000", []),
        ("call on 2024-01-15", []),
        ("", ["empty"]),
        (" \t\n", ["empty"]),
        ("\u200b\u2060\ufeff\u3164\u2800", ["empty"]),
        ("\0\x1b\ud800", ["empty"]),
        ("&nbsp;&#32;", ["empty"]),
        (".", []),
        ("👍", []),
    ],
)
def test_reasons(text, codes):
    assert reasons(text) == codes


def test_every_reason_has_its_meaning_and_advice():
    for reason in [*Reason, *ValidationReason]:
        assert reason.meaning.endswith(".")
        assert reason.advice.endswith(".")
    assert f"{MAX_LENGTH:,}" in Reason.TOO_LONG.meaning


def test_only_fatal_reasons_make_a_text_invalid():
    assert {reason.value for reason in Reason if reason.fatal} == {
        "xss",
        "script_tag",
        "link",
        "profanity",
        "hate",
        "threat",
        "empty",
        "too_long",
    }
    assert moderate("<b>call 555-123-4567</b>").valid
    assert not moderate("example.com").valid


@each_row("unit", ["x", "<", '"', "&lt;", "&quot;", "&#x3c;", "😀", "&Congruent;"])
def test_a_reference_counts_as_one_character(unit):
    fits = moderate(unit * 1000 + "y" * 9000)
    longer = moderate(unit * 1000 + "y" * 9001)
    assert "too_long" not in fits.reasons
    assert Reason.TOO_LONG in longer.reasons
    assert longer.safe_original_content == fits.safe_original_content == clean(unit * 1000 + "y" * 9000)


@pytest.mark.parametrize("text", ['"' * 10_000, "<" * 10_000, "&" * 10_000, "x" * 9_999 + "&amp;"])
def test_a_cleaned_text_is_not_longer(text):
    assert Reason.TOO_LONG not in moderate(text).reasons
    assert Reason.TOO_LONG not in moderate(clean(text)).reasons


def test_references_are_not_cut_in_two():
    assert moderate("x" * 9_999 + "&amp;&amp;").safe_original_content == "x" * 9_999 + "&amp;"


@each_row(
    "unit",
    [
        "<b>",
        "<a ",
        "<",
        "<a<",
        "&lt;",
        "&amp;lt;",
        '"',
        "'",
        "<style>/*",
        "1-",
        "a.",
        "a@",
        "s h i ",
        "(",
        "f*",
        "&#0000000000060;",
        "<table><td>",
        "<b i=1><p>",
        "<!--",
        "javascript:",
        "](java\t",
        "]\\:",
        "url(",
        "\x00",
        "ﷺ",
    ],
)
def test_any_length_is_accepted(unit):
    result = moderate(unit * 50_000)
    assert Reason.TOO_LONG in result.reasons
    assert len(result.safe_original_content) <= 60_000


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_most_payloads_are_flagged(file):
    flagged = [payload for payload in payloads(file) if Reason.XSS in moderate(payload).reasons]
    assert len(flagged) >= len(payloads(file)) / 2


def test_all_payloads_of_our_own_is_flagged():
    assert [payload for payload in payloads(HANDMADE) if Reason.XSS not in moderate(payload).reasons] == []


def test_every_event_handler_of_chromium_is_flagged():
    assert [
        event for event in EVENTS if not EVENT.match(event) or reasons(f"<x {event}=f()>") != ["xss"]
    ] == []


def test_ordinary_sentences_are_not_flagged():
    assert {text: reasons(text) for text in ordinary_sentences() if reasons(text)} == {}


def test_prose_about_code_is_not_flagged():
    assert len(documentation()) > 1000
    assert [text for text in sample(documentation(), 10) if Reason.XSS in moderate(text).reasons] == []


PIECES = st.sampled_from(
    [
        "<",
        ">",
        "/",
        '"',
        "'",
        "=",
        " ",
        "\t",
        "<!--",
        "-->",
        "</",
        "<script",
        "<svg",
        "<style>",
        "</style>",
        "x",
        "<p ",
        "onclick=x",
        "href=",
        "javascript:x",
        "<select>",
        "<table>",
        "<math>",
        "</title>",
        "<title>",
        "&lt;",
    ]
)


def _local(name):
    return name.rpartition("}")[2].lower()


@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_threat_in_the_tree_of_a_browser_escapes_the_scan(text):
    elements = HTMLParser(namespaceHTMLElements=False).parse(text, scripting=True).iter()
    tree = [
        MarkupTag(_local(element.tag), tuple((_local(name), value) for name, value in element.attrib.items()))
        for element in elements
        if isinstance(element.tag, str)
    ]
    if any(map(threatens, tree)):
        assert any(map(threatens, tags(text)))


@given(st.text(st.characters() | st.sampled_from("<>&;\"'=/ a1@*.")))
def test_any_text_has_a_consistent_result(text):
    result = moderate(text)
    assert result.valid == (not any(reason.fatal for reason in result.reasons))
    assert result.safe_original_content == clean(text)
    assert (Reason.SCRIPT_TAG not in result.reasons) or (Reason.XSS in result.reasons)


@pytest.mark.parametrize("zeros", [0, 5000])
def test_a_reference_may_have_any_number_of_digits(zeros):
    assert Reason.SCRIPT_TAG in moderate(f"&#{'0' * zeros}60;script>").reasons
    assert moderate(f"&#{'9' * 5000};").valid


@pytest.mark.parametrize("blanks", ["", " ", " " * 4000])
def test_blanks_in_css_change_nothing(blanks):
    assert Reason.XSS in moderate(f"<p style='background:url({blanks}//example.org/x)'>").reasons
    assert Reason.XSS not in moderate(f"<p style='fill:url({blanks}#gradient)'>").reasons
    assert Reason.XSS not in moderate(f"<p style='fill:url({blanks}\"{blanks}#gradient\")'>").reasons


def test_a_masked_word_has_a_letter_for_each_sign():
    assert Reason.PROFANITY in moderate("f*ck").reasons
    assert Reason.PROFANITY in moderate("sh#t").reasons
    assert Reason.PROFANITY not in moderate(f"f{'*' * 9000}").reasons[1:]
    assert moderate(f"a{'*' * 9000}b").valid
