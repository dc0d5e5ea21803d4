"""What a form asks for beside the address: custom fields, and no markup of anybody in its pages."""

import pytest

from audience.forms import forms
from audience.sign_ups import sign_ups
from audience.sign_ups.sign_ups import SignUpRequest
from audience.subscribers import custom_fields
from storage import database
from tests import depth
from tests.answers.corpora import all_payloads
from tests.pages.applicant import ZOE, typed
from tests.pages.visitor import tags_of, text


@pytest.fixture
def asking(applicant):
    """Somebody before a form that asks for ten custom fields, whose keys are names of other inputs, too."""
    keys = ["wording", "email_use", "step", "nickname_2", "città", "a.b", "$c", "d-e", "f", "g"]
    with database.write(applicant.site.id):
        custom_fields.ensure(applicant.site.id, keys, 1)
    fields = [{"key": key, "required": False, "labels": {"en": f"Label {key}"}} for key in keys]
    forms.change(applicant.site, applicant.form.id, {"fields": fields}, no_mail="")
    return applicant, keys


@pytest.mark.parametrize("letter", ["ø", "漢", "𠮷"])
def test_custom_fields_go_through_the_step_whole(asking, letter):
    applicant, keys = asking
    page = applicant.get()
    assert all(f"Label {key} (optional)" in text(page) for key in keys)
    sent_texts = {f"fields[{key}]": letter * 200 for key in keys}
    made = applicant.sign_up(**sent_texts, **{"fields[other]": "x", "g": "x", "first_name": "x"})
    assert typed(made) == dict.fromkeys(keys, letter * 200)
    assert (made.email, made.version) == (ZOE, 1)
    again = applicant.ask("zoe@", **{"fields[a.b]": "A & <b>"})
    assert 'name="fields[a.b]" autocomplete="on" maxlength="200" value="A &amp; &lt;b&gt;"' in again.text


def test_a_custom_field_that_is_needed_is_asked_for(asking):
    applicant, _ = asking
    fields = [{"key": "città", "required": True}]
    forms.change(applicant.site, applicant.form.id, {"fields": fields}, no_mail="")
    page = applicant.ask()
    assert (page.status_code, "Please fill this in." in text(page)) == (422, True)
    assert 'aria-describedby="fields[città]-e"' in page.text
    link = f"https://people.example/unsubscribe/{'a' * 40}.{'b' * 43}"
    assert applicant.ask(**{"fields[città]": link}).status_code == 422
    assert typed(applicant.sign_up(**{"fields[città]": "Genova"})) == {"città": "Genova"}


def confirm_tags(applicant, email, text):
    """Those of the page that confirms a sign-up; a value with a link is not shown."""
    form = forms.get(applicant.site, applicant.form.id)
    made = sign_ups.accept(applicant.site, form, SignUpRequest(email, {"f": text} if text else {}))
    return tags_of(applicant.get(applicant.confirm_path(made)))


def test_no_markup_in_values_or_labels_becomes_markup(asking):
    applicant, keys = asking
    applicant.headers = {"X-Forwarded-For": "192.0.2.7"}
    plain, step = tags_of(applicant.ask("", **{"fields[f]": "Zoë"})), tags_of(applicant.ask())
    bare, shown = (confirm_tags(applicant, f"{name}@example.com", name) for name in ("", "Zoë"))
    form = tags_of(applicant.get())
    for number, payload in enumerate(depth.sample(all_payloads(), 30)):
        sent_text = payload.encode(errors="replace").decode().replace("\0", "")
        label = "".join(char for char in sent_text if char.isprintable())[:100] or "x"
        fields = [{"key": key, "required": False, "labels": {"en": label}} for key in keys]
        forms.change(applicant.site, applicant.form.id, {"fields": fields}, no_mail="")
        assert tags_of(applicant.get()) == form, payload
        page = applicant.ask("", **{"fields[f]": sent_text})
        assert page.status_code == 413 or tags_of(page) == plain, payload
        assert confirm_tags(applicant, f"p{number}@example.com", sent_text[:200]) in (bare, shown), payload
    assert step == tags_of(applicant.ask(**{"fields[f]": "<b>x</b>"}))


def test_no_markup_of_a_visitor_or_an_owner_becomes_markup(applicant):
    applicant.headers = {"X-Forwarded-For": "192.0.2.7"}
    plain = tags_of(applicant.ask("", first_name="Zoë"))
    for payload in depth.sample(all_payloads(), 60):
        sent_text = payload.encode(errors="replace").decode()  # no browser sends halves of characters
        page = applicant.ask("", first_name=sent_text)
        assert page.status_code == 413 or tags_of(page) == plain, payload
    bad = "\"><script>alert(1)</script><img src=x onerror='alert(1)'>"
    texts = {name: {"en": bad} for name in ("wording", "intro", "thanks")}
    forms.change(applicant.site, applicant.form.id, texts)
    form = tags_of(applicant.get())
    forms.change(applicant.site, applicant.form.id, {name: {"en": "plain"} for name in texts})
    assert form == tags_of(applicant.get())
