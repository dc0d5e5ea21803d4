"""Every pattern and every function that takes a user's text, each with the inputs that cost most.

`python -m tests.worst_inputs ROW...` runs rows over a megabyte, and prints the milliseconds of each. Every
input may take `CPU_SECONDS` of the processor: the system ends the process at the first input that takes more.
"""

import sys

from audience.access import passwords
from audience.answers.domains import MAX_INPUT_LENGTH, MAX_LENGTH
from audience.answers.gender.gender import open_names
from audience.answers.gender.personal_name import MAX_LENGTH as NAME_LENGTH
from audience.answers.gender.personal_name import load_kinds
from audience.answers.moderation import profanity
from audience.answers.moderation.reasons import MAX_LENGTH as MODERATED
from audience.answers.validation import address, contact_name
from audience.answers.validation.email_tables import bundled
from schemas.formats.tables import MAX_NAMES
from tests.input_costs import (
    ANSWERS,
    CSS,
    LINKS,
    MARKS,
    MODERATION,
    NORMALIZED,
    NUMBERS,
    PHRASE,
    TAGS,
    VALIDATION,
    WORDS,
    WorstInputs,
    door,
    takes,
)
from tests.pattern_inputs import PATTERNS
from tests.text_doors import (
    MANY_ROWS,
    as_file,
    as_names,
    as_records,
    as_words,
    hidden,
    in_batch,
    in_events,
    in_file,
    in_forms,
    in_headers,
    in_keys,
    in_object,
    in_person,
    in_query,
    in_rules,
)

COLUMNS = 3 * MAX_NAMES  # characters
QUERY = 2**16  # longer than the web server takes a head

CODES = (  # of characters, within each other
    "a", "@", "%40", "%2540", "%25", "=40", "=3D", "=3D40", "&#64;", "&amp;", "&amp;#37;", "\\u0040",
    "\\u005c", ("25", "%"), ("3D", "="), ("amp;", "&"), ("a.", "=40"),
)  # fmt: skip

FUNCTIONS: dict[str, WorstInputs] = {
    "audience.addresses:identity": takes(
        *(("a", "a@"), (PHRASE, "a@", ".com"), (MARKS, "a@", ".com"), (MARKS, "", "@a.com")),
        *(("é.", "a@", "com"), ("l·", "a@", ".com"), ("a.", "a@", "com"), ("a", "", "@é.com")),
    ),
    "audience.addresses:identity_of_new": takes(("a", "a@"), ("\"", "", "@a.com"), ("(", "", "@a.com")),
    "audience.api.json_bounds:check": WorstInputs(
        ("[", "[]", '"', '\\"', ("[]", '"'), "1", "1" * 400 + ",", '{"":'),
        lambda check, text: check(text.encode()),
    ),
    "audience.access.audit_log:network_of": takes("1.", ":", "0:"),
    "audience.http.access:throttled_network": takes("1.", ":", "0:"),
    "audience.console.sign_in:is_inside": takes(
        "/", "//", "/console/", "?", "%2f", ("/console", "/", "?")
    ),
    "audience.console.wording:foldable": takes("@", "_", "&"),
    "audience.console.custom_fields:read_boolean": takes(),
    "audience.console.custom_fields:read_list": takes(",", "a,", " ,"),
    "audience.console.custom_fields:read_number": takes("-", "9", ".1", "1_", ("1", "0."), ("9", "", "e9")),
    "audience.console.rule_conditions:quoted": takes("“", ",", " ", ("a b", "\"", "")),
    "audience.console.segment_forms:read_rules": takes("[", '{"":', '"', ("1", "["), ("1,", "[", "1]")),
    "audience.console.custom_fields:read_object": takes("[", '{"":', '"', ("1", "["), ("1,", "[", "1]")),
    "audience.deliveries.addresses:read": WorstInputs(
        ("a", "/", ":", "[", "?", "https://", ("a.", "https://"), (":", "https://"), ("1", "https://a:")),
        lambda read, text: read(text, private_addresses=False),
    ),
    "audience.access.audit_log:without_addresses": takes("@", "a@", "\uff20", "a ", ("a", "@")),
    "audience.privacy.redaction:address_in": takes(*CODES),
    "audience.privacy.redaction:addresses_in": takes("@ ", *CODES),
    "audience.imports.file_searches:keys_in": takes(
        *("@ ", "@a.b", "!@a.b", "a!@a.b ", "\u0903@a.b\uff0c", (64 * "!", "@a.b ")), *CODES
    ),
    "schemas.file_texts:unescape": takes("\\", "\\u00", "\\ud800", '"', "</t></r><r><a>"),
    "audience.access.site_keys:decode_malformed": takes(*CODES, "'"),
    "audience.links.tokens:read": WorstInputs(
        ("A", ".", "=", "-", ("A", "", "."), ("A", "."), "é"), lambda read, text: read("unsubscribe", text)
    ),
    "schemas.links:has_link": takes("%2", "/unsubscribe/", "/preferences/-", f"/unsubscribe/{'a' * 44}."),
    "schemas.links:without_link": takes("%2", "/unsubscribe/"),
    "audience.links.visits:mask": takes("@", "a@"),
    "audience.sign_ups.mailboxes:mailbox_of": takes("+", "a.", "@", "a+"),
    "audience.forms.origins:origin_of": takes(":", "[", ("https://", "a."), ("https://", "é"), limit=501),
    "audience.looks.looks:is_name": takes(".", "a.", "a.a", "@", ":/", limit=61),
    "audience.looks.looks:is_url": takes("/", ":", "[", "?", "https://", (":", "https://"), limit=501),
    "audience.pages.texts:supported_language": takes("-", "d", "İ"),
    "audience.privacy.redaction:without_addresses": takes("@ ", *CODES, more=lambda: (str.upper,)),
    "audience.webhooks.deliveries:without_addresses": takes("@", "a@", "%40", "\\u0040", ("a", "@")),
    "audience.access.passwords:check": takes(),
    "audience.access.passwords:hash_password": takes(),
    "audience.access.passwords:matches": takes(more=lambda: ("00$00",)),
    "audience.access.two_factor:find_step": takes("-", "a-", "ﷺ", more=lambda: ("",)),
    "audience.subscribers.custom_fields:name_of": takes("aB", "A_", limit=100),
    "storage.spelt:instant": takes(("1", "2020-01-01 00:00:00.")),
    "storage.spelt:number": takes(("1", "1."), ("1", "1e"), ".", "+"),
    "audience.subscribers.tags:name_key": takes("ΐ", "A"),
    "audience.segments.segments:is_id": takes(),
    "audience.segments.segments:beginning_rule": takes("a ", "@", " "),
    "audience.segments.spellings:names": takes("ß", "ss", "a ", "'", "ä\u0323\u0302"),
    "audience.segments.spellings:starts": takes("ü", "ü.", "@", ".", "xn--", "\u0323\u0302"),
    "audience.http.access:last_untrusted": takes(
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
    f"{MODERATION}.moderation:moderate": takes(*TAGS, *WORDS, *LINKS, *CSS, *NUMBERS, ("a", "<b>" * 199)),
    f"{MODERATION}.people:without_surnames": takes(
        *("A ", "A'", "A-", "Dick ", "Dick, ", "Mr Coons ", ("Ann Coons ", "", "1")),
        limit=NORMALIZED,
    ),
    f"{MODERATION}.profanity:find_words": takes(
        *WORDS, ("*", "f"), "操你", "пiz", more=lambda: (profanity.bundled(),), limit=MODERATED
    ),
    f"{MODERATION}.profanity:normal_form": takes("İ", limit=MODERATED),
    f"{MODERATION}.profanity:without_disguise": takes(*WORDS, "aI", "a1", "a ", limit=MODERATED),
    f"{MODERATION}.threats:links_to_script": takes(
        "](", "]", "<", "\\:", "](java\t", ("]", " "), ("[x](java", "\t", "script:x)"), limit=MODERATED
    ),
    f"{MODERATION}.threats:css_loads": takes(*CSS, limit=MODERATED),
    f"{MODERATION}.threats:is_script_address": takes("javascript:", "\1", limit=MODERATED),
    f"{MODERATION}.threats:style_loads": takes(*CSS, limit=MODERATED),
    f"{MODERATION}.phrases:find_phrases": takes(
        *(",", "go ", ", go just now ", "i will ", "kill ", ("fucking ", "i will "), ("and ", "go ")),
        *("i will fucking ", "kill your ", "i am going to ", "slut och ", "you fat ", "hate all them "),
        *("i know where ", "whoever must be ", "bring my gun ", "te voy a ", "тебя твою ", "ich werde dein "),
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
    f"{VALIDATION}.gibberish:is_mixed": takes("a1", limit=address.MAX_LENGTH),
    f"{VALIDATION}.homographs:is_homograph": takes("xn--", "xn--a.", "а", limit=address.MAX_LENGTH),
    f"{VALIDATION}.homographs:letters": takes("xn--", "xn--a.", limit=address.MAX_LENGTH),
    f"{VALIDATION}.homographs:looks_latin": takes("а", limit=address.MAX_LENGTH),
    f"{VALIDATION}.keyboard:is_walk": takes(limit=address.MAX_LENGTH),
    f"{VALIDATION}.sign_up_ip:is_list": takes(",", "1,", "8.8.8.8,", "::1,", "[::1]:1,", ":"),
    f"{VALIDATION}.sign_up_ip:sender": takes(",", "1,", "8.8.8.8,", "::1,", "[::1]:1,", ":"),
    "schemas.base:with_dashes": takes("-", "urn:", "{"),
    "schemas.base:is_clean_text": takes("\ud800"),
    "schemas.cursors:read": takes("A", " ", "-_", "MTAg"),
    "schemas.subscribers:built_in": takes("-", "a ", "_"),
    "audience.api.targets:parse": takes(
        *(('"email":"a@b.example",', "{", '"a":1}'), ('{"email":1,"email":2},', '{"events":[', "1]}")),
        *(('"a":[1],', "{", '"a":1}'), ("\\ufeff", '{"uuid":"a","uuid":"', '"}')),
    ),
    "audience.api.request_data:pairs": takes("&", "=", "%", "+", "%f", "a=&"),
    "schemas.subscribers:decode_address": takes("a ", "%40", "%25", "\u200b", ("\u200b", "a", "a")),
    "schemas.subscribers:with_lost_plus": takes("a ", "\u200b", ("\u200b", "a", "a"), ("a ", "", "@")),
    "schemas.subscribers:with_plus": takes("a ", "\u200b", ("\u200b", "a", "a")),
    "schemas.tags:tag_name": takes("\u200b", ("\u200b", "a", "a")),
    "schemas.forms:is_plain": takes("\n", "\u202e", more=lambda: (1_000,), limit=1_001),
    "schemas.forms:plain": takes("\n", " \n", "\r", limit=1_000),
    "schemas.custom_fields:field_key": takes("-", "a "),
    "schemas.formats.consent_guards:is_unsubscribe_word": takes("-", ",", " - ", "a,", "(", ("-", "", "x")),
    "schemas.formats.consent:is_date": takes("-", ("1", "2020-"), "1/"),
    "schemas.formats.consent:comparable": takes(" ", "ﬁ", "ä", ("\u200b", "a", "a")),
    "schemas.formats.consent_words:fold": takes("-", ("-", "", "x"), "_", "ä"),
    "schemas.formats.consent_words:is_unsubscribed": takes("-", ("-", "", "x"), "_", "ä"),
    "schemas.formats.consent_words:is_yes": takes("-", ("-", "", "x"), "_", "ä"),
    "schemas.formats.consent_words:suggested_state": WorstInputs(
        ("a", "-", "ä"), lambda suggested, text: suggested(text, "status")
    ),
    "schemas.formats.csv_values:addresses_in": takes("@", "a@", "@a ", ("a", "@", "@"), ("?", "a@b", "@c")),
    "schemas.formats.csv_values:is_address": takes("@", "a@", " ", ".", (" ", "@", " ")),
    "schemas.formats.csv_values:is_like_address": takes("@", "a@", " ", "\uff20", (" ", "@", " ")),
    "schemas.formats.csv_values:unwrap_formula": takes("=", '"', ('"', '="', '"'), ("a", '="', '"')),
    "schemas.formats.csv_values:read_address": takes("<", ">", ("<", "", ">"), ("mailto:", "", "?")),
    "schemas.formats.csv_values:has_no_value": takes(" ", "null", (" ", "a", " ")),
    "schemas.formats.csv_values:strip": takes("\u200b", ("\u200b", "a", "a")),
    "schemas.formats.encodings:find_encoding": takes("_", "-", "cp"),
    "schemas.formats.dates:forms_of": takes(("1", "2020-"), "1/", ("A", "5 "), ("1", "MON, 5 MAR 2020 10:")),
    "schemas.formats.dates:has_short_year": takes("1/", "1-", ("1", "1/1/20 1:1")),
    "schemas.formats.dates:read_date": takes(("1", "2020-"), "1/", "1-", ("1", "2020-01-01 00:00:00 +0000 ")),
    "schemas.formats.header_names:is_unsubscribing": takes("-", "_", "ä"),
    "schemas.formats.consent_words:is_of_consent": takes("-", ("-", "", "x"), "_", "ä"),
    "schemas.formats.header_names:may_deny": takes("-", ("-", "", "x"), "_", "ä"),
    "schemas.formats.header_names:meaning_of": takes("-", ("-", "", "x"), "_", "ä"),
    "schemas.formats.meanings:meaning_of": takes("-", ("a ", "field:"), (" ", "fields.")),
    "schemas.formats.meanings:normal": takes("-", "A "),
    "schemas.formats.presets:is_file_of_unsubscribed": takes("_export_", "cleaned"),
    "schemas.formats.refusals:shorten": takes(),
    "schemas.formats.rows:split_name": takes(",", "a "),
    "schemas.formats.csv_values:defuse": takes("'", "[", '{"":', '"', ("1", "["), ("1,", "[", "1]")),
    "schemas.formats.csv_values:read_tags": takes("'", "[", ",", ('"",', "[", '""]')),
    "schemas.formats.csv_values:read_text": takes("'"),
    "schemas.formats.csv_values:read_value": takes("'", "[", '{"":', '"', ("1", "["), ("1,", "[", "1]")),
    "schemas.formats.csv_values:write_text": takes("'"),
    "schemas.values:normal_text": takes("\u200b", ("\u200b", "a", "a")),
    "schemas.values:trim": takes("\u200b", ("\u200b", "a", "a"), ("a", "\u200b", "\u200b")),
    "schemas.values:read_date": takes(("1", "2020-"), ("1", "2020-01-01T00:00:00."), (":11", "2020-01-01T")),
    "audience.api.request_data:site_uuid": as_names(({},), "urn:", "{", "-", limit=QUERY),
    "audience.changes.changes:values_text": WorstInputs(
        ("a", '"', "\\", "é", "\ud800"), lambda values_text, text: values_text({"a": text}, "{}")
    ),
    "audience.console.list_filters:kept_words": WorstInputs(
        ("a", "@", "“"), lambda kept_words, text: kept_words({}, text, {})
    ),
    "audience.erasures.erasures:check_target": WorstInputs(
        ("a", "0-", ("a", "a@"), (MARKS, "a@", ".com")),
        lambda check, text: (check(text, None), check(None, text)),
    ),
    f"{VALIDATION}.allow_deny:precision": as_names((address.parse("a@b.example"),), "a@", "*."),
    f"{VALIDATION}.mail_route:exchangers": as_names((), "1 a.", "10 mx.a,", "1 .,"),
    f"{ANSWERS}.gender.origin:family_first": as_words("ng ", "yeo-", "a "),
    f"{ANSWERS}.gender.origin:family_last": as_words("ng ", "yeo-", "a "),
    "schemas.formats.columns:has_email": as_names((), "-,", "A ,", limit=COLUMNS),
    "schemas.formats.columns:is_header": as_names((), "-,", "A ,", "email,@,", limit=COLUMNS),
    "schemas.formats.columns:plan": as_names(({},), "-,", "A ,", "1,", "email,", "field:", limit=COLUMNS),
    "schemas.formats.csv_values:write_tags": as_names((), "'", "[", '",'),
    "schemas.formats.meanings:field_meaning": WorstInputs(
        ("a", "-", " ", "é", ("a ", "field:")), lambda meaning, text: meaning(1, text)
    ),
    "schemas.formats.presets:recognise": as_names((), "-,", "A ,", "email address,"),
    "schemas.formats.readers:delimiters": as_file("sep=", '"sep=', "\r"),
    "schemas.formats.readers:has_nul": as_names((), "\0,"),
    "schemas.formats.readers:header": as_file('"', '",', "\n", ",", more=(",",)),
    "schemas.formats.readers:records": as_records('"', '",', "\n", ","),
    "schemas.formats.refusals:listed": as_names((), "a,"),
    "schemas.formats.refusals:quoted": as_names((), "a,", '",'),
    "schemas.tags:trim_names": as_names((), "\u200b,"),
    "schemas.values:closest": as_names((("email", "first_name"),), "email,", "e,", "first_nam,"),
    "an object of JSON": door(
        in_object, ("\\ud83d", '{"a": "', '"}'), ("\\ud83d\\ude00", '{"a": "', '"}'),
        ("1,", '{"a": [', "1]}"), ('{"a": 1, "a": 2},', '{"a": [', "1]}"), ('"a": 1,', "{", '"a": 1}'),
        ('{"a":', "", ""),
    ),
    "refused rows": door(hidden, "a,", "a@b ", "a@", ("a", "", "@"), "\uff20", "a@b,"),
    "CSV": door(in_file("csv"), '",', "a,", ",", "a@b,", ("a", '"')),
    "CSV, many rows": door(in_file("csv"), "\n", ",\n", '"\n', "a@b,1,\n", limit=MANY_ROWS),
    "CSV with columns of consent and dates": door(in_file("consent"), '",', "a,", "-", ("-", "", "x"), "_"),
    "JSON lines": door(in_file("jsonl"), ("a", '{"email": "'), ("[],", "["), ('{"a":1},', "[")),
    "JSON lines, many rows": door(in_file("jsonl"), '{"a":1}\n', "\n", "a@b\n", limit=MANY_ROWS),
    "JSON lines, each with a key of its own": door(in_keys, limit=MANY_ROWS),
    "JSON array": door(in_file("json"), ("a", '{"email": "'), ("[],", "["), ",", ("a", '"'), "a@b "),
    "JSON array, many rows": door(in_file("json"), '{"a":1},', "1,", '"', limit=MANY_ROWS),
    "a person": door(in_person, ",", "a,", "%40", "2020-"),
    "a batch of people": door(in_batch, ",", "a,", "%40", "2020-"),
    "events": door(in_events, ",", "a,", "%40", "2020-"),
    "forms": door(in_forms, ",", "a,", "%40", "2020-"),
    "segment rules": door(in_rules, "2020-", "ß"),
    "query": door(in_query, "&", "a=b&", "a[b]=c&", "?site_uuid=", "a[", "%", "%41"),
    "path and Basic header": door(in_headers, "/", "//", "=", "YTpi", "_-"),
    "User-Agent": door(lambda text: bundled().user_agents.visitor(text), "bot", "a/1 ", "Mozilla/5.0 ("),
    "typos": door(lambda text: bundled().typos.suggest(text), "gmail.", limit=address.MAX_LENGTH),
    "mailboxes": door(lambda text: bundled().mailboxes.kind(text), ".", "no.", limit=address.MAX_LENGTH),
    "random letters": door(lambda text: bundled().names.is_gibberish(text), limit=address.MAX_LENGTH),
}  # fmt: skip

ROWS = PATTERNS | FUNCTIONS


def main(names: list[str]) -> None:
    passwords.COST = 2  # the work that makes a hash slow, whatever the length of the text
    for name in names:
        print(name, end="\t", flush=True)
        print(f"{ROWS[name].milliseconds(name):.0f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
