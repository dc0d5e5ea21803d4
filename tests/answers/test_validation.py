"""Validation: the rules, the score, and properties of every result."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audience.answers.validation.allow_deny import AllowDenyLists
from audience.answers.validation.email_tables import bundled
from audience.answers.validation.reasons import ValidationReason
from audience.answers.validation.validation import Candidate, Ruleset, Sources, validate
from tests.answers.zones import PUBLIC, SERVFAIL, UNAVAILABLE, Zones, mail
from tests.rows import each_row

CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0"
DNS = Zones(
    mail("firm.org")
    | mail("dr.com")
    | mail("gmail.com", "gmail-smtp-in.l.google.com")
    | mail("icloud.com")
    | mail("privaterelay.appleid.com")
    | mail("x.anonaddy.com")
    | mail("xn--mller-kva.de")
    | mail("fresh-domain.org", "mail.wabblywabble.com")
    | mail("fresher-domain.org", "mx7.mailinator.com")
    | {"null.org MX": ["0 ."], "web.org A": [PUBLIC], "text.org TXT": ["x"], "home.org MX": ["5 localhost"]}
    | {"dead.org MX": ["10 mx.dead.org"], "fail.org MX": SERVFAIL, "slow.org MX": UNAVAILABLE}
)


def sources(resolver=DNS):
    countries = {"8.8.8.8": "US", "9.9.9.9": "us", "5.8.8.8": "RU"}
    return Sources(
        tables=bundled(), resolver=resolver, country_of=countries.get, tier1_countries=("us", "DE")
    )


def result(email="ann@firm.org", ruleset=None, resolver=DNS, **rest):
    return validate(Candidate(email=email, **rest), ruleset or Ruleset(), sources(resolver))


PLAIN = [
    ("ann@firm.org", True, [], 1.0),
    ("jürgen@müller.de", True, [], 1.0),
    ("ann.lee@gmail.com", True, ["free_provider"], 0.9),
    ("", False, ["syntax"], 0.0),
    ("not an address", False, ["syntax"], 0.0),
    ("a" * 65 + "@firm.org", False, ["syntax"], 0.0),
    ("ann@" + "a" * 100_000, False, ["syntax"], 0.0),
    ("ann@localhost", False, ["reserved_domain"], 0.0),
    ("ann@mail.example.com", False, ["reserved_domain"], 0.0),
    ("ann@printer.local", False, ["reserved_domain"], 0.0),
    ("ann@firm.quux", False, ["unknown_tld"], 0.0),
    ("ann@firm.cmo", False, ["unknown_tld", "typo"], 0.0),
    ("ann@yaho.co.uk", False, ["typo"], 0.4),
    ("ann@hotmaik.com", False, ["typo"], 0.4),
    ("ann@gmail,com", False, ["syntax", "typo"], 0.0),
    ("ann@mailinator.com", False, ["disposable"], 0.1),
    ("ann@x.y.mailinator.com", False, ["disposable"], 0.1),
    ("test@firm.org", False, ["synthetic_mailbox"], 0.4),
    ("Test12345@firm.org", False, ["synthetic_mailbox"], 0.4),
    ("asdf@firm.org", False, ["synthetic_mailbox"], 0.4),
    ("hjkl@firm.org", False, ["synthetic_mailbox"], 0.4),
    ("zzzz@firm.org", False, ["synthetic_mailbox"], 0.4),
    ("noreply@firm.org", False, ["no_reply"], 0.4),
    ("billing-no-reply@firm.org", False, ["no_reply"], 0.4),
    ("mailer-daemon@firm.org", False, ["no_reply"], 0.4),
    ("abuse@firm.org", False, ["abuse_mailbox"], 0.4),
    ("info@firm.org", True, ["role_address"], 0.8),
    ("ann@dr.com", True, ["free_provider"], 0.9),
    ("sales+spring@firm.org", True, ["role_address"], 0.8),
    ("xkqzjvwb@firm.org", True, ["gibberish"], 0.6),
    ("x7k2m9qp4@firm.org", True, ["gibberish"], 0.6),
    ("dpdcnf87nu@privaterelay.appleid.com", True, ["relay"], 1.0),
    ("ann@x.anonaddy.com", True, ["relay"], 1.0),
    ("ann@gmаil.com", False, ["homograph", "typo"], 0.0),
    ("ann@shop..example", False, ["syntax"], 0.0),
    ("ann@-shop.example", False, ["syntax"], 0.0),
    ("xkqzjvwb@gmail.com", True, ["gibberish", "free_provider"], 0.54),
    ("ann@absent-firm.org", False, ["no_such_domain"], 0.0),
    ("ann@null.org", False, ["null_mx"], 0.0),
    ("ann@text.org", False, ["no_mail_route"], 0.0),
    ("ann@home.org", False, ["mx_unroutable"], 0.0),
    ("ann@fresh-domain.org", False, ["disposable_mx"], 0.1),
    ("ann@fresher-domain.org", False, ["disposable_mx"], 0.1),
    ("ann@dead.org", True, ["temporary_bounce"], 0.6),
    ("ann@fail.org", True, ["temporary_bounce"], 0.6),
    ("ann@web.org", True, ["no_mx"], 0.8),
    ("ann@slow.org", True, ["dns_unavailable"], 1.0),
]


@each_row(("email", "valid", "reasons", "points"), PLAIN)
def test_plain(email, valid, reasons, points):
    outcome = result(email)
    assert (outcome.valid, list(outcome.reasons), outcome.score) == (valid, reasons, points)


def test_a_free_provider_whose_servers_fail():
    outcome = result("ann.lee@icloud.com", resolver=Zones({"icloud.com MX": SERVFAIL}))
    assert (outcome.valid, list(outcome.reasons)) == (True, ["free_provider", "temporary_bounce"])


@pytest.mark.parametrize("threshold", [0.5, 0.7, 1.0])
@each_row("options", [
    {}, {"strict": True}, {"strict": True, "wiggleroom": True}, {"strict": True, "block_free_providers": True}
])  # fmt: skip
@pytest.mark.parametrize("email", ["ann@dead.org", "ann@fail.org"])
def test_a_temporary_bounce_alone_is_valid_in_every_rule_set(email, options, threshold):
    outcome = result(email, Ruleset(threshold=threshold, **options))
    assert (outcome.valid, list(outcome.reasons)) == (True, ["temporary_bounce"])


SUGGESTIONS = [
    ("Ann.Lee+x@gamil.com", "Ann.Lee+x@gmail.com"),
    ("ann@gmail,com", "ann@gmail.com"),
    ("ann@hotmial.co.uk", "ann@hotmail.co.uk"),
    ("ann@firm.cmo", "ann@firm.com"),
    ("ann@firm.org", None),
    ("ann@gmail", "ann@gmail.com"),
    ("ann@gmial", "ann@gmail.com"),
    ("ann@web,de", "ann@web.de"),
    ("ann@firm,co.uk", "ann@firm.co.uk"),
    ("ann@@gmail.com", "ann@gmail.com"),
    ("ann@ gmail.com", "ann@gmail.com"),
    ("ann @gmail.com", "ann@gmail.com"),
    ("ann@gmаil.com", "ann@gmail.com"),
    ("ann@sezman.cz", "ann@seznam.cz"),
    ("ann@", None),
    ("ann@firm", None),
    ("ann@shop..example", None),
    ("@gamil.com", None),
    ("a b@gamil.com", None),
    ("gamil.com", None),
]


@each_row(("email", "suggestion"), SUGGESTIONS)
def test_suggestion(email, suggestion):
    assert result(email).suggestion == suggestion


CONTEXT = [
    ({"name": "Ann Lee"}, True, []),
    ({"name": "  "}, True, []),
    ({"name": "Ann 2000"}, True, ["name_digits"]),
    ({"name": "Ann www.casino.net"}, False, ["name_link"]),
    ({"name": "<b>Ann</b>"}, True, ["name_markup"]),
    ({"name": "ANNABEL LEE"}, True, ["name_shouting"]),
    ({"name": "annxkqzjvwb"}, True, ["name_gibberish"]),
    ({"name": "фывапролд"}, True, ["name_gibberish"]),
    ({"name": "שדגכשדגכ"}, True, ["name_gibberish"]),
    ({"name": "hjkhg jkhgj"}, True, ["name_gibberish"]),
    ({"email": "thunderbolt@firm.org", "name": "Maria Garcia"}, True, []),
    ({"email": "vqxjzkwpf@firm.org", "name": "Vqxj Zkwp"}, False, ["gibberish", "name_gibberish"]),
    ({"email": "contact@firm.org", "name": "Maria Garcia"}, True, ["role_address"]),
    ({"name": "x" * 100_000}, True, ["name_gibberish"]),
    ({"user_agent": CHROME}, True, []),
    ({"user_agent": ""}, True, ["ua_empty"]),
    ({"user_agent": "Googlebot/2.1"}, True, ["ua_bot"]),
    ({"user_agent": "curl/8.5.0"}, True, ["ua_http_library"]),
    ({"user_agent": CHROME.replace("Chrome", "HeadlessChrome")}, True, ["ua_headless"]),
    ({"email": "ann.lee@gmail.com", "user_agent": "curl/8.5.0"}, True, ["free_provider", "ua_http_library"]),
    ({"email": "qzkvwxrt@gmail.com", "name": "Maria Lopez"}, True, ["gibberish", "free_provider"]),
    ({"email": "hbrghtn@firm.org", "name": "H Broughton"}, True, []),
    ({"email": "tester@firm.org", "name": "Harold Tester"}, True, []),
    ({"email": "bolt.usain@firm.org", "name": "Usain Bolt"}, True, []),
    ({"email": "tester@firm.org", "name": "Tester"}, False, ["synthetic_mailbox"]),
    ({"name": "Dragan Smrtčić"}, True, []),
    ({"ip": "8.8.8.8"}, True, []),
    ({"ip": "9.9.9.9"}, True, []),
    ({"ip": " 8.8.8.8 "}, True, []),
    ({"ip": "::ffff:8.8.8.8"}, True, []),
    ({"ip": ""}, True, []),
    ({"ip": "5.8.8.8"}, False, ["ip_not_tier1"]),
    ({"ip": "192.168.0.1"}, True, ["ip_unknown"]),
    ({"ip": "203.0.113.9"}, True, ["ip_unknown"]),
    ({"ip": "2001:db8::1"}, True, ["ip_unknown"]),
    ({"ip": "8.8.8.8:443"}, True, []),
    ({"ip": "5.8.8.8:51000"}, False, ["ip_not_tier1"]),
    ({"ip": "[2001:db8::1]:443"}, True, ["ip_unknown"]),
    ({"ip": "[::ffff:5.8.8.8]:443"}, False, ["ip_not_tier1"]),
    ({"ip": "[::ffff:5.8.8.8]"}, False, ["ip_not_tier1"]),
    ({"ip": '"[2001:db8::1]:443", "5.8.8.8:80"'}, False, ["ip_not_tier1", "ip_list"]),
    ({"ip": "8.8.8.8:51000, 10.0.0.1:80"}, True, ["ip_list"]),
    ({"ip": "10.0.0.1:80, 5.8.8.8:51000"}, False, ["ip_not_tier1", "ip_list"]),
    ({"ip": "unknown, 5.8.8.8:80"}, False, ["ip_not_tier1", "ip_list"]),
    *(
        ({"ip": text}, True, ["ip_unknown"])
        for text in (
            "unknown",
            "-",
            "8.8.8",
            "8.8.8.8:",
            "8.8.8.8:x",
            "8.8.8.8:443:1",
            "[8.8.8.8",
            "8.8.8.8]",
            "[]:1",
            "[",
            ":443",
            "_hidden",
            "8.8.8.8 443",
            "[2001:db8::1]443",
            "[2001:db8::1]:x",
        )
    ),
    ({"ip": "8.8.8.8, 10.0.0.1"}, True, ["ip_list"]),
    ({"ip": "10.0.0.4, ::ffff:5.8.8.8, 8.8.8.8"}, False, ["ip_not_tier1", "ip_list"]),
    ({"ip": "unknown, 8.8.8.8"}, True, ["ip_list"]),
    ({"ip": "10.0.0.1, 10.0.0.2"}, True, ["ip_list", "ip_unknown"]),
    ({"ip": "my, laptop"}, True, ["ip_unknown"]),
    ({"ip": ","}, True, ["ip_unknown"]),
    ({"ip": "not an address"}, True, ["ip_unknown"]),
]


@each_row(("given", "valid", "reasons"), CONTEXT)
def test_context(given, valid, reasons):
    outcome = result(**given)
    assert (outcome.valid, list(outcome.reasons)) == (valid, reasons)


STRICT = [
    ("ann@firm.org", {}, True, []),
    ("ann@mailinator.com", {}, False, ["disposable"]),
    ("ann@fresh-domain.org", {}, False, ["disposable_mx"]),
    ("info@firm.org", {}, False, ["role_address"]),
    ("info@firm.org", {"wiggleroom": False}, False, ["role_address"]),
    ("info@firm.org", {"wiggleroom": True}, True, ["role_address"]),
    ("xkqzjvwb@firm.org", {}, False, ["gibberish"]),
    ("xkqzjvwb@firm.org", {"wiggleroom": True}, True, ["gibberish"]),
    ("ann@web.org", {}, False, ["no_mx"]),
    ("ann@web.org", {"wiggleroom": True}, True, ["no_mx"]),
    ("test@firm.org", {"wiggleroom": True}, False, ["synthetic_mailbox"]),
    ("ann@hotmaik.com", {"wiggleroom": True}, False, ["typo"]),
    ("ann@absent-firm.org", {"wiggleroom": True}, False, ["no_such_domain"]),
    ("ann@slow.org", {}, True, ["dns_unavailable"]),
    ("ann.lee@gmail.com", {}, True, ["free_provider"]),
    ("ann.lee@gmail.com", {"block_free_providers": None}, True, ["free_provider"]),
    ("ann.lee@gmail.com", {"block_free_providers": True}, False, ["free_provider"]),
    ("ann.lee@gmail.com", {"block_free_providers": True, "wiggleroom": True}, False, ["free_provider"]),
    ("ann.lee@gmail.com", {"block_free_providers": False}, True, []),
    ("ann@firm.org", {"block_free_providers": True}, True, []),
]


@each_row(("email", "options", "valid", "reasons"), STRICT)
def test_strict(email, options, valid, reasons):
    outcome = result(email, Ruleset(strict=True, threshold=0, **options))
    assert (outcome.valid, list(outcome.reasons)) == (valid, reasons)


@pytest.mark.parametrize(
    ("email", "details"),
    [
        ("ann@x.y.mailinator.com", {"disposable": "mailinator.com"}),
        ("ann@yaho.co.uk", {"typo": "ann@yahoo.co.uk"}),
        ("team.berlin@firm.org", {"role_address": "team.berlin"}),
        ("ann@fresher-domain.org", {"disposable_mx": "mailinator.com"}),
        ("ann@gmail.com", {"free_provider": "gmail.com"}),
        ("ann@firm.org", {}),
    ],
)
def test_details_say_what_was_hit(email, details):
    assert result(email).details == details


@pytest.mark.parametrize(
    ("email", "name"),
    [
        ("tom.test@firm.org", "Tom Test"),
        ("k.test@firm.org", "Karl Test"),
        ("sales.carla@firm.org", "Carla Sales"),
        ("hjkl@firm.org", "Henk J. K. Lammers"),
        ("pr@firm.org", "Paula Reed"),
    ],
)
def test_a_name_excuses_the_mailbox_that_it_explains(email, name):
    assert result(email, name=name).reasons == ()
    assert result(email).reasons != ()
    assert result(email, name="Acme").reasons != ()


@each_row(
    "mailbox",
    [
        "qwertzuiop",
        "azertyuiop",
        "aoeuidhtns",
        "йцукен",
        "qazwsxedc",
        "qpwoeiruty",
        "fjdkslfjdksl",
        "xcvbxcvb99",
        "1q2w3e4r",
        "lalalala",
        "111222",
        "someone",
        "wefwefwef",
        "poiuytrewq1",
        "fyvaproldj",
        "ضصثقفغ",
        "a1b2c3d4e5f6g7",
        "xyzxyz",
        "qwpoqwpoqw",
        "yxcvbnmm",
        "aaaaaabbbbcc",
        "tuvwx.tuvwx.123",
        "asasas123",
        "nothanks",
        "dontmailme",
        "not.giving.you.my.email",
        "bogus",
    ],
)
def test_walks_over_the_keys_are_placeholders(mailbox):
    assert result(f"{mailbox}@firm.org").reasons == ("synthetic_mailbox",)


@pytest.mark.parametrize("mailbox", ["dono", "nome", "donovan", "stopford", "neverson", "nada", "nadia"])
def test_names_that_are_like_refusals_are_people(mailbox):
    assert result(f"{mailbox}@firm.org").reasons == ()


@pytest.mark.parametrize(
    ("email", "name", "reasons"),
    [
        ("rossi@rossi.org", "Rossi Rossi", ["synthetic_mailbox"]),
        ("nada@nada.org", "", ["synthetic_mailbox"]),
        ("rossi@rossi.org", "Mario Rossi", []),
    ],
)
def test_what_mailbox_domain_and_name_repeat_is_a_placeholder(email, name, reasons):
    answer = result(email, resolver=Zones(mail("rossi.org") | mail("nada.org")), name=name)
    assert list(answer.reasons) == reasons


@pytest.mark.parametrize(
    ("domain", "meant"), [("wala.co.il", "walla.co.il"), ("wep.de", "web.de"), ("abv.gb", "abv.bg")]
)
def test_a_domain_that_does_not_exist_means_the_nearest_provider(domain, meant):
    answer = result(f"ann@{domain}")
    assert (answer.valid, list(answer.reasons)) == (False, ["no_such_domain", "typo"])
    assert (answer.suggestion, answer.details["typo"]) == (f"ann@{meant}", f"ann@{meant}")
    assert result(f"ann@{domain}", resolver=Zones(mail(domain))).suggestion is None


def test_the_score_is_always_fractional():
    assert all(isinstance(result(email).score, float) for email in ("ann@firm.org", "", "info@firm.org"))


@pytest.mark.parametrize(("threshold", "valid"), [(0.0, True), (0.8, True), (0.81, False), (1.0, False)])
def test_threshold(threshold, valid):
    assert result("info@firm.org", Ruleset(threshold=threshold)).valid is valid


LISTS = [
    (["mailinator.com"], [], "ann@mailinator.com", "allowed"),
    (["noreply@firm.org"], ["firm.org"], "noreply@firm.org", "allowed"),
    (["firm.org"], ["ann@firm.org"], "ann@firm.org", "denied"),
    (["firm.org"], ["firm.org"], "ann@firm.org", "denied"),
    ([], ["org"], "ann@firm.org", "denied"),
    (["localhost"], [], "root@localhost", "allowed"),
]


@each_row(("allow", "deny", "email", "reason"), LISTS)
@pytest.mark.parametrize("strict", [False, True])
def test_lists_override_every_rule(allow, deny, email, reason, strict):
    dns = Zones()
    ruleset = Ruleset(strict=strict, lists=AllowDenyLists(tuple(allow), tuple(deny)))
    outcome = result(email, ruleset, dns, ip="5.8.8.8", user_agent="curl/8.5.0")
    allowed = reason == "allowed"
    assert (outcome.valid, list(outcome.reasons), outcome.score) == (allowed, [reason], float(allowed))
    assert dns.queries == []


NAMES = "Nguyễn Phương|Krzysztof Brzęczyszczyk|Nnamdi Okonkwo|Hrvoje Brkić|李小龙|Иван Петров|Ng|Þór Björk"


@each_row("name", NAMES.split("|"))
def test_a_name_of_any_culture_never_invalidates(name):
    assert result(name=name).valid


ANYTHING = st.text(max_size=400) | st.from_regex(r"[^@]{0,70}@[^@]{0,70}", fullmatch=True) | st.emails()
MAYBE = st.none() | st.text(max_size=300)
OPTION = st.sampled_from([None, True, False])


@given(ANYTHING, MAYBE, MAYBE, MAYBE, st.booleans(), OPTION, OPTION)
def test_any_text_is_accepted(email, name, user_agent, ip, strict, block, wiggleroom):
    ruleset = Ruleset(strict=strict, block_free_providers=block, wiggleroom=wiggleroom)
    outcome = result(email, ruleset, name=name, user_agent=user_agent, ip=ip)
    assert 0 <= outcome.score <= 1
    assert list(outcome.reasons) == sorted(set(outcome.reasons), key=list(ValidationReason).index)
