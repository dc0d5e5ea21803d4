"""The pages that links lead to, as somebody sees them who got an email."""

import re

import pytest

from audience import clock
from audience.access import keys, sites
from audience.access.audit_log import COMMAND_LINE
from audience.changes import pages as change_log_pages
from audience.console import consents
from audience.erasures import erasures
from audience.links import generations
from audience.links.links import PREFERENCES, UNSUBSCRIBE
from audience.links.unsubscribing import REASONS
from audience.looks import looks
from audience.subscribers import commands, subscribers
from tests import statements
from tests.audience.looks.test_looks import sent
from tests.audience.undo.test_undos import put, take_back
from tests.pages.visitor import ZOE, command, heading, text, ticket
from tests.stored_people import found

WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE|REPLACE)")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
MULTIPART = b'--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
ONE_CLICK = [
    ("application/x-www-form-urlencoded", b"List-Unsubscribe=One-Click"),
    ("multipart/form-data; boundary=x", MULTIPART),
    ("text/plain", b"List-Unsubscribe=One-Click"),
]
OTHERS = [
    (None, None),
    ("application/x-www-form-urlencoded", b""),
    ("application/x-www-form-urlencoded", b"%ff=&&&" + b"a" * 16_000),
    ("multipart/form-data", b"no boundary"),
    ("multipart/form-data; boundary=\xfc".encode("latin-1").decode("latin-1"), b"--x"),
    ("application/json", b"{"),
    ("nonsense", b"\0\xff"),
]


def consent_events(site):
    return consents.history(site, found(site, ZOE))


@pytest.fixture
def written(monkeypatch):
    """The statements that write, of all that are sent."""
    sent, read = [], statements.reader.read

    def note(sql):
        sent.extend([sql] if WRITES.match(sql) else [])
        read(sql)

    monkeypatch.setattr(statements.reader, "read", note)
    return sent


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("purpose", [UNSUBSCRIBE, PREFERENCES])
def test_looking_writes_nothing(zoe, written, purpose, method):
    for _ in range(2):
        token = zoe.token(purpose)
        for path in (f"/{purpose}/{token}", f"/{purpose}/{token}?lang=de", f"/{purpose}/{token}x"):
            zoe.http.open(path, method=method, headers={"Sec-Purpose": "prefetch"})
        assert written == []
        assert zoe.is_subscribed()
        command(zoe.site, "unsubscribe")
        written.clear()
        zoe.http.open(f"/{purpose}/{token}", method=method)
        assert written == []
        command(zoe.site, "subscribe")
        written.clear()


def test_no_public_get_writes(app, zoe, written):
    logo = b"\x89PNG\r\n\x1a\n"
    looks.change(zoe.site, sent(), logo, removes_logo=False, actor=COMMAND_LINE)
    rules = [
        rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith(("pages.links.", "pages.files.")) and "GET" in (rule.methods or ())
    ]
    assert {rule.rule for rule in rules} >= {"/unsubscribe/<token>", "/preferences/<token>"}
    written.clear()
    for rule in rules:
        path = rule.rule.replace("<site_uuid>", zoe.site.uuid).replace("<name>", "pages.css")
        if "<token>" in path:
            path = path.replace("<token>", zoe.token(path.split("/")[1]))
        for method in ("GET", "HEAD"):
            status = 404 if path in ("/unsubscribe", "/preferences") else 200
            assert zoe.http.open(path, method=method).status_code == status, path
    assert written == []


def test_the_page_asks_and_shows_a_masked_address_alone(zoe):
    page = zoe.get(f"/unsubscribe/{zoe.token()}")
    assert (page.status_code, heading(page)) == (200, "Unsubscribe")
    assert "Stop sending Harbour Letters to z…@example.com ?" in text(page)
    assert "Nothing changes until you press the button." in text(page)
    for secret in (ZOE, "Zoë", found(zoe.site, ZOE).uuid):
        assert secret not in page.text


@pytest.mark.parametrize("purpose", [UNSUBSCRIBE, PREFERENCES])
def test_the_headers_keep_the_page_to_itself(zoe, purpose):
    token = zoe.token(purpose)
    pages = [zoe.get(f"/{purpose}/{token}"), zoe.get(f"/{purpose}/{token}x"), zoe.post(f"/{purpose}/{token}")]
    for page in pages:
        headers = page.headers
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Robots-Tag"] == "noindex"
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert not {"Set-Cookie", "Location"} & {*headers.keys()}
        assert "<script" not in page.text
        assert "style=" not in page.text


@pytest.mark.parametrize(("kind", "body"), [*ONE_CLICK, *OTHERS])
def test_a_post_unsubscribes_whatever_its_body(zoe, kind, body):
    path = f"/unsubscribe/{zoe.token()}"
    for _ in range(2):
        answered = zoe.post(path, body, content_type=kind)
        assert answered.status_code == 200
        assert not {"Set-Cookie", "Location"} & {*answered.headers.keys()}
        assert not zoe.is_subscribed()
        if (kind, body) in ONE_CLICK:
            assert (answered.mimetype, answered.text) == ("text/plain", "Unsubscribed.\n")
    assert zoe.post(f"{path}/undo", body, content_type=kind).status_code == 409


def test_a_chunked_body_is_taken_and_one_over_16_kib_is_not(zoe):
    path, chunked = f"/unsubscribe/{zoe.token()}", {"wsgi.input_terminated": True}
    large = zoe.post(path, b"a" * (2**14 + 1))
    assert (large.status_code, heading(large)) == (413, "That was too much")
    assert zoe.is_subscribed()
    answered = zoe.http.post(
        path, input_stream=None, data=b"List-Unsubscribe=One-Click", headers={"Transfer-Encoding": "chunked"},
        environ_overrides=chunked | {"CONTENT_LENGTH": ""},
    )  # fmt: skip
    assert (answered.status_code, zoe.is_subscribed()) == (200, False)
    assert answered.text == "Unsubscribed.\n"


@pytest.mark.parametrize("glued", [".", ",", ")", ">", ">).,"])
def test_what_mail_programs_glue_to_a_link_is_cut(zoe, glued):
    page = zoe.get(f"/unsubscribe/{zoe.token()}{glued}")
    assert page.status_code == 200
    assert f'action="/unsubscribe/{zoe.token()}"' in page.text


def test_a_bad_link_is_one_page_for_all_causes(zoe):
    token, preferences = zoe.token(), zoe.preferences()
    generations.rotate(zoe.site, revokes=True)
    other = sites.create("Another")
    put(other, {"email": ZOE})
    paths = [
        f"/unsubscribe/{token}", f"/unsubscribe/{token[:-1]}", "/unsubscribe/x", "/unsubscribe/",
        f"/unsubscribe/{preferences}", f"/preferences/{preferences}", f"/preferences/{zoe.token()}",
        "/preferences",
    ]  # fmt: skip
    pages = [zoe.get(path) for path in paths] + [zoe.post(paths[0], {"act": "unsubscribe"})]
    assert {page.status_code for page in pages} == {404}
    assert {heading(page) for page in pages} == {"This link doesn’t work"}
    assert len({page.text for page in pages[:-1]}) == 1
    assert "Harbour" not in pages[0].text
    assert zoe.is_subscribed()


def test_bad_links_are_throttled_and_good_ones_never(zoe):
    token = zoe.token()
    statuses = [zoe.get("/unsubscribe/x").status_code for _ in range(100)]
    assert statuses[0] == 404
    assert statuses[-1] == 429
    throttled = zoe.get("/preferences/x")
    assert (heading(throttled), int(throttled.headers["Retry-After"]) > 0) == ("Wait a moment", True)
    answers = {
        zoe.post(f"/unsubscribe/{token}", b"List-Unsubscribe=One-Click").status_code for _ in range(99)
    }
    assert answers == {200}
    key = keys.create([zoe.site], "full")
    tried = zoe.http.get(
        "/api/v1/fetch/tags", query_string={"site_uuid": zoe.site.uuid},
        auth=(key.publishable_key, "wrong"),
    )  # fmt: skip
    assert tried.status_code == 401


@pytest.mark.parametrize("reason", REASONS)
def test_a_reason_is_kept_with_the_consent_event_and_shown_in_the_console(zoe, reason):
    sent = zoe.unsubscribe()
    page = zoe.post(f"/unsubscribe/{zoe.token()}/reason", {"ticket": sent, "reason": reason})
    assert (page.status_code, heading(page)) == (200, "You’re unsubscribed")
    assert "Thank you. We noted:" in text(page)
    assert consents.REASONS[reason] in consent_events(zoe.site)[-1].details
    source, event = change_log_pages.history(zoe.site, found(zoe.site, ZOE).uuid).consent.events[-1]
    assert (source[0], event.reason, event.subscribed) == ("link", reason, False)
    assert zoe.post(f"/unsubscribe/{zoe.token()}/undo", {"ticket": ticket(page)}).status_code == 200
    assert "by a link in an email" in consent_events(zoe.site)[-1].details
    assert zoe.is_subscribed()


@pytest.mark.parametrize("reason", ["", "free text", "word"])
def test_no_other_reason_is_kept(zoe, reason):
    sent = zoe.unsubscribe()
    before = consent_events(zoe.site)
    page = zoe.post(f"/unsubscribe/{zoe.token()}/reason", {"ticket": sent, "reason": reason})
    assert (page.status_code, "Thank you" in page.text, ticket(page)) == (200, False, sent)
    assert consent_events(zoe.site) == before


def test_a_reason_comes_too_late_after_the_next_consent_event(zoe):
    sent = zoe.unsubscribe()
    command(zoe.site, "unsubscribe")
    before = consent_events(zoe.site)
    page = zoe.post(f"/unsubscribe/{zoe.token()}/reason", {"ticket": sent, "reason": "too_many"})
    assert (page.status_code, consent_events(zoe.site)) == (409, before)


def test_whoever_is_unsubscribed_reads_how_to_come_back(zoe, monkeypatch):
    monkeypatch.setattr(clock, "now_ms", lambda: 1_795_620_240_000)
    zoe.unsubscribe()
    for path in (f"/unsubscribe/{zoe.token()}", f"/preferences/{zoe.preferences()}"):
        page = zoe.get(path)
        assert heading(page) == "You’re unsubscribed"
        assert "Since 25 November 2026 z…@example.com gets no emails from Harbour Letters." in text(page)
        assert "Would you like to come back?" in text(page)
        assert "<form" not in page.text


def test_an_unconfirmed_subscriber_may_unsubscribe(zoe):
    put(zoe.site, {"email": "bob@example.com", "unconfirmed": True})
    token = zoe.token(email="bob@example.com")
    assert heading(zoe.get(f"/unsubscribe/{token}")) == "Unsubscribe"
    assert zoe.unsubscribe(token) == ""
    assert heading(zoe.get(f"/unsubscribe/{token}")) == "You’re unsubscribed"


def test_a_link_of_somebody_who_is_gone_unsubscribes_the_address(zoe):
    import_id = put(zoe.site, {"email": "bob@example.com"})
    token = zoe.token(email="bob@example.com")
    take_back(zoe.site, import_id)
    page = zoe.get(f"/unsubscribe/{token}")
    assert "Stop sending Harbour Letters to this address?" in text(page)
    page = zoe.post(f"/unsubscribe/{token}")
    assert "This address gets no more emails from Harbour Letters." in text(page)
    assert ticket(page) == ""
    put(zoe.site, {"email": "bob@example.com"})
    assert not zoe.is_subscribed("bob@example.com")


def test_a_link_leads_to_whoever_has_the_address_now(zoe):
    import_id = put(zoe.site, {"email": "bob@example.com"})
    token = zoe.token(email="bob@example.com")
    take_back(zoe.site, import_id)
    put(zoe.site, {"email": "bob@example.com"})
    sent = zoe.unsubscribe(token)
    assert not zoe.is_subscribed("bob@example.com")
    assert zoe.post(f"/unsubscribe/{token}/undo", {"ticket": sent}).status_code == 200
    assert zoe.is_subscribed("bob@example.com")


def test_who_is_erased_stays_so(zoe, settings):
    token = zoe.token()
    erasures.erase(zoe.site, settings.instance, ZOE)
    assert zoe.post(f"/unsubscribe/{token}").status_code == 200
    assert subscribers.find(zoe.site, ZOE) is None


def test_of_a_uuid_that_nobody_knows_the_page_is_another(zoe, monkeypatch):
    token = zoe.token()
    monkeypatch.setattr("audience.links.unsubscribing.find", lambda _: (None, None))
    for page in (zoe.get(f"/unsubscribe/{token}"), zoe.post(f"/unsubscribe/{token}")):
        assert (page.status_code, heading(page)) == (200, "This address is not on our list")
    clicked = zoe.post(f"/unsubscribe/{token}", b"List-Unsubscribe=One-Click")
    assert (clicked.status_code, clicked.text) == (200, "This address is not on our list.\n")


def test_a_language_is_chosen_and_kept(zoe):
    path = f"/preferences/{zoe.preferences()}"
    assert heading(zoe.get(path)) == "What you get"
    page = zoe.post(path + "?lang=en", {"language": "de"})
    assert found(zoe.site, ZOE).fields["language"] == "de"
    assert "Saved." in text(page)
    page = zoe.get(path)
    assert (heading(page), '<option value="de" lang="de" selected>' in page.text) == (
        "Was Sie bekommen",
        True,
    )
    for wrong in ("xx", "", "<b>"):
        assert heading(zoe.post(path, {"language": wrong})) == "Was Sie bekommen"
    assert found(zoe.site, ZOE).fields["language"] == "de"


def test_preferences_unsubscribe_and_undo(zoe):
    path = f"/preferences/{zoe.preferences()}"
    page = zoe.post(path, {"act": "unsubscribe"})
    assert (heading(page), zoe.is_subscribed()) == ("You’re unsubscribed", False)
    assert heading(zoe.post(path, {"language": "de"})) == "You’re unsubscribed"
    assert "language" not in found(zoe.site, ZOE).fields
    page = zoe.post(f"{path}/undo", {"ticket": ticket(page)})
    assert (heading(page), f'href="{path}"' in page.text, zoe.is_subscribed()) == ("You’re back", True, True)


def test_a_preferences_link_of_a_former_address_only_unsubscribes_and_shows_none(zoe):
    path = f"/preferences/{zoe.preferences()}"
    commands.run(zoe.site, [{"email": ZOE, "command": "change_email", "query": "bob@example.com"}])
    page = zoe.get(path)
    assert (heading(page), "example.com" in page.text) == ("Unsubscribe", False)
    zoe.post(path, {"language": "de"})
    assert "language" not in found(zoe.site, "bob@example.com").fields
    assert "bob" not in zoe.post(path, {"act": "unsubscribe"}).text
    assert not zoe.is_subscribed("bob@example.com")


def test_after_a_rotation_old_links_only_unsubscribe(zoe):
    path, token = f"/preferences/{zoe.preferences()}", zoe.token()
    generations.rotate(zoe.site)
    assert heading(zoe.get(path)) == "Unsubscribe"
    zoe.post(path, {"language": "de"})
    assert "language" not in found(zoe.site, ZOE).fields
    sent = zoe.unsubscribe(token)
    assert zoe.post(f"/unsubscribe/{token}/undo", {"ticket": sent}).status_code == 200


def test_what_links_do_is_in_the_record_as_of_a_link(zoe):
    zoe.post(f"/preferences/{zoe.preferences()}", {"language": "pt"})
    zoe.unsubscribe()
    sources = [
        change.source[0] for change in change_log_pages.history(zoe.site, found(zoe.site, ZOE).uuid).changes
    ]
    assert sources.count("link") == 2


def test_an_error_is_a_page_for_people(zoe, monkeypatch):
    def fail(*_):
        raise RuntimeError

    monkeypatch.setattr("audience.links.links.read", fail)
    page = zoe.get(f"/unsubscribe/{zoe.token()}", Accept_Language="de")
    assert (page.status_code, heading(page)) == (500, "Das hat nicht geklappt")
    assert page.headers["Content-Security-Policy"] == POLICY
