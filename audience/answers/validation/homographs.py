"""Domains whose letters only look like those of another domain: `gmaіl.com` with a Cyrillic letter."""

import unicodedata

import idna

from audience.answers.folding import fold

# Alphabets whose letters look alike; within a label, registries do not mix them.
ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC"})
# The lower-case letters that look Latin: Cyrillic, then Greek, then Armenian.
TWINS = str.maketrans(
    "асԁеһіјӏорԛѕԝхуўкѵαγικνορτυωχհոսօզց",
    "acdehijlopqswxyykvayikvoptuwxhnuoqg",
)


def letters(domain: str) -> str:
    """The domain as people see it: in Unicode letters. A label that cannot be decoded stays an A-label."""
    if "xn--" not in domain:
        return domain
    return ".".join(map(_decode, domain.split(".")))


def looks_latin(domain: str) -> str:
    """The Latin domain for which a person may take `domain`, which is in Unicode letters: `gmail.com` for
    `gmaіl.com`.
    """
    return fold(domain.translate(TWINS))


def is_homograph(domain: str) -> bool:
    """Whether a domain (in A-labels) may be taken for another one, because of one of its labels.

    Such a label mixes alphabets that look alike. Or it is under a Latin suffix, and has only letters of
    another alphabet that look Latin.
    """
    seen = letters(domain)
    if seen.isascii():
        return False
    *labels, suffix = seen.split(".")
    return any(_mixes(label) or (suffix.isascii() and _is_disguised(label)) for label in labels)


def _mixes(label: str) -> bool:
    """Whether a label has letters of several alphabets that look alike."""
    return len(_alphabets(label) & ALIKE) > 1


def _is_disguised(label: str) -> bool:
    return not _alphabets(label) & {"LATIN"} and not label.isascii() and label.translate(TWINS).isascii()


def _alphabets(label: str) -> frozenset[str]:
    return frozenset(
        unicodedata.name(character, "").partition(" ")[0] for character in label if character.isalpha()
    )


def _decode(label: str) -> str:
    try:
        return idna.decode(label)
    except idna.IDNAError:
        return label
