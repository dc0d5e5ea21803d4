"""Forms: what they may be, the versions of their wording, opening them, their HTML."""

import html.parser

import pytest

from audience.access import audit_log, sites
from audience.access.audit_log import COMMAND_LINE
from audience.errors import NotFound, Refused
from audience.forms import embedding, forms, words
from audience.forms.choices import OR_WEBHOOK
from audience.forms.definitions import NO_IMPRINT, NO_PRIVACY
from audience.forms.forms import ARCHIVED, OPEN, PAUSED, origin_of
from audience.looks import looks
from audience.subscribers import custom_fields
from schemas.values import LANGUAGES
from storage import database
from tests.rows import each_row

LOOK = dict.fromkeys(("name", "home", "imprint", "privacy", "language", "accent", "base_url"), "")
ORIGIN = "https://a.example"
PRIVACY = "https://harbour.example/privacy?a=1&b"
WORDING = {"en": "Yes, send me <Harbour Letters>.", "de": "Ja, bitte."}


def set_look(site, **values):
    looks.change(site, LOOK | values, b"", False, COMMAND_LINE)


def refused(call, *arguments, **options):
    with pytest.raises(Refused) as caught:
        call(*arguments, **options)
    return [error.field for error in caught.value.errors]


def acts(site):
    return [(entry.act, entry.subject) for entry in audit_log.page(site)]


def test_a_name_is_enough_and_the_rest_is_proposed(site):
    set_look(site, name="Harbour Letters", language="de")
    made = forms.create(site, {"name": "Front page"}, COMMAND_LINE)
    assert made == forms.get(site, made.id)
    assert (made.state, made.language, made.confirm, made.version) == (PAUSED, "de", "click", 1)
    assert "dass Harbour Letters Ihnen" in made.wording["de"]
    english = forms.create(site, {"name": "Blog", "language": "en"})
    assert (english.confirm, forms.languages(english)) == ("script", ("en",))
    assert forms.list_all(site) == [made, english]
    assert acts(site)[:1] == [("form made", "Front page")]


@pytest.mark.parametrize("key", ["count", "index", "wording", "__class__", "_fields"])
def test_a_custom_field_is_labelled_by_its_name_whatever_that_is(site, key):
    with database.write(site.id):
        custom_fields.ensure(site.id, [key], 1)
    fields = [{"key": key, "required": False}]
    made = forms.create(site, {"name": "Blog", "fields": fields, "wording": WORDING})
    assert made.fields[0].label("en") == custom_fields.name_of(key)
    assert custom_fields.name_of(key) in embedding.html(site, made, "", "https://a.example")


def test_what_is_not_given_stays(site):
    item = {
        "name": "Blog", "fields": [{"key": "first_name", "required": True}], "tags": ["web", "web"],
        "origins": ["https://Bücher.example:443/page", "http://localhost:8000"], "is_test": True,
        "next_url": "https://bücher.example/thanks", "wording": WORDING, "thanks": {"en": "Hello"},
    }  # fmt: skip
    made = forms.create(site, item)
    assert made.origins == ("https://xn--bcher-kva.example", "http://localhost:8000")
    assert made.tags == ("web",)
    changed = forms.change(site, made.id, {"name": "Journal"}, COMMAND_LINE)
    assert changed == made._replace(name="Journal", updated_at=changed.updated_at)
    assert forms.change(site, made.id, {"name": "Journal"}, COMMAND_LINE) == changed
    assert acts(site)[0] == ("form changed", "Journal")
    assert [act for act, _ in acts(site)].count("form changed") == 1


@pytest.mark.parametrize(
    ("item", "fields"),
    [
        ({"name": ""}, ["form.name"]),
        ({"name": "Win at evil.example"}, ["form.name"]),
        ({"name": "x" * 61}, ["form.name"]),
        ({"wording": {"de": "Ja"}}, ["form.wording.en"]),
        ({"origins": ["https://a.example", "javascript:x"]}, ["form.origins[1]"]),
        ({"origins": ["https://a;b.example"]}, ["form.origins[0]"]),
        ({"next_url": "https://elsewhere.example/"}, ["form.next_url"]),
        ({"origins": [ORIGIN], "confirmed_url": f"{ORIGIN}.evil/"}, ["form.confirmed_url"]),
        ({"origins": [ORIGIN], "next_url": f"{ORIGIN}@evil/"}, ["form.next_url"]),
    ],
)  # fmt: skip
def test_what_it_cannot_be_is_refused(site, item, fields):
    assert refused(forms.create, site, {"name": "Blog"} | item) == fields
    assert forms.list_all(site) == []
    made = forms.create(site, {"name": "Blog"})
    assert refused(forms.change, site, made.id, item) == fields
    assert forms.get(site, made.id) == made


def test_a_page_after_signing_up_goes_with_its_website(site):
    item = {"name": "Blog", "origins": ["https://a.example"], "next_url": "https://a.example/x"}
    made = forms.create(site, item)
    assert refused(forms.change, site, made.id, {"origins": []}) == ["form.next_url"]


def test_every_version_of_the_wording_is_kept(site):
    made = forms.create(site, {"name": "Blog", "wording": WORDING})
    same = forms.change(site, made.id, {"wording": WORDING | {"fr": "Oui."}})
    assert same.version == 1
    changed = forms.change(site, made.id, {"wording": {"en": "Other", "de": "Ja, bitte."}})
    assert (changed.version, forms.languages(changed)) == (2, ("en", "de"))
    kept = [(each.version, each.language, each.text) for each in forms.wordings(site, made.id)]
    assert kept == [
        (2, "de", "Ja, bitte."), (2, "en", "Other"),
        (1, "de", "Ja, bitte."), (1, "en", WORDING["en"]), (1, "fr", "Oui."),
    ]  # fmt: skip
    assert forms.wording(site, made.id, 1, "fr") == "Oui."
    with pytest.raises(NotFound):
        forms.wording(site, made.id, 2, "fr")


def test_it_opens_with_mail_a_privacy_page_and_in_german_an_imprint(site):
    made = forms.create(site, {"name": "Blog", "wording": WORDING})
    with pytest.raises(Refused) as caught:
        forms.set_state(site, made.id, OPEN)
    assert [error.message for error in caught.value.errors] == [
        OR_WEBHOOK.format(forms.NO_MAIL), NO_PRIVACY, NO_IMPRINT,
    ]  # fmt: skip
    set_look(site, privacy=PRIVACY)
    assert len(refused(forms.set_state, site, made.id, OPEN, no_mail="")) == 1
    set_look(site, privacy=PRIVACY, imprint=PRIVACY)
    assert forms.set_state(site, made.id, OPEN, COMMAND_LINE, no_mail="").state == OPEN
    assert forms.change(site, made.id, {"name": "Journal"}, COMMAND_LINE).state == OPEN
    assert forms.set_state(site, made.id, ARCHIVED, COMMAND_LINE).state == ARCHIVED
    said = [act for act, _ in acts(site) if act.startswith("form")]
    assert said == ["form archived", "form changed", "form opened"]


def test_a_wording_is_proposed_only_with_a_public_name_and_without_one_it_does_not_open(site):
    made = forms.create(site, {"name": "Blog"})
    assert (made.wording, forms.languages(made)) == ({}, ())
    set_look(site, privacy=PRIVACY, name="Harbour Letters")
    assert refused(forms.set_state, site, made.id, OPEN, no_mail="") == ["form.state"]
    proposed = forms.create(site, {"name": "Blog"})
    assert "Harbour Letters" in proposed.wording["en"]
    for form in (proposed, forms.change(site, made.id, {"wording": {"en": "Yes."}})):
        assert forms.set_state(site, form.id, OPEN, no_mail="").state == OPEN
    assert refused(forms.change, site, made.id, {"wording": {}}) == ["form.state"]


def test_one_that_is_open_is_held_to_it_in_each_language(site):
    set_look(site, privacy=PRIVACY, name="Harbour Letters")
    made = forms.create(site, {"name": "Blog", "state": OPEN}, no_mail="")
    assert refused(forms.change, site, made.id, {"wording": {**made.wording, "de": "Ja"}}) == ["form.state"]


def test_one_of_another_site_is_not_there(site):
    made = forms.create(site, {"name": "Blog"})
    other = sites.create("Other")
    with pytest.raises(NotFound):
        forms.get(other, made.id)
    with pytest.raises(NotFound):
        forms.set_state(other, made.id, ARCHIVED)
    assert forms.list_all(other) == []
    assert forms.wordings(other, made.id) == []


@each_row(
    ("url", "origin"),
    [
        ("https://A.example/x?y", "https://a.example"), ("http://a.example:80", "http://a.example"),
        ("https://a.example:8443/", "https://a.example:8443"), ("https://zoë.example", "https://xn--zo-ija.example"),
        ("", ""), ("a.example", ""), ("ftp://a.example", ""), ("https://a.example:x", ""), ("https://", ""),
        ("https://a'b.example", ""), ("https://u@a.example", ""), ("https://a b.example", ""),
    ],
)  # fmt: skip
def test_an_origin_is_what_browsers_send(url, origin):
    assert origin_of(url) == origin


class Reader(html.parser.HTMLParser):
    """The tags of a text with their attributes, and its words."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words = [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words += data


def test_the_html_has_the_wording_its_version_and_no_script(site):
    set_look(site, privacy=PRIVACY, base_url="https://mail.harbour.example")
    asked = [{"key": "first_name", "required": True}, {"key": "last_name", "required": False}]
    made = forms.create(site, {"name": "Blog", "fields": asked, "wording": WORDING})
    text = embedding.html(site, made, "", "https://people.example/below")
    found = Reader(text)
    kinds = [tag for tag, _ in found.tags]
    assert sorted({*kinds}) == ["a", "button", "form", "input", "label", "p"]
    form, *_ = (attrs for tag, attrs in found.tags if tag == "form")
    here = f"https://mail.harbour.example/below/forms/{site.uuid}/{made.id}?lang=en"
    assert form == {"action": here, "method": "post"}
    inputs = {attrs["name"]: attrs for tag, attrs in found.tags if tag == "input"}
    assert list(inputs) == ["email", "first_name", "last_name", "nickname_2", "wording"]
    assert ("required" in inputs["first_name"], "required" in inputs["last_name"]) == (True, False)
    assert inputs["wording"]["value"] == "1"
    assert [attrs for tag, attrs in found.tags if tag == "a"] == [{"href": PRIVACY}]
    assert WORDING["en"] in found.words
    assert "Leave empty" in text[text.index("<p hidden>") :]
    assert len(text.splitlines()) == 4
    german = embedding.html(site, made, "de", "https://people.example")
    assert "Vorname" in german
    assert "?lang=de" in german
    assert refused(embedding.html, site, made, "fr", "https://people.example") == ["language"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_words_for_every_language(language):
    table = words.table(language)
    assert table.keys() == words.table("en").keys()
    assert all(table.values())
    assert table["wording"].count("{name}") == 1
