"""Whatever looks like an address is found in a text, in whatever encoding."""

import json
from html import escape
from quopri import encodestring
from urllib.parse import quote

import pytest

from audience.privacy.redaction import address_in, without_addresses
from tests.rows import each_row

ANN = "ann@example.com"
ATS = [
    "@", "\ufe6b", "\uff20", "%40", "%EF%BC%A0", "%ef%b9%ab", "&#64;", "&#064;", "&#64", "&#x40;", "&#X0040;",
    "&#x40", "&#65312;", "&#xFF20;", "&commat;", "=40", "=EF=BC=A0", "\\u0040", "\\uFF20", "\\u{40}", "\\x40",
    "%u0040", "\\U00000040",
]  # fmt: skip
TWICE = [
    "%2540", "%252540", "%25252525252540", "&amp;#64;", "&amp;#x40;", "&amp;amp;commat;", "&#38;#64;",
    "&#37;40", "=3D40", "=3D3D40", "%3D40", "%26%2364%3B", "%26commat%3B", "%5Cu0040", "\\\\u0040",
    "\\u005cu0040", "\\u0026#64;", "\\u0026amp;#64;", "%26#64;", "%2526amp;#64;", "\\u0025\\u0034\\u0030",
    "\\u003d40", "&#92;u0040", "%25u0040", "\\\\\\\\u0040",
]  # fmt: skip
FRAMES = [
    "{}", "see {}, or call", "<{}>", '"{}"', "({});", '{{"error": "refused: {}", "email":"{}"}}',
    "mailto:{}?cc=x", "https://a.example/?to={}&n=1", "[{}](mailto:{})", "x\n{}\ty",
]  # fmt: skip


@each_row("frame", FRAMES)
def test_an_address_is_left_out_in_every_encoding(frame):
    for at in (*ATS, *TWICE):
        for code in (at, at.upper(), *([] if "U" in at else [at.lower()])):
            shown = without_addresses(frame.format(*[f"Ann.o'Brien{code}Example.com"] * 2), lambda _: "…")
            assert "…" in shown
            for part in ("Ann", "Brien", "xample", "com"):
                assert part not in shown.replace("or call", "").replace("https://a.example", "")


@pytest.mark.parametrize("encode", [
    quote, escape, lambda text: encodestring(text.encode(), quotetabs=True).decode(),
    lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    lambda text: "".join(f"={byte:02X}" for byte in text.encode()),
    lambda text: "".join(f"&#{ord(each)};" for each in text),
    lambda text: "".join(f"\\u{ord(each):04x}" for each in text),
])  # fmt: skip
def test_codes_in_codes_are_found_and_decoded(encode):
    once = encode(ANN)
    for text in (once, quote(once), escape(once), json.dumps(once), quote(escape(once)), escape(quote(once))):
        assert (address_in(text) or "").strip('"\\') == ANN


@each_row("text", [
    "", "Ann", "5 apples", "naïve", "100%", "50% off, 40 left", "a&b", "x=40", "size=40x20", "&#640;", "&",
    "?page=40&file=x.png", "AT&T; R&D", "&#99999999999;", "\\u00e9", "%zz", "=", "https://a.example/?q=%C3%A9",
])  # fmt: skip
def test_what_is_no_address_is_kept(text):
    assert without_addresses(text, lambda _: "…") == text


def test_what_stands_instead_is_made_of_the_address():
    assert without_addresses("see ann%40example.com; Bob", str.upper) == "see ANN@EXAMPLE.COM; Bob"
