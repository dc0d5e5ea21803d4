from hypothesis import given
from hypothesis import strategies as st

from audience.answers.validation.email_tables import bundled
from audience.answers.validation.typos import one_edit_apart
from tests.rows import each_row

SLIPS = {
    "gamil.com": "gmail.com",
    "gmial.com": "gmail.com",
    "gmail.cmo": "gmail.com",
    "gmail.con": "gmail.com",
    "gmail.co": "gmail.com",
    "gmail.it": "gmail.com",
    "gmail.com.br": "gmail.com",
    "www.gmail.com": "gmail.com",
    "mail.con": "mail.com",
    "acme.ort": "acme.org",
    "ucla.ed": "ucla.edu",
    "gmail.com.com": "gmail.com",
    "gmailcom": "gmail.com",
    "gmai.lcom": "gmail.com",
    "gmail,com": "gmail.com",
    "gmial.cmo": "gmail.com",
    "hotmial.co.uk": "hotmail.co.uk",
    "hotmail.co.ku": "hotmail.co.uk",
    "hotmal.com": "hotmail.com",
    "outlok.fr": "outlook.fr",
    "yahho.com": "yahoo.com",
    "yaho.co.uk": "yahoo.co.uk",
    "iclould.com": "icloud.com",
    "comcast.et": "comcast.net",
    "aool.com": "aol.com",
    "gxm.de": "gmx.de",
    "msnc.om": "msn.com",
    "acme.cmo": "acme.com",
    "icloud.co": "icloud.com",
    "gmail.c": "gmail.com",
    "outlook.c": "outlook.com",
    "gmx.n": "gmx.net",
    "yahoo.d": "yahoo.de",
    "yahoo.co.u": "yahoo.co.uk",
    "inbox.lvv": "inbox.lv",
    "walla.co.ill": "walla.co.il",
    "yahooo.co.inn": "yahoo.co.in",
    "hotmial.co.ukk": "hotmail.co.uk",
    "tera.con.br": "terra.com.br",
}
REAL = """
gmail.com ymail.com mail.com email.com fastmail.com hotmail.cz yahoo.ae outlook.at gmx.us proton.me live.com
love.com like.com five.com fox.net box.net home.pl man.com ms.com sap.com mit.edu bbc.co.uk com.com acme.com
comcast.com icloud.de t-online.de google.com web.dk mail.google.com xn--mller-kva.de
"""


@each_row(("typed", "meant"), SLIPS.items())
def test_typos(typed, meant):
    assert bundled().typos.suggest(typed) == meant


@each_row("domain", REAL.split())
def test_real_domains_are_left_alone(domain):
    assert bundled().typos.suggest(domain) is None


def test_no_free_provider_is_a_typo():
    assert [domain for domain in bundled().free if bundled().typos.suggest(domain)] == []


def distance(one, other):
    """Damerau-Levenshtein (optimal string alignment), the textbook's way."""
    table = {(i, 0): i for i in range(len(one) + 1)} | {(0, j): j for j in range(len(other) + 1)}
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            cost = one[i - 1] != other[j - 1]
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(one), len(other)]


@given(st.text("ab.", max_size=6), st.text("ab.", max_size=6))
def test_one_edit_is_a_distance_of_one(one, other):
    assert one_edit_apart(one, other) == (distance(one, other) == 1)
