"""The pepper: created once, private, and the key of every hash."""

import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audience.privacy import pepper


def test_it_is_created_once_and_private(tmp_path):
    pepper.open(tmp_path / pepper.FILE)
    file = tmp_path / "pepper"
    first = file.read_bytes()
    assert len(first) == pepper.PEPPER_BYTES
    assert file.stat().st_mode & 0o777 == 0o600
    pepper.open(tmp_path / pepper.FILE)
    assert file.read_bytes() == first
    assert [each.name for each in tmp_path.iterdir()] == ["pepper"]


def test_a_truncated_file_is_refused(tmp_path):
    (tmp_path / "pepper").write_bytes(b"short")
    with pytest.raises(ValueError, match="must have 32 bytes"):
        pepper.open(tmp_path / pepper.FILE)


def test_a_hash_depends_on_pepper_purpose_site_and_text(tmp_path):
    seen = set()
    for instance in ("one", "other"):
        pepper.open(tmp_path / instance / pepper.FILE)
        seen |= {pepper.digest("secret", "a"), pepper.digest("other", "a"), pepper.digest("secret", "b")}
        seen |= {pepper.address_hash(1, "a@example.com"), pepper.address_hash(2, "a@example.com")}
    assert len(seen) == 10


@given(key=st.binary(max_size=64), text=st.text(st.characters()))
def test_digests_of_many_texts_are_those_of_the_library(key, text):
    octets = f"address\0{text}".encode(errors="surrogatepass")
    digest = pepper.digester("address", key, "v2:")
    assert {digest(text), digest(text)} == {"v2:" + hmac.digest(key, octets, "sha256").hex()}
