"""Forms on the pages of a site's manager: made, changed, previewed, opened; what visitors see of them."""

import re

import pytest

from audience import clock
from audience.access.audit_log import COMMAND_LINE, page
from audience.clock import DAY_MS
from audience.console.confirmations import SENTENCES
from audience.forms import forms
from audience.forms.forms import OPEN, PAUSED
from audience.looks import looks, senders
from audience.subscribers import custom_fields
from audience.webhooks import webhooks
from storage import database
from storage.sign_ups import counts
from tests.audience.looks.test_looks import sent as look_of
from tests.audience.looks.test_senders import SENT as SENDER
from tests.console.browser import alert, signed_in
from tests.sign_up_steps import ask, confirm, make_form

SENT = {
    "name": "Front page", "language": "en", "first_name": "needed", "last_name": "", "tags": "web, new",
    "origins": "https://a.example, https://b.example/x", "next_url": "https://a.example/thanks",
    "confirm": "script",
    "wording_en": "Yes, <b>please</b>.", "wording_de": "Ja, bitte.", "intro_en": "News from the quay.",
}  # fmt: skip


@pytest.fixture
def path(site):
    return f"/sites/{site.uuid}/forms"


def acts(site):
    return [(entry.actor, entry.act) for entry in page(site)]


def test_a_form_is_made_with_what_is_proposed_and_listed(site, manager, path):
    assert "No forms yet" in manager.get(path).text
    assert "By signing up you agree" not in manager.get(f"{path}/new").text
    looks.change(site, look_of(name="Quay News", language=""), b"", False, COMMAND_LINE)
    proposed = manager.get(f"{path}/new").text
    assert "By signing up you agree that Quay News may send you emails." in proposed
    made = manager.post(f"{path}/new", **SENT)
    [form] = forms.list_all(site)
    assert made.headers["Location"] == f"/console{path}/{form.id}?done=form-made"
    assert form.fields == (forms.FormField("first_name", True),)
    assert form.origins == ("https://a.example", "https://b.example")
    assert (form.tags, forms.languages(form), form.state) == (("web", "new"), ("en", "de"), PAUSED)
    listed = manager.get(path).text
    assert "on a.example, b.example" in listed
    assert "AUDIENCE_SMTP_URL" in manager.get(f"{path}/{form.id}").text
    assert acts(site)[0] == ("meg@example.com", "form made")


def test_a_form_is_changed_and_every_version_of_its_wording_shown(site, manager, path):
    form = forms.create(site, {"name": "Blog", "tags": ["old"], "wording": {"en": "Yes, then."}})
    assert manager.post(f"{path}/{form.id}", **SENT).status_code == 303
    changed = forms.get(site, form.id)
    assert (changed.name, changed.version, changed.tags) == ("Front page", 2, ("web", "new"))
    shown = manager.get(f"{path}/{form.id}").text
    assert "Yes, then." in shown
    assert "Yes, &lt;b&gt;please&lt;/b&gt;." in shown
    assert "&lt;input type=&#34;hidden&#34; name=&#34;wording&#34; value=&#34;2&#34;&gt;" in shown
    assert "Changing this text makes version 3." in shown
    manager.post(f"{path}/{form.id}", **SENT | {"first_name": "", "tags": "", "origins": "", "next_url": ""})
    emptied = forms.get(site, form.id)
    assert (emptied.fields, emptied.tags, emptied.origins, emptied.version) == ((), (), (), 2)


def test_what_is_saved_and_what_is_live_is_said(site, manager, path):
    form = forms.create(site, {"name": "Blog"})

    def said(answer):
        assert answer.status_code == 303
        shown = manager.get(answer.headers["Location"].removeprefix("/console")).text
        return re.findall(r'role="status" class="note">([^<]*)<', shown)[0]

    assert said(manager.post(f"{path}/{form.id}", **SENT)) == SENTENCES["form-saved"]
    forms.change(site, form.id, {"state": "paused"})
    looks.change(site, look_of(), b"", False, COMMAND_LINE)
    forms.set_state(site, form.id, OPEN, no_mail="")
    assert said(manager.post(f"{path}/{form.id}", **SENT | {"tags": "x"})) == SENTENCES["form-live"]
    other = SENT | {"wording_en": "Yes, then."}
    assert said(manager.post(f"{path}/{form.id}", **other)) == SENTENCES["form-reworded"]
    for state in ("paused", "archived"):
        answer = manager.post(f"{path}/{form.id}/state", state=state)
        assert said(answer) == SENTENCES[f"form-{state}"]


def test_a_form_without_a_wording_is_proposed_one_once_there_is_a_public_name(site, manager, path):
    form = forms.create(site, {"name": "Blog"})
    shown = manager.get(f"{path}/{form.id}")
    assert (shown.status_code, "By signing up you agree" in shown.text) == (200, False)
    assert manager.get(f"{path}/{form.id}/preview/confirm").status_code == 200
    looks.change(site, look_of(name="Quay News"), b"", False, COMMAND_LINE)
    assert "By signing up you agree that Quay News" in manager.get(f"{path}/{form.id}").text
    assert forms.get(site, form.id).wording == {}


def test_websites_stand_one_a_line(site, manager, path):
    form = forms.create(site, {"name": "Blog", "origins": ["https://a.example"]})
    shown = manager.get(f"{path}/{form.id}").text
    assert re.findall(r"<textarea[^>]*name=\"origins\"[^>]*>([^<]*)<", shown) == ["https://a.example"]
    typed = "https://a.example\r\nhttps://c.example/blog\r\n"
    manager.post(f"{path}/{form.id}", **SENT | {"origins": typed, "next_url": "https://c.example/thanks"})
    assert forms.get(site, form.id).origins == ("https://a.example", "https://c.example")
    assert "https://a.example\nhttps://c.example<" in manager.get(f"{path}/{form.id}").text
    refused = manager.post(f"{path}/{form.id}", **SENT | {"origins": "https://a.example\nb.example"})
    assert "Send a website that begins with https://" in alert(refused)
    elsewhere = manager.post(f"{path}/{form.id}", **SENT | {"next_url": "https://d.example"})
    assert "on one of the form&#39;s websites" in elsewhere.text
    assert "`" not in alert(elsewhere)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"name": "Win at evil.example"}, "Send a name of 1 to 60 characters"),
        ({"wording_en": ""}, "in the language of the form"),
        ({"wording_de": "x" * 1_001}, "at most 1,000 characters"),
        ({"origins": "a.example", "next_url": ""}, "Send a website"),
        ({"next_url": "https://elsewhere.example"}, "on one of the form"),
    ],
)
def test_what_is_refused_is_marked_and_what_was_typed_stays(site, manager, path, values, said):
    form = forms.create(site, {"name": "Blog"})
    for address in (f"{path}/new", f"{path}/{form.id}"):
        refused = manager.post(address, **SENT | values)
        assert refused.status_code == 422
        assert said in alert(refused)
        assert refused.text.count("News from the quay.") == 1
        assert refused.text.count('class="err"') == 1
    assert forms.list_all(site) == [form]


def test_it_opens_only_with_what_it_needs(site, manager, path):
    form = forms.create(site, {"name": "Blog"})
    refused = manager.post(f"{path}/{form.id}/state", state="open")
    assert refused.status_code == 422
    for part in ("AUDIENCE_SMTP_URL", "only with a privacy page"):
        assert part in alert(refused)
    assert manager.post(f"{path}/{form.id}/state", state="archived").status_code == 303
    assert forms.get(site, form.id).state == "archived"
    assert manager.post(f"{path}/{form.id}/state", state=OPEN[:2]).status_code == 422


def test_opening_saves_what_was_typed_beside_it_or_nothing(site, manager, path):
    looks.change(site, look_of(), b"", False, COMMAND_LINE)
    hook, _ = webhooks.create(site, {"url": "https://93.184.216.34/", "sign_ups": True})
    form = forms.create(site, {"name": "Blog", "delivery": str(hook.id)})
    typed = SENT | {"delivery": str(hook.id), "state": OPEN}
    refused = manager.post(f"{path}/{form.id}", **typed | {"wording_en": ""})
    assert (refused.status_code, refused.text.count("News from the quay.")) == (422, 1)
    assert forms.get(site, form.id) == form
    answer = manager.post(f"{path}/{form.id}", **typed)
    assert answer.headers["Location"].endswith("?done=form-opened")
    opened = forms.get(site, form.id)
    assert (opened.state, opened.wording["en"]) == (OPEN, SENT["wording_en"])


def test_an_owner_lifts_the_limits_of_networks_for_a_day(site, owner, manager, path, later):
    form = forms.create(site, {"name": "Fair"})
    assert "Start the event" not in manager.get(f"{path}/{form.id}").text
    assert manager.post(f"{path}/{form.id}/event", event="on").status_code == 404
    assert "Start the event" in owner.get(f"{path}/{form.id}").text
    assert owner.post(f"{path}/{form.id}/event", event="on").status_code == 303
    shown = manager.get(f"{path}/{form.id}").text
    assert "Sign-ups from one network are not limited until" in shown
    assert acts(site)[0] == ("owner@example.com", "event started, no limits per network for a day")
    manager.post(f"{path}/{form.id}", **SENT)
    assert forms.get(site, form.id).has_event
    owner.post(f"{path}/{form.id}/event", event="off")
    assert "Sign-ups from one network are not limited" not in owner.get(f"{path}/{form.id}").text
    assert acts(site)[0] == ("owner@example.com", "event ended, limits per network apply again")
    owner.post(f"{path}/{form.id}/event", event="on")
    later(DAY_MS)
    assert not forms.get(site, form.id).has_event


def test_the_preview_has_what_was_typed_and_saves_nothing(site, manager, path):
    form = forms.create(site, {"name": "Blog"})
    for form_id in (0, form.id):
        address = f"{path}/{form_id}/preview"
        typed = manager.post(f"{address}/form", **SENT)
        assert "News from the quay." in typed.text
        assert "Yes, &lt;b&gt;please&lt;/b&gt;." in typed.text
        for name in ("form", "mailbox", "confirm", "welcome"):
            saved = manager.get(f"{address}/{name}")
            assert (saved.status_code, "News from the quay." in saved.text) == (200, False)
            assert "frame-ancestors 'self'" in saved.headers["Content-Security-Policy"]
        assert manager.get(f"{address}/other").status_code == 404
    assert forms.list_all(site) == [form]


def test_the_email_that_follows_stands_beside_the_preview(site, manager, path):
    form = forms.create(site, {"name": "Blog", "origins": ["https://a.example"]})
    assert "The confirmation email" not in manager.get(f"{path}/{form.id}").text
    senders.change(site, SENDER, True, COMMAND_LINE)
    shown = manager.get(f"{path}/{form.id}").text
    for part in (f"&lt;{SENDER['mail_from']}&gt;", "/confirm/AQEA", "https://a.example"):
        assert part in shown.partition("The confirmation email")[2]


def test_a_proxy_that_is_not_named_is_told(site, manager, path):
    form = make_form(site)
    assert "AUDIENCE_TRUSTED_PROXIES" not in manager.get(f"{path}/{form.id}").text
    ask(site, form, is_proxied=True)
    assert "AUDIENCE_TRUSTED_PROXIES does not name" in manager.get(f"{path}/{form.id}").text


def test_a_version_has_how_many_agreed_to_it(site, manager, path):
    form = make_form(site, wording={"en": "Yes.", "de": "Ja."})
    for email in ("ann@example.com", "bob@example.com"):
        confirm(site, ask(site, form, email, language="en"))
    forms.change(site, form.id, {"wording": {"en": "Yes, please.", "de": "Ja."}})
    shown = re.sub(r"<[^>]+>", " ", manager.get(f"{path}/{form.id}").text.partition("Agreed")[2])
    said = " ".join(shown.split())
    for part in ("2 English Yes, please. today 0", "1 Deutsch Ja. today 0", "1 English Yes. today 2"):
        assert part in said


def test_a_viewer_sees_and_saves_nothing(app, site, path):
    form = forms.create(site, {"name": "Blog"})
    viewer = signed_in(app, "vic@example.com", {site: "viewer"})
    shown = viewer.get(f"{path}/{form.id}")
    assert (shown.status_code, ">Save<" in shown.text) == (200, False)
    for address in ("new", f"{form.id}", f"{form.id}/state", f"{form.id}/preview/form"):
        assert viewer.post(f"{path}/{address}", **SENT).status_code == 404
    assert viewer.get(f"{path}/new").status_code == 404
    assert forms.list_all(site) == [form]


def test_the_list_has_what_became_of_sign_ups_in_four_weeks(site, manager, path):
    now = clock.now_ms()
    forms.create(site, {"name": "Blog"})
    forms.create(site, {"name": "Podcast"})
    with database.write(site.id):
        for form_id, outcome, number, days in (
            (1, "asked", 554, 2), (1, "sent", 540, 2), (1, "confirmed", 281, 1), (1, "asked", 468, 30),
            (2, "asked", 37, 0), (2, "sent", 37, 0), (2, "confirmed", 2, 0),
        ):  # fmt: skip
            counts.add(site.id, form_id, outcome, now - days * DAY_MS, number)
    shown = re.sub(r"<[^>]+>", " ", manager.get(path).text)
    said = " ".join(shown.split())
    for part in ("Signed up 591", "+26.3% from 468", "Emails sent 577", "paused 554 540 281 52%"):
        assert part in said
    assert "Podcast : only 2 of 37 confirmed." in said
    assert "paused 37 37 2 5%" in said


def test_a_form_asks_for_custom_fields_and_delivers_by_a_webhook(site, manager, path):
    with database.write(site.id):
        custom_fields.ensure(site.id, ["city", "plan"], 1)
    assert 'name="delivery"' not in manager.get(f"{path}/new").text
    webhook, _ = webhooks.create(site, {"url": "https://hook.example/", "sign_ups": True})
    further = {
        "further": "city*, plan",
        "labels_en": "city: Where?\nplan : Which: one?",
        "labels_de": "city: Wo?",
    }
    manager.post(f"{path}/new", **SENT, **further, delivery=str(webhook.id))
    [form] = forms.list_all(site)
    assert form.fields == (
        forms.FormField("first_name", True),
        forms.FormField("city", True, {"en": "Where?", "de": "Wo?"}),
        forms.FormField("plan", False, {"en": "Which: one?"}),
    )
    assert form.delivery == str(webhook.id)
    shown = manager.get(f"{path}/{form.id}").text
    assert 'value="city*, plan"' in shown
    assert "city: Where?\nplan: Which: one?</textarea>" in shown
    assert f'<option value="{webhook.id}" selected>https://hook.example/</option>' in shown
    assert "AUDIENCE_SMTP_URL" not in shown
    assert "AUDIENCE_SMTP_URL" not in manager.get(path).text
    refused = manager.post(f"{path}/{form.id}", **SENT, further="citi")
    assert "custom field" in alert(refused)
    assert 'aria-describedby="further-problem"' in refused.text
    manager.post(f"{path}/{form.id}", **SENT)
    assert forms.get(site, form.id).delivery == "smtp"
