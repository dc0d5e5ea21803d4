"""Search blacklists (spec section 4.1, contract section 5), over a DNS of the test's own."""

import pytest

from tests import shapes

PATHS = ["/experimental/blacklist", "/experimental/blacklist.json", "/experimental/blacklist.json/"]
FLAGS = ["just_registered", "spamhaus", "nordspam", "spfbl", "sorbs", "abusix"]
STATUSES = {"listed", "clear", "unknown", "not_configured", "retired"}
NONE = dict.fromkeys(FLAGS, False)


def entries(response):
    """The entries of an answer, each of the right shape, the first repeated at the top."""
    answer = shapes.answer(response)
    shapes.keys(answer, "data", "query", "description", "results", "status")
    for entry in (*answer["data"], answer):
        assert type(entry["query"]) is type(entry["description"]) is str
        assert list(entry["results"]) == list(entry["status"]) == FLAGS
        assert {type(flag) for flag in entry["results"].values()} == {bool}
        assert set(entry["status"].values()) <= STATUSES
        assert {name for name, said in entry["status"].items() if said == "listed"} == {
            name for name, flag in entry["results"].items() if flag
        }
    assert {name: value for name, value in answer.items() if name != "data"} == answer["data"][0]
    return answer["data"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["ip", "ip_address", "ipAddress"])
def test_a_listed_address_by_every_path_name_and_method(asker, path, name):
    asked = {name: "8.8.4.4"}
    for response in (asker.get(path, query=asked), asker.post(path, asked), asker.post(path, query=asked)):
        [entry] = entries(response)
        assert entry == {
            "query": "8.8.4.4",
            "description": "Listed by spamhaus",
            "results": NONE | {"spamhaus": True},
            "status": {
                "just_registered": "unknown",
                "spamhaus": "listed",
                "nordspam": "unknown",  # its answer is an error code
                "spfbl": "clear",
                "sorbs": "retired",
                "abusix": "not_configured",
            },
        }


@pytest.mark.parametrize("spelling", [
    "listed.com", "LISTED.com.", " listed.com ", "https://listed.com:8080/path?x=1#y", "http://www.listed.com",
])  # fmt: skip
def test_a_listed_domain_in_every_spelling(asker, spelling):
    [entry] = entries(asker.get("/experimental/blacklist.json", query={"domain": spelling}))
    assert entry["results"]["just_registered"] is True
    assert entry["query"] == ("www.listed.com" if "www" in spelling else "listed.com")


def test_a_domain_and_an_address_are_two_entries(asker):
    for asked in ({"domain": "firm.org", "ip": "8.8.4.4"}, {"ip": "8.8.4.4", "domain": "firm.org"}):
        clear, listed = entries(asker.get("/experimental/blacklist", query=asked))
        assert (clear["query"], clear["results"]) == ("firm.org", NONE)
        assert (listed["query"], listed["results"]["spamhaus"]) == ("8.8.4.4", True)


@pytest.mark.parametrize(
    "ip", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.1.1", "224.0.0.1", "0.0.0.0"]
)
def test_what_is_not_public_is_unknown_and_nobody_is_asked(asker, dns, ip):
    before = list(dns.seen)
    [entry] = entries(asker.get("/experimental/blacklist", query={"ip": ip}))
    assert entry["results"] == NONE
    assert set(entry["status"].values()) == {"unknown"}
    assert dns.seen == before


@pytest.mark.parametrize(
    "domain", ["printer.local", "db.internal", "x.test", "localhost.localdomain", "co.uk"]
)
def test_a_name_that_is_not_public_is_unknown_and_nobody_is_asked(asker, dns, domain):
    before = list(dns.seen)
    [entry] = entries(asker.get("/experimental/blacklist", query={"domain": domain}))
    assert set(entry["status"].values()) == {"unknown"}
    assert dns.seen == before


@pytest.mark.parametrize("ip", [
    "256.1.1.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4/24", "1.2.3.4:80", "::1", "2001:db8::1",
    "16909060", "0x7f.0.0.1", "firm.org", "1.2.3.4, 5.6.7.8", "１.2.3.4",
])  # fmt: skip
def test_what_is_no_ipv4_address_is_a_422(asker, ip):
    assert shapes.error_fields(asker.get("/experimental/blacklist", query={"ip": ip})) == ["ip_address"]


@pytest.mark.parametrize("domain", [
    "firm", "8.8.8.8", "-a.com", "a..com", "a b.com", "http://", "a" * 64 + ".com", "ex_ample.com",
    "[::1]", "a.1",
])  # fmt: skip
def test_what_is_no_domain_is_a_422(asker, domain):
    assert shapes.error_fields(asker.get("/experimental/blacklist", query={"domain": domain})) == ["domain"]


@pytest.mark.parametrize(
    "asked", [{}, {"domain": ""}, {"ip": ""}, {"domain": "", "ip_address": "", "ip": ""}]
)
def test_neither_is_a_422(asker, asked):
    assert shapes.error_fields(asker.get("/experimental/blacklist", query=asked)) == ["domain"]


def test_an_empty_parameter_beside_a_good_one_is_absent(asker):
    [entry] = entries(
        asker.get("/experimental/blacklist", query={"domain": "", "ip": "", "ip_address": "8.8.4.4"})
    )
    assert entry["query"] == "8.8.4.4"


def test_one_bad_value_refuses_the_whole(asker):
    refused = asker.get("/experimental/blacklist", query={"domain": "firm.org", "ip": "x"})
    assert shapes.error_fields(refused) == ["ip_address"]
