"""Tells words that could be names from random characters, by the letters that follow each other in names."""

import re
from collections.abc import Mapping
from string import ascii_lowercase

from audience.checks.folding import fold

LEAST_LETTERS = 6  # shorter words say too little
LEAST_LIKELIHOOD = -4.3  # what lies below it is measured in docs/answers/validation.md
MIXED = re.compile(r"(?:[a-z]+[0-9]+){3,}[a-z]*|(?:[0-9]+[a-z]+){3,}[0-9]*")


class NameModel:
    """Trigram probabilities as `tables/name_trigrams.py` writes them: a line a pair of letters."""

    def __init__(self, lines: Mapping[str, str]) -> None:
        self._logs = {
            pair + letter: (35 - ord(code)) / 8
            for pair, codes in lines.items()
            for letter, code in zip(f"{ascii_lowercase}$", codes, strict=True)
        }

    def likelihood(self, word: str) -> float:
        """See `mean_logarithm`: about -2 for a name, -6 for random letters."""
        return mean_logarithm(word, self._logs)

    def is_gibberish(self, text: str) -> bool:
        """Whether some word of the text is random. Text in other scripts than Latin never is."""
        folded = fold(text)
        words = re.findall(r"[a-z]+", folded) if folded.isascii() else []
        return any(len(word) >= LEAST_LETTERS and self.likelihood(word) < LEAST_LIKELIHOOD for word in words)


def mean_logarithm(word: str, logs: Mapping[str, float]) -> float:
    """Of the probability of each letter, and the end, of a word of `a` to `z`, after the two before it."""
    marked = f"^{word}$"
    return sum(logs[marked[at : at + 3]] for at in range(len(marked) - 2)) / len(word)


def is_mixed(text: str) -> bool:
    """Whether letters and digits alternate as they do in random strings: `x7k2m9qp`."""
    return len(text) >= 8 and MIXED.fullmatch(text) is not None
