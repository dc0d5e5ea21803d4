"""Domains whose letters only look like those of another domain: `gmaіl.com` with a Cyrillic letter."""

import idna

from audience.answers.folding import fold

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
    """Whether a label of a domain (in A-labels) under a Latin suffix may be taken for a Latin one: it has
    letters of another alphabet that look Latin, and else only Latin ones.
    """
    *labels, suffix = letters(domain).split(".")
    return suffix.isascii() and any(
        label.translate(TWINS) != label and looks_latin(label).isascii() for label in labels
    )


def _decode(label: str) -> str:
    try:
        return idna.decode(label)
    except idna.IDNAError:
        return label
