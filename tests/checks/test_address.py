import pytest

from audience.checks.address import Address, AddressList, list_entry, parse, roughly

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


@pytest.mark.parametrize("text", BAD, ids=lambda text: ascii(text)[:30])
def test_no_addresses(text):
    assert parse(text) is None


def test_the_parts_of_what_is_no_address():
    assert roughly("ann@gmail,com") == Address("ann", "gmail,com")
    assert roughly("ann") is None


LISTED = [
    ("ann@firm.org", "ann@firm.org", True),
    ("ANN@Firm.org", "ann@firm.ORG", True),
    ("firm.org", "ann@firm.org", True),
    ("@firm.org", "ann@firm.org", True),
    ("*.firm.org", "ann@a.b.firm.org", True),
    ("müller.de", "ann@xn--mller-kva.de", True),
    ("firm.org", "ann@othefirm.org", False),
    ("a.firm.org", "ann@firm.org", False),
    ("bob@firm.org", "ann@firm.org", False),
]


@pytest.mark.parametrize(("entry", "email", "named"), LISTED)
def test_lists_name_addresses_and_domains(entry, email, named):
    assert bool(AddressList([list_entry(entry)]).precision(parse(email))) is named


def test_the_closer_entry_is_the_more_precise():
    entries = ["org", "firm.org", "a.firm.org", "ann@a.firm.org"]
    precisions = [AddressList([entry]).precision(parse("ann@a.firm.org")) for entry in entries]
    assert precisions == sorted(set(precisions))
