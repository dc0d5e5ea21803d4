"""Typos in the domains of the big mail providers."""

from collections.abc import Iterable, Sequence
from functools import cache

from audience.answers.domains import is_suffix
from audience.answers.tables import rows
from audience.answers.validation.keyboard import NEIGHBOURS

ONE_DOMAIN = frozenset({"gmail"})  # labels that a provider has under one suffix alone
# Letters of a first label below which one changed letter is as often another real domain.
SAFE_LENGTH = 5
# Letters of a first label below which one added letter is, too.
MIN_LENGTH = 3
# Letters of a first label below which letters swapped across another one are, too.
SAFE_SWAP_LENGTH = 6


@cache
def _suffix_typos(exists: str) -> dict[str, str]:
    """The suffix that is probably meant, by typo. `exists` is empty for typos that are no suffix themselves,
    and `yes` for suffixes that exist but are rarely meant.
    """
    return {row["typo"]: row["meant"] for row in rows("validation/suffix_typos") if row["exists"] == exists}


class Typos:
    """Finds the domain of a big mail provider that was probably meant by a misspelling.

    `providers` are the domains in order of popularity, and `real` are existing domains that look like one of
    them. `others` are smaller providers, which are meant only where the suffix is misspelt.
    """

    def __init__(self, providers: Sequence[str], real: frozenset[str], others: Iterable[str] = ()) -> None:
        self._all = (*providers, *sorted(others))
        self._providers = {provider: provider.partition(".") for provider in providers}
        self._near: dict[str, list[str]] = {}
        for provider in providers:
            for variant in _without_one(provider):
                self._near.setdefault(variant, []).append(provider)
        self._rank = {provider: rank for rank, provider in enumerate(providers)}
        self._undotted = {provider.replace(".", ""): provider for provider in providers}
        self._labels = {
            label: provider
            for provider in reversed(providers)
            if len(label := provider.partition(".")[0]) >= MIN_LENGTH
        }
        self._swapped = {
            swapped: provider for provider in reversed(providers) for swapped in _swaps(provider)
        }
        self._real = real.union(others)

    def is_provider(self, domain: str) -> bool:
        return domain in self._providers

    def suggest(self, domain: str) -> str | None:
        """The domain that was probably meant; None if it is `domain` itself, or unknown. Both are in A-labels
        and lower case.
        """
        if domain in self._providers:
            return None
        host = domain.removeprefix("www.")
        label = host.partition(".")[0]
        if host in self._providers or label in ONE_DOMAIN:
            return host if host in self._providers else self._labels[label]
        if domain in self._real:
            return None
        if "." not in domain:
            return self._labels.get(domain) or self._provider(domain) or self._provider(f"{domain}.com")
        return self._provider(domain) or self._with_suffix(domain) or self._by_parts(domain)

    def nearest(self, domain: str) -> str | None:
        """The provider, big or small, whose domain is one edit apart; None if there is none. It is probably
        meant only if `domain` does not exist.
        """
        return next((provider for provider in self._all if one_edit_apart(domain, provider)), None)

    def _with_suffix(self, domain: str) -> str | None:
        """The domain with a corrected suffix; None if there is nothing to correct."""
        corrected = self._correct_suffix(domain)
        return corrected if corrected != domain else None

    def _by_parts(self, domain: str) -> str | None:
        """The provider that a domain with a misspelt or cut off suffix means, though its first label may be
        misspelt, too: `yahooo.co.inn`, `gmail.c`. None if there is none.
        """
        label, _, suffix = domain.partition(".")
        if is_suffix(suffix) or len(label) < MIN_LENGTH:
            return None
        typos = _suffix_typos("")
        meant = ".".join(typos.get(part, part) for part in suffix.split("."))
        parts = (provider.partition(".") for provider in self._all)
        return next(
            (
                f"{first}.{ending}"
                for first, _, ending in parts
                if (label == first or (len(first) >= SAFE_LENGTH and one_edit_apart(label, first)))
                and (meant == ending or ending.startswith(suffix) or one_edit_apart(suffix, ending))
            ),
            None,
        )

    def _provider(self, domain: str) -> str | None:
        """The domain of the provider that was probably meant; None if there is none."""
        corrected = self._correct_suffix(domain)
        if corrected in self._providers or (corrected != domain and corrected in self._real):
            return corrected
        if corrected.replace(".", "") in self._undotted:
            return self._undotted[corrected.replace(".", "")]
        typos = self._near_providers(corrected) or self._near_providers(domain)
        return min(typos, key=self._rank.__getitem__, default=None) or self._swapped.get(corrected)

    def _near_providers(self, domain: str) -> list[str]:
        """The big providers of which `domain` is probably a misspelling."""
        near = {provider for variant in _without_one(domain) for provider in self._near.get(variant, ())}
        return [provider for provider in near if self._is_typo(domain, provider)]

    def _correct_suffix(self, domain: str) -> str:
        """The domain, with its suffix corrected if that is a typo."""
        name, _, suffix = domain.partition(".")
        typos = _suffix_typos("")
        once = domain.removesuffix(".com")
        if once.endswith(".com") and once in self._providers:
            return once
        for typo in (suffix, suffix.rpartition(".")[2]):
            if typo in typos and not is_suffix(typo):
                return domain.removesuffix(typo) + typos[typo]
        meant = f"{name}.{_suffix_typos('yes').get(suffix, '')}"
        return meant if meant in self._providers else domain

    def _is_typo(self, domain: str, provider: str) -> bool:
        """Whether `domain` is probably a misspelling of the domain of a provider."""
        if not one_edit_apart(domain, provider):
            return False
        label, _, suffix = self._providers[provider]
        if domain.startswith(f"{label}."):
            return not is_suffix(domain.removeprefix(f"{label}."))
        if not domain.endswith(f".{suffix}"):
            return len(label) >= SAFE_LENGTH
        typed = domain.removesuffix(f".{suffix}")
        return len(label) >= SAFE_LENGTH or _is_mistyped(typed, label)


def one_edit_apart(one: str, other: str) -> bool:
    """Whether the texts differ by one edit (Damerau-Levenshtein distance 1): a character is added, deleted or
    changed, or two adjacent ones are swapped.
    """
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    rest, expected = one[start:], other[start:]
    if len(rest) == len(expected):
        return rest[1:] == expected[1:] or (rest[:2] == expected[1::-1] and rest[2:] == expected[2:])
    return rest[1:] == expected or rest == expected[1:]


def _swaps(provider: str) -> list[str]:
    """The misspellings of a provider's domain in which two letters of its first label, with one between them,
    are swapped.
    """
    label, _, suffix = provider.partition(".")
    if len(label) < SAFE_SWAP_LENGTH:
        return []
    swaps = (label[:at] + label[at : at + 3][::-1] + label[at + 3 :] for at in range(len(label) - 2))
    return [f"{swap}.{suffix}" for swap in swaps if swap != label]


def _without_one(domain: str) -> set[str]:
    """The domain, and the domain without each of its characters. If two domains are one edit apart, these
    sets have a common element.
    """
    return {domain, *(domain[:at] + domain[at + 1 :] for at in range(len(domain)))}


def _is_mistyped(typed: str, label: str) -> bool:
    """Whether `typed` is a misspelling of `label`, from which it has one edit: two letters are swapped, one
    is doubled, or an adjacent key is added.

    In a label of four letters, an adjacent key may also be pressed in place of the right one.
    """
    if len(label) < MIN_LENGTH or len(typed) < len(label):
        return False
    if len(typed) > len(label):
        return any(
            typed == label[:at] + extra + label[at:]
            for at in range(len(label) + 1)
            for extra in "".join(letter + NEIGHBOURS[letter] for letter in label[max(at - 1, 0) : at + 1])
        )
    changed = [(wrong, right) for wrong, right in zip(typed, label, strict=True) if wrong != right]
    return len(changed) == 2 or (len(label) == 4 and changed[0][0] in NEIGHBOURS[changed[0][1]])
