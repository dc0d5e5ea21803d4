"""Every pattern and every function that takes a user's text, each with the inputs that cost it most.

`python -m tests.worst_inputs ROW...` runs rows over a megabyte, and prints the milliseconds of each. Every
input may take `CPU_SECONDS` of the processor: the system ends the process at the first one that takes more.
"""

import io
import resource
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

import marshmallow as ma
from flask import Flask

from audience import refused_rows, segment_rules
from audience.answers.domains import MAX_INPUT_LENGTH, MAX_LENGTH
from audience.answers.gender.gender import open_names
from audience.answers.gender.personal_name import MAX_LENGTH as NAME_LENGTH
from audience.answers.gender.personal_name import load_kinds
from audience.answers.moderation.reasons import MAX_LENGTH as MODERATED
from audience.answers.validation import address, contact_name
from audience.answers.validation.email_tables import bundled
from audience.api.request_data import read_query
from audience.errors import NotUnderstood, Refused
from audience.http.normalize import Normalizer
from schemas.base import Form, FormError, load
from schemas.custom_fields import CreateField
from schemas.events import RecordEvents
from schemas.formats import consent_words, dates
from schemas.formats.files import Reading, inspect
from schemas.formats.rows import FileRow
from schemas.imports import ImportSubscribers
from schemas.searches import SearchSubscribers
from schemas.subscribers import CreateSubscriber

SIZE = 2**20  # characters
CPU_SECONDS, NO_LIMIT = 5, resource.RLIM_INFINITY
PROBE = 2**12  # characters, by which the most expensive inputs of a row are found
MANY_ROWS = 2**16  # characters: a refused row costs as much as some thousand characters
REFUSALS = (ValueError, FormError, NotUnderstood, Refused, ma.ValidationError)

PHRASE = "\ufdfa"  # of which NFKC makes 18 characters
MARKS = "\u0300\u0323"  # which NFKC sorts, in quadratic time


@dataclass(frozen=True)
class Worst:
    """`unit`, repeated, between `before` and `behind`."""

    unit: str
    before: str = ""
    behind: str = ""

    def text(self, size: int) -> str:
        room = max(0, size - len(self.before) - len(self.behind))
        return self.before + self.unit * (room // len(self.unit)) + self.behind


@dataclass(frozen=True)
class WorstInputs:
    """The inputs of a row: each a unit, or the arguments of `Worst`. `limit` is the longest text that callers
    pass on, in characters; `run` calls the pattern or function of the row's name."""

    units: tuple[str | tuple[str, ...], ...]
    run: Callable[[Any, str], Any]
    limit: int = SIZE

    def milliseconds(self, name: str) -> float:
        """Of the most expensive of the two inputs that cost most when they are short."""
        subject = resolve_name(name) if ":" in name else None
        self._milliseconds(subject, self.units[0], PROBE)  # loads the tables
        costs = {unit: self._milliseconds(subject, unit, PROBE) for unit in self.units}
        worst = sorted(costs, key=costs.__getitem__)[-2:]
        return max(self._milliseconds(subject, unit, SIZE) for unit in worst)

    def _milliseconds(self, subject: Any, unit: str | tuple[str, ...], size: int) -> float:
        text = Worst(*([unit] if isinstance(unit, str) else unit)).text(min(size, self.limit))
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1 + CPU_SECONDS, NO_LIMIT))
        start = time.process_time()
        with suppress(*REFUSALS):
            self.run(subject, text)
        return (time.process_time() - start) * 1000


def looked_for(*units: str | tuple[str, ...], limit: int = SIZE) -> WorstInputs:
    """A pattern, or several, that are looked for all over a text."""
    return WorstInputs(("a", " ", *units), _find_all, limit)


def _find_all(subject: Any, text: str) -> None:
    for pattern in subject if isinstance(subject, tuple) else (subject,):
        pattern.sub("", text)


def looked_for_in_bytes(*units: str | tuple[str, ...]) -> WorstInputs:
    return WorstInputs(("a", " ", *units), lambda pattern, text: pattern.sub(b"", text.encode()))


def begins(*units: str | tuple[str, ...], limit: int = SIZE) -> WorstInputs:
    """A pattern that is compared with the beginning of a text."""
    return WorstInputs(("a", *units), lambda pattern, text: pattern.match(text), limit)


def is_whole(*units: str | tuple[str, ...], limit: int = SIZE) -> WorstInputs:
    """A pattern that is compared with a whole text."""
    return WorstInputs(("a", *units), lambda pattern, text: pattern.fullmatch(text), limit)


def _is_any(patterns: Any, text: str) -> None:
    for pattern in patterns.values():
        pattern.fullmatch(text)


def takes(*units: str | tuple[str, ...], more: Callable[[], Any] = tuple, limit: int = SIZE) -> WorstInputs:
    """A function of a text; `more` gives its further arguments."""
    usual = ("a", " ", "@", "1", "é", PHRASE, MARKS, "a.")
    return WorstInputs((*usual, *units), lambda function, text: function(text, *more()), limit)


def door(run: Callable[[str], Any], *units: str | tuple[str, ...], limit: int = SIZE) -> WorstInputs:
    """Something else that reads a user's text."""
    usual = ("a", " ", "@", "1", "é", PHRASE, MARKS, "[", '{"":')
    return WorstInputs((*usual, *units), lambda _, text: run(text), limit)


NUMBERS = ("1", " 1", "1-", "+1 ", "0 ", "(", "01 ", "call ")
TAGS = ("<a", "<a ", "<b>x", "</b", "&", "&a", "'on", '"', " a='", "<!--", ("b ", "<a ", ">"), ("9", "&#"))
WORDS = (("*", "a"), ("a*", "", "1"), "a'", ("a'_", "", "1"), "a ", "a. ", "a1_", "a-", "aab", "a*bc ")
LINKS = ("a.", ("a.", "", "com"), "www.", "a@", "a:", "[dot]", "http://", "http://www.w3.org/", "a-", "a_")
CSS = (
    (" ", "url(", "#"), (" ", "url ( '", "#"), "url( '", (" ", "expression"), "\\", "/*", "\\1 ",
    "image-set ", (" ", "<style>url(", "#"), (" ", "<p style='url(", "#'>"),
)  # fmt: skip
ANSWERS = "audience.answers"
VALIDATION, MODERATION = f"{ANSWERS}.validation", f"{ANSWERS}.moderation"
NORMALIZED = 18 * MODERATED  # after NFKC

PATTERNS: dict[str, WorstInputs] = {
    "audience.addresses:ASCII_LOCAL": is_whole(("a", "", "@"), "!"),
    "audience.addresses:DOMAIN": is_whole("a.", "a-", ("a.", "", "@"), ("a" * 63 + ".", "", "@")),
    "audience.api.json_bounds:DIGITS": looked_for_in_bytes("1", "1" * 400 + "a"),
    "audience.api.json_bounds:TEXT": looked_for_in_bytes('"', '\\"', "\\", ("\\", '"'), ("a", '"'), '"\\'),
    "audience.api.openapi:NOT_WORD": looked_for("-", "a-"),
    "audience.api.openapi:PART": looked_for("<", "<a", "<a:", ("<a:a", "", ">")),
    "audience.api.request_data:SUBSCRIPT": is_whole("[", "a[", "a[]", ("a", "", "[")),
    "audience.cli.keys:DURATION": is_whole("1", ("1", "", "s")),
    "audience.console.origin:HOST": is_whole("[", "a-", ("a", "", ":"), ("1", "a:")),
    "audience.custom_fields:HUMP": looked_for("A", "aA", "AAa"),
    "audience.custom_fields:WORD": looked_for("_", "a_"),
    "audience.erasures:UUID": is_whole("0-", ("0123-", "01234567-")),
    "audience.field_values:SPELT_DATE": is_whole("1", ("1", "2020-01-01 00:00:00.")),
    "audience.field_values:SPELT_NUMBER": is_whole("1", ("1", "1."), ("1", "1e"), ("1", "."), ("1", "", "e")),
    "audience.http.normalize:SLASHES": looked_for("/", "/a", "//a"),
    "audience.refused_rows:AT": looked_for("@", "a@", "\uff20"),
    "audience.refused_rows:WORD": looked_for("@", "a@", "a,", "(", "a@b "),
    f"{ANSWERS}.blacklist.providers:KEY": is_whole("-", limit=1000),
    f"{ANSWERS}.blacklist.providers:ZONE": is_whole("a.", "a-", "-", limit=1000),
    f"{ANSWERS}.contacts:BRACKETED_DOT": looked_for(*LINKS, "[", " [ dot "),
    f"{ANSWERS}.contacts:DATE": begins(*NUMBERS, "1.", "1/1/"),
    f"{ANSWERS}.contacts:DOTTED": looked_for(*LINKS, ".", "-"),
    f"{ANSWERS}.contacts:FIRST_DIGIT": looked_for(*NUMBERS),
    f"{ANSWERS}.contacts:MAIL": looked_for(*LINKS, "@", ("a", "", "@")),
    f"{ANSWERS}.contacts:NAMESPACE": looked_for(*LINKS),
    f"{ANSWERS}.contacts:PHONES": looked_for(*NUMBERS, ("1", "+"), "(0", "00", limit=NORMALIZED),
    f"{ANSWERS}.contacts:SCHEME": looked_for(*LINKS, "a+", "a://"),
    f"{ANSWERS}.contacts:WORD_BEFORE": looked_for("a ", ("a", "", " "), (" ", "a", "."), limit=30),
    f"{ANSWERS}.domains:AFTER_HOST": looked_for("/", "a?"),
    f"{ANSWERS}.domains:LABEL": is_whole("-", "a-"),
    f"{ANSWERS}.domains:PORT": looked_for(":", "1", ":1", ("1", ":", "a")),
    f"{ANSWERS}.domains:SCHEME": looked_for(":", "/", "a:", "a://"),
    f"{ANSWERS}.gender.origin:GIVEN": WorstInputs(("a", "an", "ng", "shi", "yeo", ("a", "", "1")), _is_any),
    f"{ANSWERS}.gender.origin:GIVEN_AS_ONE": is_whole("yeo", "ng", ("a", "", "1")),
    f"{ANSWERS}.gender.personal_name:ASIDE": looked_for('"', "(", "'", " '", '"a', "(a"),
    f"{ANSWERS}.gender.personal_name:BREAK": looked_for("-", ".", "a-", ("-", "a", "a"), limit=300),
    f"{ANSWERS}.gender.personal_name:COUPLE": looked_for("and", "&", "et "),
    f"{ANSWERS}.gender.personal_name:WORD": looked_for("a.", "a-", ("-", "a"), ("a.-", "", "1")),
    f"{MODERATION}.cleaning:CONTROL": looked_for("\0", "a\0"),
    f"{MODERATION}.cleaning:LONG_REFERENCE": looked_for("&#", ("9", "&#"), "&#1"),
    f"{MODERATION}.cleaning:REFERENCE": looked_for("&", "&a", "&#1", "&#x", ("a", "&")),
    f"{MODERATION}.languages:WORD": looked_for("a1", "_", "a_"),
    f"{MODERATION}.markup:ATTRIBUTE": begins(*TAGS, "/", ("a", " ="), ("a", "a='"), ("a", 'a="')),
    f"{MODERATION}.markup:CLOSING": looked_for(*TAGS, "</", "</a", "</a/"),
    f"{MODERATION}.markup:DECLARATION": looked_for(*TAGS, "<!", "<?"),
    f"{MODERATION}.markup:OPENING": looked_for(*TAGS, "<"),
    f"{MODERATION}.markup:QUOTE": looked_for(*TAGS, "'", "'/", "'on", "' on ", ("a", "'on")),
    f"{MODERATION}.moderation:CHARACTER": looked_for("&", "&a", "&#1", ("a", "&")),
    f"{MODERATION}.people:NAMES": looked_for("a'", "a. ", "a-", "a, ", ("a", "", "1"), ("a ", "", "1")),
    f"{MODERATION}.people:WORD": looked_for("a'", "a1", "a-", ("a", "", "1")),
    f"{MODERATION}.profanity:APART": looked_for(*WORDS, ("a ", "", "ab")),
    f"{MODERATION}.profanity:APART_SIGNS": looked_for("-", "a-"),
    f"{MODERATION}.profanity:DIGIT": looked_for("1"),
    f"{MODERATION}.profanity:HYPHENATED": looked_for(*WORDS, ("a-", "", "1"), ("a'", "", "a1")),
    f"{MODERATION}.profanity:INNER_SIGNS": looked_for("-", "a-"),
    f"{MODERATION}.profanity:LATIN": looked_for("é"),
    f"{MODERATION}.profanity:LEET_WORD": looked_for(*WORDS, "@"),
    f"{MODERATION}.profanity:MASKED": looked_for(*WORDS, ("*", "f"), ("a", "a*", "1"), "*", "#a"),
    f"{MODERATION}.profanity:WORD": looked_for(*WORDS),
    f"{MODERATION}.threats:CALL": looked_for("("),
    f"{MODERATION}.threats:CSS_ESCAPE": looked_for("\\", "\\a", "\\ "),
    f"{MODERATION}.threats:CSS_LOADS": looked_for(*CSS),
    f"{MODERATION}.threats:DOCUMENT_ADDRESS": looked_for("data:", "=data:text/", ","),
    f"{MODERATION}.threats:EVENT": begins("on", ("a", "on")),
    f"{MODERATION}.threats:JUNK": looked_for("\\", "a\\"),
    f"{MODERATION}.threats:LOW_CONTROL": looked_for("\1", "a\1"),
    f"{MODERATION}.threats:PICTURE_ADDRESS": begins("data:"),
    f"{MODERATION}.threats:SCRIPT": begins(":", "script", ("a", "", ":")),
    f"{MODERATION}.threats:SCRIPT_ADDRESS": looked_for("javascript", ",javascript", ","),
    f"{MODERATION}.violence:TOKEN": looked_for("a,", ",", "_", "a_"),
    f"{VALIDATION}.address:SURROGATE": looked_for("\ud800"),
    f"{VALIDATION}.contact_name:LATIN": looked_for("a1"),
    f"{VALIDATION}.contact_name:MARKUP": looked_for("&", "&a", "&#", "&#a", ("a", "&#")),
    f"{VALIDATION}.contact_name:ORDINAL": looked_for("1", "1s", "4t "),
    f"{VALIDATION}.gibberish:LATIN": looked_for("a1"),
    f"{VALIDATION}.gibberish:MIXED": is_whole("1", "a1", ("a1", "", "-"), ("1a", "", "-"), "aa11"),
    f"{VALIDATION}.mailbox:NO_REPLY": looked_for("no", ".no", "no.", "do.not."),
    f"{VALIDATION}.mailbox:ONE_CHARACTER": is_whole(("a", "", "b")),
    f"{VALIDATION}.mailbox:SEPARATOR": looked_for(".", "a."),
    f"{VALIDATION}.mailbox:WORD": looked_for("a1", "a_"),
    "schemas.base:DASHED": is_whole("0", "0-", "-"),
    "schemas.commands:ASSIGNMENT": is_whole("=", ":", "a="),
    "schemas.custom_fields:OTHERS": looked_for("a ", "é ", "@"),
    "schemas.custom_fields:PLAIN_KEY": is_whole("-", "$"),
    "schemas.formats.csv_values:DEFUSED": begins("'", ("'", "", "a")),
    "schemas.formats.csv_values:FORMULA": begins("'", ("'", "", "a")),
    "schemas.formats.consent_words:MARKS": looked_for(
        "-", ("-", "", "x"), limit=consent_words.MAX_LENGTH
    ),
    "schemas.formats.dates:SERIAL": is_whole("1", ("1", "20000.")),
    "schemas.formats.dates:YEAR_FIRST": is_whole("1", ("1", "2020-01-01 00:00:00."), limit=dates.MAX_LENGTH),
    "schemas.formats.dates:YEAR_LAST": is_whole("1", ("1", "01/01/2020 00:00:00."), limit=dates.MAX_LENGTH),
    "schemas.formats.readers:BETWEEN": begins(",", " ,"),
    "schemas.formats.readers:SEPARATOR": is_whole(("\r", "sep=;"), ("\n", '"sep=;"', "a")),
    "schemas.pages:WHOLE": is_whole("1", ("0", "1."), ("0", "1.", "1")),
    "schemas.values:DATE_TIME": is_whole("1", "2020-", ("1", "2020-01-01T"), ("1:", "2020 ", "+")),
    "schemas.values:LOST_PLUS": looked_for(":11", ":11.1", (":11 11", "", "a"), ("1", ":11.")),
}  # fmt: skip


def hidden(text: str) -> None:
    refused_rows.without_addresses(1, FileRow(2, text, "ann@example", cells=[text]))


def each_text(form: Form, value: Any) -> None:
    with suppress(*REFUSALS):
        load(form, value)


def in_forms(text: str) -> None:
    person = {"email": text, "first_name": text, "tags": text, "fields": {text: text}, text: text}
    each_text(CreateSubscriber(), person)
    each_text(ImportSubscribers(), {"subscribers": [person]})
    each_text(RecordEvents(), {"events": [person | {"type": text, "date": text, "details": {"tag": text}}]})
    each_text(SearchSubscribers(), {"email": text, "tags": text, "created_at": {"gt": text}, "page": text})
    each_text(CreateField(), {"field": {"key": text}})


def in_rules(text: str) -> None:
    subjects = ("tag", "email", "email_domain", "created_at", "status")
    rules = [{subject: text} for subject in subjects] + [{"field": "plan", "gt": text}]
    segment_rules.read({"all": [*rules, {"field": "plan", "contains": text}]}, 0, "rules")


def in_file(kind: str) -> Callable[[str], None]:
    heads = {"csv": b"email,plan\n", "consent": b"email,status,created_at\n", "json": b"["}
    head, kind = heads.get(kind, b""), "csv" if kind == "consent" else kind

    def read(text: str) -> None:
        for row in inspect(io.BytesIO(head + text[:-32].encode(errors="replace")), Reading(), kind).rows(str):
            refused_rows.without_addresses(1, row)

    return read


def in_headers(text: str) -> None:
    environ = {"PATH_INFO": text, "HTTP_AUTHORIZATION": f"Basic {text}"}
    list(Normalizer(lambda *_: [b""])(environ, print))


def in_query(text: str) -> None:
    with Flask("query").test_request_context(f"/?{text}"):
        read_query()


FUNCTIONS: dict[str, WorstInputs] = {
    "audience.addresses:identity": takes(
        *(("a", "a@"), (PHRASE, "a@", ".com"), (MARKS, "a@", ".com"), (MARKS, "", "@a.com")),
        *(("é.", "a@", "com"), ("l·", "a@", ".com"), ("a.", "a@", "com"), ("a", "", "@é.com")),
    ),
    "audience.api.json_bounds:check": WorstInputs(
        ("[", "[]", '"', '\\"', ("[]", '"'), "1", "1" * 400 + ",", '{"":'),
        lambda check, text: check(text.encode()),
    ),
    "audience.audit_log:shortened": takes("1.", ":", "0:"),
    "audience.console.page:is_inside": takes("/", "//", "/console/", "?", "%2f", ("/console", "/", "?")),
    "audience.console.custom_fields:read_boolean": takes(),
    "audience.console.custom_fields:read_list": takes(",", "a,", " ,"),
    "audience.console.custom_fields:read_number": takes("-", "9", ".1", "1_", ("1", "0."), ("9", "", "e9")),
    "audience.console.segment_forms:read_rules": takes("[", '{"":', '"', ("1", "["), ("1,", "[", "1]")),
    "audience.console.custom_fields:read_object": takes("[", '{"":', '"', ("1", "["), ("1,", "[", "1]")),
    "audience.passwords:check": takes(),
    "audience.passwords:hashed": takes(),
    "audience.passwords:matches": takes(more=lambda: ("00$00",)),
    "audience.custom_fields:name_of": takes("aB", "A_", limit=100),
    "audience.field_values:instant": takes(("1", "2020-01-01 00:00:00.")),
    "audience.field_values:number": takes(("1", "1."), ("1", "1e"), ".", "+"),
    "audience.tags:name_key": takes("ΐ", "A"),
    "audience.segments:is_id": takes(),
    "audience.segments:spellings": takes("ß", "ss", "a "),
    "audience.http.access:before": takes(
        "10.0.0.1,", "10.1.1.1 ,", ",", ":", more=lambda: ("10.0.0.1,2", ("10.0.0.0/8",))
    ),
    f"{ANSWERS}.blacklist.blacklist:read_address": takes("1.", "0"),
    f"{ANSWERS}.blacklist.blacklist:read_domain": takes(*LINKS, "é."),
    f"{ANSWERS}.contacts:has_link": takes(*LINKS, "\u2488a", limit=MODERATED),
    f"{ANSWERS}.contacts:has_phone_number": takes(*NUMBERS, limit=MODERATED),
    f"{ANSWERS}.domains:a_labels": takes("é.", "l·", "\u30fb", limit=MAX_INPUT_LENGTH),
    f"{ANSWERS}.domains:has_suffix": takes(limit=MAX_LENGTH),
    f"{ANSWERS}.domains:is_public": takes(limit=MAX_LENGTH),
    f"{ANSWERS}.domains:is_registrable": takes(limit=MAX_LENGTH),
    f"{ANSWERS}.domains:is_suffix": takes(limit=MAX_LENGTH),
    f"{ANSWERS}.domains:parse_domain": takes(*LINKS, "é.", ("a", " ")),
    f"{ANSWERS}.domains:registrable": takes(limit=MAX_LENGTH),
    f"{ANSWERS}.folding:fold": takes("İ", limit=MODERATED),
    f"{ANSWERS}.gender.gender:guess_gender": takes("a-", "(a", "Dr ", ", ", more=lambda: (open_names(),)),
    f"{ANSWERS}.gender.origin:by_surname": takes(
        "ian", "van", "mc", "ski", more=lambda: (open_names().origins,), limit=NAME_LENGTH
    ),
    f"{ANSWERS}.gender.personal_name:parse": takes("a-", "(a", "Dr ", ", ", more=lambda: (load_kinds(),)),
    f"{ANSWERS}.geolocation.geolocation:locate": takes("1.", more=lambda: (None,)),
    f"{MODERATION}.cleaning:clean": takes(*TAGS, "&lt;", limit=MODERATED),
    f"{MODERATION}.cleaning:unescape": takes(*TAGS, "&amp;", ("9", "&#"), limit=6 * MODERATED),
    f"{MODERATION}.languages:is_function_word": takes("you", limit=NORMALIZED),
    f"{MODERATION}.languages:without_foreign_words": takes("slut och ", "anal el ", limit=NORMALIZED),
    f"{MODERATION}.markup:breakouts": takes(*TAGS, limit=MODERATED),
    f"{MODERATION}.markup:other_markup": takes(*TAGS, more=lambda: (set(),), limit=MODERATED),
    f"{MODERATION}.markup:readings": takes(*TAGS, "&amp;", limit=MODERATED),
    f"{MODERATION}.markup:tags": takes(*TAGS, limit=MODERATED),
    f"{MODERATION}.markup:tree": takes(*TAGS, ("a", "<b>" * 199), ("x ", "<table>"), limit=MODERATED),
    f"{MODERATION}.moderation:moderate": takes(*TAGS, *WORDS, *LINKS, *CSS, *NUMBERS, ("a", "<b>" * 199)),
    f"{MODERATION}.people:without_names": takes(
        *("A ", "A'", "A-", "Dick ", "Dick, ", "Mr Coons ", ("Ann Coons ", "", "1")),
        more=lambda: (str.istitle,),
        limit=NORMALIZED,
    ),
    f"{MODERATION}.profanity:has_profanity": takes(*WORDS, ("*", "f"), limit=MODERATED),
    f"{MODERATION}.threats:css_loads": takes(*CSS, limit=MODERATED),
    f"{MODERATION}.threats:is_script_address": takes("javascript:", "\1", limit=MODERATED),
    f"{MODERATION}.threats:style_loads": takes(*CSS, limit=MODERATED),
    f"{MODERATION}.violence:has_threat": takes(
        *(",", "go ", ", go just now ", "i will ", "kill ", ("fucking ", "i will "), ("and ", "go ")),
        *("i will fucking ", "kill your ", "i am going to ", "slut och "),
        limit=MODERATED,
    ),
    f"{VALIDATION}.address:ancestors": takes(limit=address.MAX_LENGTH),
    f"{VALIDATION}.address:is_reserved": takes(limit=address.MAX_LENGTH),
    f"{VALIDATION}.address:loose_a_labels": takes("é.", "l·", limit=address.MAX_LENGTH),
    f"{VALIDATION}.address:parse": takes(("a", "a@"), ("é.", "a@", "com"), ("a.", "a@", "com"), "(", '"'),
    f"{VALIDATION}.address:split_loosely": takes(("a", "a@"), ("é.", "a@"), (MARKS, "a@"), (PHRASE, "a@")),
    f"{VALIDATION}.allow_deny:parse_entry": takes(("a", "a@"), ("é.", "a@"), "*."),
    f"{VALIDATION}.contact_name:has_digits": takes("1s", limit=contact_name.MAX_LENGTH),
    f"{VALIDATION}.contact_name:has_markup": takes("&a", limit=contact_name.MAX_LENGTH),
    f"{VALIDATION}.contact_name:is_shouting": takes("A ", limit=contact_name.MAX_LENGTH),
    f"{VALIDATION}.contact_name:is_related": takes(
        "ab ", more=lambda: ("b" * address.MAX_LENGTH,), limit=contact_name.MAX_LENGTH
    ),
    f"{VALIDATION}.contact_name:is_unrelated": takes(
        more=lambda: ("b" * address.MAX_LENGTH,), limit=contact_name.MAX_LENGTH
    ),
    f"{VALIDATION}.gibberish:is_mixed": takes("a1", limit=address.MAX_LENGTH),
    f"{VALIDATION}.homographs:is_homograph": takes("xn--", "xn--a.", "а", limit=address.MAX_LENGTH),
    f"{VALIDATION}.homographs:letters": takes("xn--", "xn--a.", limit=address.MAX_LENGTH),
    f"{VALIDATION}.homographs:looks_latin": takes("а", limit=address.MAX_LENGTH),
    f"{VALIDATION}.keyboard:is_run": takes(limit=address.MAX_LENGTH),
    f"{VALIDATION}.sign_up_ip:is_list": takes(",", "1,", "8.8.8.8,", "::1,"),
    f"{VALIDATION}.sign_up_ip:sender": takes(",", "1,", "8.8.8.8,", "::1,"),
    "schemas.base:dashed": takes("-", "urn:", "{"),
    "schemas.base:is_clean_text": takes("\ud800"),
    "schemas.subscribers:built_in": takes("-", "a ", "_"),
    "schemas.subscribers:with_plus": takes("a ", "\u200b", ("\u200b", "a", "a")),
    "schemas.tags:tag_name": takes("\u200b", ("\u200b", "a", "a")),
    "schemas.custom_fields:field_key": takes("-", "a "),
    "schemas.formats.consent_words:folded": takes("-", ("-", "", "x"), "_", "ä"),
    "schemas.formats.consent_words:word_of": takes("-", ("-", "", "x"), "_", "ä"),
    "schemas.formats.csv_values:read_address": takes("<", ">", ("<", "", ">"), ("mailto:", "", "?")),
    "schemas.formats.csv_values:stripped": takes("\u200b", ("\u200b", "a", "a")),
    "schemas.formats.dates:read_date": takes(("1", "2020-"), "1/", "1-", ("1", "2020-01-01 00:00:00 +0000 ")),
    "schemas.formats.header_names:meaning_of": takes("-", ("-", "", "x"), "_", "ä"),
    "schemas.formats.meanings:meaning_of": takes("-", ("a ", "field:"), (" ", "fields.")),
    "schemas.formats.meanings:normal": takes("-", "A "),
    "schemas.formats.refusals:shortened": takes(),
    "schemas.formats.rows:split_name": takes(",", "a "),
    "schemas.formats.csv_values:defused": takes("'", "[", '{"":', '"', ("1", "["), ("1,", "[", "1]")),
    "schemas.formats.csv_values:read_tags": takes("'", "[", ",", ('"",', "[", '""]')),
    "schemas.formats.csv_values:read_text": takes("'"),
    "schemas.formats.csv_values:read_value": takes("'", "[", '{"":', '"', ("1", "["), ("1,", "[", "1]")),
    "schemas.formats.csv_values:write_text": takes("'"),
    "schemas.values:normal_text": takes("\u200b", ("\u200b", "a", "a")),
    "schemas.values:trim": takes("\u200b", ("\u200b", "a", "a"), ("a", "\u200b", "\u200b")),
    "schemas.values:read_date": takes(("1", "2020-"), ("1", "2020-01-01T00:00:00."), (":11", "2020-01-01T")),
    "refused rows": door(hidden, "a,", "a@b ", "a@", ("a", "", "@"), "\uff20", "a@b,"),
    "CSV": door(in_file("csv"), '",', "a,", ",", "a@b,", ("a", '"')),
    "CSV, many rows": door(in_file("csv"), "\n", ",\n", '"\n', "a@b,1,\n", limit=MANY_ROWS),
    "CSV with columns of consent and dates": door(in_file("consent"), '",', "a,", "-", ("-", "", "x"), "_"),
    "JSON lines": door(in_file("jsonl"), ("a", '{"email": "'), ("[],", "["), ('{"a":1},', "[")),
    "JSON lines, many rows": door(in_file("jsonl"), '{"a":1}\n', "\n", "a@b\n", limit=MANY_ROWS),
    "JSON array": door(in_file("json"), ("a", '{"email": "'), ("[],", "["), ",", ("a", '"'), "a@b "),
    "JSON array, many rows": door(in_file("json"), '{"a":1},', "1,", '"', limit=MANY_ROWS),
    "forms": door(in_forms, ",", "a,", "%40", "2020-"),
    "segment rules": door(in_rules, "2020-", "ß"),
    "query": door(in_query, "&", "a=b&", "a[b]=c&", "?site_uuid=", "a[", "%", "%41"),
    "path and Basic header": door(in_headers, "/", "//", "=", "YTpi", "_-"),
    "User-Agent": door(lambda text: bundled().user_agents.visitor(text), "bot", "a/1 ", "Mozilla/5.0 ("),
    "typos": door(lambda text: bundled().typos.suggest(text), "gmail.", limit=address.MAX_LENGTH),
    "mailboxes": door(lambda text: bundled().mailboxes.kind(text), ".", "no.", limit=address.MAX_LENGTH),
    "random letters": door(lambda text: bundled().names.is_gibberish(text), limit=address.MAX_LENGTH),
}  # fmt: skip

# They take a text of the operator or of our own, or pass a user's text on unread, as a value of a query.
DO_NOT_READ = {
    f"{ANSWERS}.dns.canaries:random_name",
    f"{ANSWERS}.dns.transport:parse_server",
    f"{MODERATION}.languages:rows",
    f"{VALIDATION}.gibberish:mean_logarithm",
    f"{VALIDATION}.mail_route:find_route",
    f"{VALIDATION}.typos:one_edit_apart",
    "audience.api.endpoint:caller",
    "audience.import_payloads:blanked",
    "audience.import_payloads:read",
    "audience.api.docs:asset",
    "audience.api.docs:content",
    "audience.api.docs:gzipped",
    "audience.api.docs:hashed",
    "audience.api.openapi:answer",
    "audience.api.openapi:body",
    "audience.api.openapi:part",
    "audience.api.openapi:query",
    "audience.console.blueprints:may",
    "audience.console.blueprints:nowhere",
    "audience.console.commands:read",
    "audience.console.operators:shown_once",
    "audience.console.report_forms:full_name",
    "audience.console.report_forms:kind_of",
    "audience.console.report_forms:meaning",
    "audience.console.report_forms:style_words",
    "audience.console.page:inside",
    "audience.console.page:to",
    "audience.console.page:to_path",
    "audience.console.page:url",
    "audience.console.sign_in:limit_tries",
    "audience.console.static_files:read",
    "audience.console.static_files:static",
    "audience.console.wording:beside",
    "audience.api.openapi:unwrapped",
    "audience.api.openapi_rules:condition",
    "audience.api.openapi_rules:group",
    "audience.api.openapi_rules:operand",
    "audience.api.openapi_rules:sentence",
    "audience.api.openapi_rules:title",
    "audience.http.access:verify",
    "audience.http.pages:packable",
    "audience.keys:authenticate",
    "audience.keys:rename",
    "audience.keys:revoke",
    "audience.keys:rotate",
    "audience.keys:secret_hash",
    "audience.operators:add",
    "audience.operators:get",
    "audience.operators:remove",
    "audience.operators:reset",
    "audience.operators:set_administrator",
    "audience.operators:set_role",
    "audience.operators:signed_in",
    "audience.pepper:digest",
    "audience.secret_files:private_opener",
    "audience.sessions:csrf_token",
    "audience.sessions:find",
    "audience.sessions:find_link",
    "audience.sessions:forget",
    "audience.sessions:link",
    "audience.sessions:spend_link",
    "audience.sign_in:set_password_with_link",
    "audience.sign_in:with_link",
    "audience.sign_in:with_password",
    "audience.sites:create",
    "audience.sites:get_by_uuid",
    "audience.telemetry:record_answer",
    "audience.telemetry:record_blacklist_test",
    "audience.telemetry:record_dns_health",
    "schemas.base:join_paths",
    "schemas.formats.consent:said",
    "schemas.formats.meanings:column_of",
    "schemas.formats.meanings:preset_columns",
    "schemas.responses:constant",
    "schemas.responses:found",
    "schemas.responses:listing",
    "schemas.responses:resource",
    "schemas.responses:shape",
    "schemas.responses:single",
    "schemas.subscribers:page_text",
    "schemas.subscribers:pages",
    "schemas.tags:is_short",
}
ROWS = PATTERNS | FUNCTIONS


def main(names: list[str]) -> None:
    for name in names:
        print(name, end="\t", flush=True)
        print(f"{ROWS[name].milliseconds(name):.0f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
