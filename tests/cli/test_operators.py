"""`audience console` and `audience operator`: links and roles."""

import re

import pytest

from audience.access import operators, sessions, sign_in, sites
from audience.access.audit_log import COMMAND_LINE, page
from audience.config import Settings
from audience.operations import first_site, opening
from audience.operations.opening import prepare
from tests.two_factor import PASSWORD, code_of, turn_on, waiting

URL = re.compile(r"https?://\S+")


@pytest.fixture
def site(app):
    return sites.create("Example")


def token_in(link):
    return link.partition("#")[2]


def follow(link):
    """Signs in with a printed link; the operator."""
    return operators.signed_in(sign_in.with_link(token_in(link), ""))


def test_the_link_stands_alone_on_the_first_line(run, site):
    lines = run("console").splitlines()
    assert URL.fullmatch(lines[0])
    assert URL.findall("\n".join(lines)) == [lines[0]]
    assert lines[0].startswith("http://127.0.0.1:8000/console/first#")
    assert set_up(lines[0]).roles == {site.id: "owner"}
    assert follow(run("console", "--json")["link"]).email == "ann@example.com"


def set_up(link):
    """Becomes the first operator by a printed link; the operator."""
    token, email = token_in(link), "ann@example.com"
    password_hash = sign_in.hash_first_password(token, email, "a heron stands in the reeds", {})
    session = sign_in.with_first_link(token, email, password_hash, "")
    return operators.signed_in(session)


@pytest.mark.parametrize(
    ("settings", "begins"),
    [
        ({"public_url": "https://people.example/x/"}, "https://people.example/x/console/link#"),
        ({"host": "0.0.0.0", "port": 9000}, "http://localhost:9000/console/link#"),
        ({"host": "::", "port": 9000}, "http://localhost:9000/console/link#"),
        ({"host": "::1"}, "http://[::1]:8000/console/link#"),
        ({"public_url": "http://localhost:9000"}, "http://localhost:9000/console/link#"),
        ({"public_url": "http://people.example"}, "http://localhost:8000/console/link#"),
    ],
)
def test_a_link_leads_where_the_console_answers(settings, begins):
    assert sessions.link(Settings(**settings).console_url, sessions.SIGN_IN, "x").startswith(begins)


def test_as_names_the_operator_when_there_are_several(run, type_, site):
    run("operator", "add", "ann@example.com", "--administrator")
    assert follow(run("console").splitlines()[0]).email == "ann@example.com"
    run("operator", "add", "bob@example.com", "--administrator")
    assert str(type_("console", "--as", "eve@example.com").exception) == operators.NO_OPERATOR
    assert str(type_("console").exception) == sign_in.NAME_ONE
    assert follow(run("console", "--as", "BOB@example.com").splitlines()[0]).email == "bob@example.com"


def test_an_added_operator_sets_a_password_at_the_link(run, site):
    words = ("operator", "add", "ann@example.com", "--site", site.uuid, "--role", "manager", "--json")
    link = run(*words)["link"]
    assert link.startswith("http://127.0.0.1:8000/console/password#")
    token = sign_in.set_password_with_link(token_in(link), "a heron stands in the reeds", "")
    operator = operators.signed_in(token)
    assert operator is not None
    assert (operator.email, operator.has_password, operator.roles) == (
        "ann@example.com", True, {site.id: "manager"},
    )  # fmt: skip
    run("operator", "add", "ann@EXAMPLE.com", exit_code=1)
    run("operator", "add", "no address", exit_code=1)


def test_roles_are_listed_given_and_taken(run, site):
    run("operator", "add", "ann@example.com", "--administrator")
    run("operator", "role", "ann@example.com", "owner", "--site", site.uuid)
    [ann] = run("operator", "list", "--json")
    assert (ann["email"], ann["administrator"], ann["roles"]) == (
        "ann@example.com", True, {site.uuid: "owner"},
    )  # fmt: skip
    assert "ann@example.com  administrator, owner of" in run("operator", "list")
    run("operator", "add", "bob@example.com", "--administrator")
    run("operator", "role", "bob@example.com", "none")
    run("operator", "role", "bob@example.com", "support", "--site", site.uuid)
    run("operator", "role", "bob@example.com", "none", "--site", site.uuid)
    assert [each["roles"] for each in run("operator", "list", "--json")] == [{site.uuid: "owner"}, {}]
    run("operator", "role", "bob@example.com", "owner", exit_code=2)
    run("operator", "role", "bob@example.com", "administrator", "--site", site.uuid, exit_code=2)


def test_the_last_administrator_and_the_last_owner_stay(run, site):
    run("operator", "add", "admin@example.com", "--administrator")
    run("operator", "add", "owner@example.com", "--site", site.uuid, "--role", "owner")
    run("operator", "add", "bob@example.com")
    for words in (
        ("remove", "admin@example.com"),
        ("role", "admin@example.com", "none"),
        ("remove", "owner@example.com"),
        ("role", "owner@example.com", "viewer", "--site", site.uuid),
        ("role", "owner@example.com", "none", "--site", site.uuid),
    ):
        run("operator", *words, exit_code=1)
    run("operator", "role", "bob@example.com", "administrator")
    run("operator", "role", "bob@example.com", "owner", "--site", site.uuid)
    run("operator", "remove", "admin@example.com")
    run("operator", "remove", "owner@example.com")
    assert [each["email"] for each in run("operator", "list", "--json")] == ["bob@example.com"]
    assert "owner@example.com" in {entry.subject for entry in page(site)}


def test_reset_ends_password_and_sessions_and_gives_a_link(run, site):
    token = operators.add("ann@example.com", False, {}, COMMAND_LINE)
    session = sign_in.set_password_with_link(token, "a heron stands in the reeds", "")
    link = run("operator", "reset", "ann@example.com").splitlines()[0]
    assert operators.signed_in(session) is None
    assert sign_in.with_password("ann@example.com", "a heron stands in the reeds", False, "") is None
    assert sign_in.set_password_with_link(token_in(link), "another heron in the reeds", "")


def test_reset_2fa_turns_it_off_and_ends_the_sessions(run, type_, site):
    operators.add("ann@example.com", False, {}, COMMAND_LINE)
    secret, _ = turn_on("ann@example.com")
    session = sign_in.with_code(waiting("ann@example.com"), code_of(secret, 1), False, "")
    assert session is not None
    assert "two-factor sign-in" in run("operator", "list")
    assert run("operator", "reset-2fa", "ANN@example.com", "--json")["has_two_factor"] is False
    assert operators.signed_in(session) is None
    [ann] = run("operator", "list", "--json")
    assert (ann["has_password"], ann["has_two_factor"]) == (True, False)
    assert operators.signed_in(sign_in.with_password("ann@example.com", PASSWORD, False, "") or "")
    entry = page(None)[1]
    assert (entry.act, entry.subject, entry.actor) == (
        "two-factor sign-in reset", "ann@example.com", "command line",
    )  # fmt: skip
    assert str(type_("operator", "reset-2fa", "ann@example.com").exception) == operators.NO_TWO_FACTOR
    assert str(type_("operator", "reset-2fa", "eve@example.com").exception) == operators.NO_OPERATOR


def test_the_greeting_has_a_link_on_a_terminal_while_there_is_no_operator(settings, site):
    assert prepare(settings, False, on_terminal=False) is None
    link = prepare(settings, False, on_terminal=True)
    opening.open_process(settings)
    set_up(link)
    assert prepare(settings, False, on_terminal=True) is None


def test_a_deleted_site_takes_its_roles_and_entries_along(run, site):
    other = sites.create("Other")
    run("operator", "add", "ann@example.com", "--site", site.uuid, "--role", "owner")
    run("site", "delete", site.uuid, "--yes")
    assert [each["roles"] for each in run("operator", "list", "--json")] == [{}]
    assert page(other) == []


def test_administrators_own_a_site_that_is_made(run, site):
    operators.add("ann@example.com", True, {}, COMMAND_LINE)
    operators.add("bob@example.com", False, {}, COMMAND_LINE)
    made = run("site", "create", "News", "--json")
    assert made["owners"] == ["ann@example.com"]
    ann = operators.get("ann@example.com")
    assert made["site_uuid"] in [each.uuid for each in operators.sites_of(ann.id)]
    assert "owners           ann@example.com" in run("site", "create", "Shop")


def test_a_site_is_made_for_one_operator(run, type_, site):
    for email, administrator in (("ann@example.com", True), ("bob@example.com", False)):
        operators.add(email, administrator, {}, COMMAND_LINE)
    assert run("site", "create", "News", "--owner", "bob@example.com", "--json")["owners"] == [
        "bob@example.com"
    ]
    refused = type_("site", "create", "Shop", "--owner", "eve@example.com")
    assert str(refused.exception) == operators.NO_OPERATOR
    assert [each.name for each in sites.list_all()] == ["Example", "News"]


def test_a_site_that_nobody_owns_yet_says_so(run, site):
    assert "nobody yet: `audience console`" in run("site", "create", "News")


def test_a_first_site_made_again_belongs_to_administrators(app, settings):
    operators.add("ann@example.com", True, {}, COMMAND_LINE)
    assert first_site.ensure(settings) is not None
    [made] = sites.list_all()
    assert operators.owners(made) == ["ann@example.com"]
