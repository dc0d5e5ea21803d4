"""Look up blacklists, with a fake DNS (docs/contract.md, Answers)."""

import pytest

from tests import response_assertions

PATHS = ["/experimental/blacklist", "/experimental/blacklist.json", "/experimental/blacklist.json/"]
FLAGS = ["just_registered", "spamhaus", "nordspam", "spfbl", "sorbs", "abusix"]
STATUSES = {"listed", "clear", "unknown", "does_not_apply", "not_configured", "retired"}
NONE = dict.fromkeys(FLAGS, False)


def entries(response):
    """Checks the shapes; returns the entries, of which the first is repeated at the top level."""
    answer = response_assertions.answer(response)
    response_assertions.keys(answer, "data", "query", "description", "results", "status")
    for entry in (*answer["data"], answer):
        assert type(entry["query"]) is type(entry["description"]) is str
        assert list(entry["results"]) == list(entry["status"]) == FLAGS
        assert {type(flag) for flag in entry["results"].values()} == {bool}
        assert set(entry["status"].values()) <= STATUSES
        assert {name for name, status in entry["status"].items() if status == "listed"} == {
            name for name, flag in entry["results"].items() if flag
        }
    assert {name: value for name, value in answer.items() if name != "data"} == answer["data"][0]
    return answer["data"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", ["ip", "ip_address", "ipAddress"])
def test_a_listed_address_via_every_path_parameter_and_method(answers_client, path, name):
    values = {name: "8.8.4.4"}
    for response in (
        answers_client.get(path, query=values),
        answers_client.post(path, values),
        answers_client.post(path, query=values),
    ):
        [entry] = entries(response)
        assert entry == {
            "query": "8.8.4.4",
            "description": "Listed by spamhaus",
            "results": NONE | {"spamhaus": True},
            "status": {
                "just_registered": "does_not_apply",  # a list of domains
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
def test_a_listed_domain_in_every_spelling(answers_client, spelling):
    [entry] = entries(answers_client.get("/experimental/blacklist.json", query={"domain": spelling}))
    assert entry["results"]["just_registered"] is True
    assert entry["query"] == ("www.listed.com" if "www" in spelling else "listed.com")


def test_only_the_providers_of_the_kind_of_question_are_counted(answers_client):
    query = {"domain": "firm.org", "ip": "8.8.8.8"}
    domain, address = entries(answers_client.get("/experimental/blacklist", query=query))
    assert address["status"]["just_registered"] == "does_not_apply"
    assert address["description"] == "Not listed by any provider that answered (3 of 4)"
    assert domain["status"]["just_registered"] == "unknown"  # it covers other top-level domains
    assert domain["description"] == "Not listed by any provider that answered (3 of 5)"


def test_a_domain_and_an_address_are_two_entries(answers_client):
    for values in ({"domain": "firm.org", "ip": "8.8.4.4"}, {"ip": "8.8.4.4", "domain": "firm.org"}):
        clear, listed = entries(answers_client.get("/experimental/blacklist", query=values))
        assert (clear["query"], clear["results"]) == ("firm.org", NONE)
        assert (listed["query"], listed["results"]["spamhaus"]) == ("8.8.4.4", True)


@pytest.mark.parametrize(
    "ip", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.1.1", "224.0.0.1", "0.0.0.0"]
)
def test_an_address_that_is_not_public_is_unknown_without_a_query(answers_client, dns, ip):
    before = list(dns.seen)
    [entry] = entries(answers_client.get("/experimental/blacklist", query={"ip": ip}))
    assert entry["results"] == NONE
    assert set(entry["status"].values()) == {"unknown"}
    assert dns.seen == before


@pytest.mark.parametrize(
    "domain", ["printer.local", "db.internal", "x.test", "localhost.localdomain", "co.uk"]
)
def test_a_domain_that_is_not_public_is_unknown_without_a_query(answers_client, dns, domain):
    before = list(dns.seen)
    [entry] = entries(answers_client.get("/experimental/blacklist", query={"domain": domain}))
    assert set(entry["status"].values()) == {"unknown"}
    assert dns.seen == before


@pytest.mark.parametrize("ip", [
    "256.1.1.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.4/24", "1.2.3.4:80", "::1", "2001:db8::1",
    "16909060", "0x7f.0.0.1", "firm.org", "1.2.3.4, 5.6.7.8", "１.2.3.4",
])  # fmt: skip
def test_a_malformed_ipv4_address_is_a_422(answers_client, ip):
    assert response_assertions.error_fields(
        answers_client.get("/experimental/blacklist", query={"ip": ip})
    ) == ["ip_address"]


@pytest.mark.parametrize("domain", [
    "firm", "8.8.8.8", "-a.com", "a..com", "a b.com", "http://", "a" * 64 + ".com", "ex_ample.com",
    "[::1]", "a.1",
])  # fmt: skip
def test_a_malformed_domain_is_a_422(answers_client, domain):
    assert response_assertions.error_fields(
        answers_client.get("/experimental/blacklist", query={"domain": domain})
    ) == ["domain"]


@pytest.mark.parametrize(
    "values", [{}, {"domain": ""}, {"ip": ""}, {"domain": "", "ip_address": "", "ip": ""}]
)
def test_a_missing_address_and_domain_are_a_422(answers_client, values):
    assert response_assertions.error_fields(answers_client.get("/experimental/blacklist", query=values)) == [
        "domain"
    ]


def test_an_empty_parameter_beside_a_valid_one_is_ignored(answers_client):
    [entry] = entries(
        answers_client.get("/experimental/blacklist", query={"domain": "", "ip": "", "ip_address": "8.8.4.4"})
    )
    assert entry["query"] == "8.8.4.4"


def test_one_bad_value_refuses_the_whole_request(answers_client):
    refused = answers_client.get("/experimental/blacklist", query={"domain": "firm.org", "ip": "x"})
    assert response_assertions.error_fields(refused) == ["ip_address"]
