"""The normal form of addresses."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audience.addresses import MalformedAddress, identity, identity_of_new
from tests.rows import each_row

SAME = [  # each as written, and what it is compared by
    ("ada@example.com", "ada@example.com"),
    ("  ada@example.com\t\n", "ada@example.com"),
    ("\u3000ada@example.com\u00a0", "ada@example.com"),
    ("ADA@EXAMPLE.COM", "ada@example.com"),
    ("Ada.King+News@Example.Com", "ada.king+news@example.com"),
    ("a.d.a@example.com", "a.d.a@example.com"),
    ("ada@sub.example.co.uk", "ada@sub.example.co.uk"),
    ("ada@bücher.example", "ada@xn--bcher-kva.example"),
    ("ada@BÜCHER.example", "ada@xn--bcher-kva.example"),
    ("ada@bu\u0308cher.example", "ada@xn--bcher-kva.example"),
    ("ada@XN--BCHER-KVA.example", "ada@xn--bcher-kva.example"),
    ("ada@例え。テスト", "ada@xn--r8jz45g.xn--zckzah"),
    ("ada@faß.example", "ada@xn--fa-hia.example"),
    ("ÄDA@example.com", "äda@example.com"),
    ("a\u0308da@example.com", "äda@example.com"),
    ("ａｄａ@example.com", "ada@example.com"),
    ("ada＠example.com", "ada@example.com"),
    ("ﬁn@example.com", "fin@example.com"),
    ("o'hara/x=y!#$%&*?^_`{|}~-@example.com", "o'hara/x=y!#$%&*?^_`{|}~-@example.com"),
    ("l" * 64 + "@example.com", "l" * 64 + "@example.com"),
    ("é" * 32 + "@example.com", "é" * 32 + "@example.com"),
    ("a@" + "d" * 63 + ".com", "a@" + "d" * 63 + ".com"),
    ("a@" + "d." * 125 + "co", "a@" + "d." * 125 + "co"),
]
DIFFERENT = [
    ("ada@example.com", "ada+news@example.com"), ("ada@example.com", "a.da@example.com"),
    ("ada@example.com", "ada@example.org"), ("ada@fass.example", "ada@faß.example"), ("ada@a.com",
    "ädä@a.com"),
]  # fmt: skip
MALFORMED = [
    "", " ", "@", "ada", "ada@", "@example.com", "a@b@example.com", "ada@example", "ada@.example.com",
    "ada@example..com", "ada@example.com.", "ada@.", "a da@example.com", "ada@exam ple.com",
    "ada @example.com",
    "ada@ example.com", "a\tda@example.com", "a\nda@example.com", "a\0da@example.com", "a\x7fda@example.com",
    "a\x85da@example.com", "a\u2028da@example.com", "a\u00a0da@example.com", "a\u3000da@example.com",
    "\ud800@example.com", "ada@\udfff.com", "l" * 65 + "@example.com", "é" * 33 + "@example.com",
    "a@" + "d" * 64 + ".com", "a@" + "d." * 125 + "com", "a@" + "ü" * 60 + ".example", "ada@bü_cher.example",
    "ada@-ü.example", "ada@\u200bü\u0300.", "ada@ex\u00admple", "a" * 5_000_000 + "@example.com",
    "a@" + "ü." * 2_000_000,
]  # fmt: skip


@each_row(("written", "key"), SAME)
def test_identity(written, key):
    assert identity(written) == key


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_identities(one, other):
    assert identity(one) != identity(other)


@each_row("text", MALFORMED)
def test_malformed(text):
    with pytest.raises(MalformedAddress):
        identity(text)


@given(st.text(max_size=30) | st.from_regex(r"[^@]{1,12}@[^@]{1,8}\.[a-zü]{2,4}", fullmatch=True))
def test_an_identity_is_its_own_identity(text):
    try:
        key = identity(text)
    except MalformedAddress:
        return
    assert identity(key) == key
    assert key == unicodedata.normalize("NFKC", key)
    assert key.partition("@")[2].isascii()
    assert len(key.encode()) <= 254


@pytest.mark.parametrize("text", ["é" * 33 + "@example.com", "ann@" + "é" * 123 + ".com"])
def test_lengths_are_counted_before_and_after_normalizing(text):
    with pytest.raises(MalformedAddress):
        identity(text)
    with pytest.raises(MalformedAddress):
        identity(text.replace("é", "e\u0301"))  # as many characters after NFKC, more bytes before


def test_an_address_that_normalizing_lengthens_is_refused():
    assert identity("\ufb03@example.com") == "ffi@example.com"
    with pytest.raises(MalformedAddress):
        identity("\ufb03" * 22 + "@example.com")  # 66 letters


@each_row("address", [
    '"ada"@example.com', '"Ada.King"@example.com', '"ada".king@example.com', r'"a\d\a"@example.com',
    r"\ada@example.com", "＂ada＂@example.com", '"jose"\u0301@example.com', "jose\\\u0301@example.com",
    'ada"@example.com', "ada(x)@example.com", "(x)ada@example.com", "ada（x）@example.com",
])  # fmt: skip
def test_spellings_of_a_mailbox_that_nobody_is_added_by(address):
    assert identity(address)
    with pytest.raises(MalformedAddress):
        identity_of_new(address)


def test_who_is_added_is_found():
    for address, key in SAME:
        assert identity_of_new(address) == identity(address) == key
