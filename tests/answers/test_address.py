import pytest

from audience.answers.validation.address import Address, parse, split_loosely
from tests.rows import each_row

GOOD = {
    "ann@firm.org": Address("ann", "firm.org"),
    "  Ann.Lee+news@Firm.ORG \n": Address("Ann.Lee+news", "firm.org"),
    "jürgen@müller.de": Address("jürgen", "xn--mller-kva.de"),
    "用户@例子.公司": Address("用户", "xn--fsqu00a.xn--55qx5d"),
    "o'neil@firm.org": Address("o'neil", "firm.org"),
    "ann@localhost": Address("ann", "localhost"),
}
BAD = (
    "", " ", "@", "ann", "ann@", "@firm.org", "ann@firm", "ann@@firm.org", "ann@firm..org", ".ann@firm.org",
    "ann.@firm.org", "an n@firm.org", "ann@firm.org.", "ann@-firm.org", "ann@[127.0.0.1]", "ann@1.2.3.4",
    "a" * 65 + "@firm.org", "ann@" + "a" * 64 + ".org", "a" * 60 + "@" + "b." * 100 + "org", "x" * 1_000_000,
    "ann@firm.org\x00", "an\nn@firm.org", "\ud800@firm.org", "ann@\udfff.org", "Ann <ann@firm.org>",
    "an n@localhost",
)  # fmt: skip


@pytest.mark.parametrize(("text", "address"), GOOD.items())
def test_addresses(text, address):
    assert parse(text) == address


@each_row("text", BAD)
def test_malformed_addresses(text):
    assert parse(text) is None


def test_a_malformed_address_is_split_at_its_last_at_sign():
    assert split_loosely("ann@gmail,com") == Address("ann", "gmail,com")
    assert split_loosely("ann") is None
