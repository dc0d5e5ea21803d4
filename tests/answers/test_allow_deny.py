"""Allow and deny lists: which entries match an address, and which is closest."""

from audience.answers.validation.address import parse
from audience.answers.validation.allow_deny import AllowDenyLists, parse_entry, precision
from tests.rows import each_row

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


@each_row(("entry", "email", "matches"), LISTED)
def test_entries_match_addresses_and_domains(entry, email, matches):
    address = parse(email)
    assert address is not None
    assert (AllowDenyLists(deny=(parse_entry(entry),)).decide(address) == "deny") is matches


def test_the_closer_the_entry_the_higher_its_precision():
    entries = ["org", "firm.org", "a.firm.org", "ann@a.firm.org"]
    address = parse("ann@a.firm.org")
    assert address is not None
    precisions = [precision([entry], address) for entry in entries]
    assert precisions == sorted(set(precisions))
