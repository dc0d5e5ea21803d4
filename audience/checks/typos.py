"""Slips of the fingers in the domains of the big mail providers."""

from collections.abc import Callable, Sequence

from audience.checks.keyboard import NEIGHBOURS

ENDINGS = {  # what people type for a common ending; none of them exists
    "cmo": "com", "con": "com", "comm": "com", "coom": "com", "ccom": "com", "ocm": "com", "vom": "com",
    "xom": "com", "cpm": "com", "cim": "com", "clm": "com", "cok": "com", "cmm": "com", "c0m": "com",
    "coim": "com", "come": "com", "comn": "com", "coml": "com", "nte": "net", "ner": "net", "nett": "net",
    "ent": "net", "orgg": "org", "ogr": "org", "rog": "org", "co.ku": "co.uk", "co.k": "co.uk",
    "co.ul": "co.uk", "co.uj": "co.uk", "cou.k": "co.uk", "couk": "co.uk",
}  # fmt: skip
SQUATTED = {"co": "com", "cm": "com", "om": "com", "ne": "net", "et": "net"}  # they exist; few mean them
SAFE_LENGTH = 5  # of a first label; one letter changed in a shorter one is as often another real domain,
LEAST_LENGTH = 3  # and in one shorter than this, one letter more


class Typos:
    """Finds the provider that a domain was probably meant to be.

    `providers` in order of popularity; `real` are known domains that merely look like one of them;
    `is_suffix` says whether an ending (`com`, `co.uk`) is one that domains are registered under.
    """

    def __init__(
        self, providers: Sequence[str], real: frozenset[str], is_suffix: Callable[[str], bool]
    ) -> None:
        self._providers = {provider: provider.partition(".") for provider in providers}
        self._near: dict[str, list[str]] = {}
        for provider in providers:
            for variant in _without_one(provider):
                self._near.setdefault(variant, []).append(provider)
        self._rank = {provider: rank for rank, provider in enumerate(providers)}
        self._undotted = {provider.replace(".", ""): provider for provider in providers}
        self._real = real
        self.is_suffix = is_suffix

    def suggest(self, domain: str) -> str | None:
        """The domain (A-labels, lower case) that was meant, or None where nothing speaks for a slip."""
        if domain in self._providers or domain in self._real:
            return None
        mended = self._mend_ending(domain)
        if mended in self._providers:
            return mended
        if mended.replace(".", "") in self._undotted:
            return self._undotted[mended.replace(".", "")]
        near = {each for variant in _without_one(mended) for each in self._near.get(variant, ())}
        slips = [provider for provider in near if self._is_slip(mended, provider)]
        found = min(slips, key=self._rank.__getitem__, default=None)
        return found or (mended if mended != domain else None)

    def _mend_ending(self, domain: str) -> str:
        name, _, ending = domain.partition(".")
        once = domain.removesuffix(".com")
        if once.endswith(".com") and once in self._providers:
            return once
        for slip in (ending, ending.rpartition(".")[2]):
            if slip in ENDINGS and not self.is_suffix(slip):
                return domain.removesuffix(slip) + ENDINGS[slip]
        if ending in SQUATTED and f"{name}.{SQUATTED[ending]}" in self._providers:
            return f"{name}.{SQUATTED[ending]}"
        return domain

    def _is_slip(self, domain: str, provider: str) -> bool:
        if not one_edit_apart(domain, provider):
            return False
        label, _, ending = self._providers[provider]
        if domain.startswith(f"{label}."):
            return not self.is_suffix(domain.removeprefix(f"{label}."))
        if not domain.endswith(f".{ending}"):
            return len(label) >= SAFE_LENGTH
        typed = domain.removesuffix(f".{ending}")
        return len(label) >= SAFE_LENGTH or _is_fumbled(typed, label)


def one_edit_apart(one: str, other: str) -> bool:
    """Whether the Damerau-Levenshtein distance is 1: a character added, lost, changed, or two swapped."""
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    rest, expected = one[start:], other[start:]
    if len(rest) == len(expected):
        return rest[1:] == expected[1:] or (rest[:2] == expected[1::-1] and rest[2:] == expected[2:])
    return rest[1:] == expected or rest == expected[1:]


def _without_one(domain: str) -> set[str]:
    """The domain, and what is left of it without one of its characters: those one edit apart share one."""
    return {domain, *(domain[:at] + domain[at + 1 :] for at in range(len(domain)))}


def _is_fumbled(typed: str, label: str) -> bool:
    """Whether fingers that meant `label` swapped two letters, doubled one, hit a neighbouring key as well or,
    in a label of four letters, instead."""
    if len(label) < LEAST_LENGTH or len(typed) < len(label):
        return False
    if len(typed) > len(label):
        return any(
            typed == label[:at] + extra + label[at:]
            for at in range(len(label) + 1)
            for extra in "".join(letter + NEIGHBOURS[letter] for letter in label[max(at - 1, 0) : at + 1])
        )
    changed = [(wrong, right) for wrong, right in zip(typed, label, strict=True) if wrong != right]
    return len(changed) == 2 or (len(label) == 4 and changed[0][0] in NEIGHBOURS[changed[0][1]])
