"""Parsing domains, and public suffixes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audience.answers.domains import is_public, parse_domain, registrable
from tests.rows import each_row


@each_row(
    ("text", "domain"),
    [
        ("example.com", "example.com"),
        ("  Example.COM. ", "example.com"),
        ("https://user:secret@WWW.Example.co.uk:8443/path?q=a@b#f", "www.example.co.uk"),
        ("//example.com/x", "example.com"),
        ("example.com:25", "example.com"),
        ("example.com/a:b", "example.com"),
        ("http:\\\\example.com", None),
        ("mailto:bob@example.com", "example.com"),
        ("bob@example.com", "example.com"),
        ("bücher.de", "xn--bcher-kva.de"),
        ("faß.de", "xn--fa-hia.de"),
        ("РОССИЯ.рф", "xn--h1alffa9f.xn--p1ai"),
        ("a。b。com", "a.b.com"),
        ("r3---sn-a.googlevideo.com", "r3---sn-a.googlevideo.com"),
        ("", None),
        (".", None),
        ("com", None),
        ("localhost", None),
        ("a..com", None),
        ("example.com..", None),
        (".example.com", None),
        ("-a.com", None),
        ("a-.com", None),
        ("a_b.com", None),
        ("ex ample.com", None),
        ("exam\x00ple.com", None),
        ("exam\nple.com", None),
        ("*.example.com", None),
        ("a" * 63 + ".com", "a" * 63 + ".com"),
        ("a" * 64 + ".com", None),
        (".".join(["a" * 49] * 5) + ".com", ".".join(["a" * 49] * 5) + ".com"),  # 253
        (".".join(["a" * 49] * 5) + ".info", None),  # 254
        ("example.com/" + "x" * 3000, None),
        ("192.0.2.1", None),
        ("http://192.0.2.1/", None),
        ("１.2.3.4", None),
        ("127.1", None),
        ("1.0x7f", None),
        ("[2001:db8::1]", None),
        ("2001:db8::1", None),
        ("\ud800.com", None),
    ],
)
def test_parse_domain(text, domain):
    if domain is None:
        with pytest.raises(ValueError):  # noqa: PT011 - idna's words or ours
            parse_domain(text)
    else:
        assert parse_domain(text) == domain


@given(st.text(max_size=60) | st.from_regex(r"[a-z.:/@-]{1,40}\.(com|de)", fullmatch=True))
def test_a_parsed_domain_is_a_host_name_and_parses_to_itself(text):
    try:
        domain = parse_domain(text)
    except ValueError:
        return
    assert domain.isascii()
    assert domain == domain.lower()
    assert set(domain) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.")
    assert parse_domain(domain) == domain


@each_row(
    ("domain", "public"),
    [
        ("example.com", True),
        ("github.io", True),
        ("xn--80ak6aa92e.xn--p1ai", True),
        ("www.ck", True),
        ("co.uk", False),
        ("something.ck", False),
        ("printer.local", False),
        ("db.internal", False),
        ("app.localhost", False),
        ("a.test", False),
        ("a.invalid", False),
        ("a.example", False),
        ("abc.onion", False),
        ("router.home.arpa", False),
        ("1.168.192.in-addr.arpa", False),
        ("wpad.corp", False),
        ("server.lan", False),
    ],
)
def test_only_registrable_domains_are_public(domain, public):
    assert is_public(domain) is public


@pytest.mark.parametrize(
    ("domain", "holder"),
    [
        ("www.example.co.uk", "example.co.uk"),
        ("example.com", "example.com"),
        ("a.b.github.io", "b.github.io"),
        ("github.io", "github.io"),
    ],
)
def test_registrable(domain, holder):
    assert registrable(domain) == holder


@pytest.mark.parametrize("text", ["//example.com", " http://example.com", "example.com//other.org"])
def test_a_scheme_is_at_the_beginning(text):
    assert parse_domain(text) == "example.com"
