"""Detecting random letters, by how often sequences of three letters (trigrams) occur in names."""

import re
from collections.abc import Mapping
from string import ascii_lowercase

from audience.answers.folding import fold

MIN_LETTERS = 6  # shorter words are inconclusive
SHORT = 4  # letters of each word, if all words are random
MIN_LIKELIHOOD = -4.3  # takes 0.3 % of unseen names for gibberish, and 80 % of random letters
LATIN = re.compile(r"[a-z]+")
MIXED = re.compile(r"(?:[a-z]+[0-9]+){3,}[a-z]*|(?:[0-9]+[a-z]+){3,}[0-9]*")


class NameModel:
    """The probabilities of trigrams in names. `lines` has, by pair of letters, a line in the format of
    `tables/name_trigrams.py`.
    """

    def __init__(self, lines: Mapping[str, str]) -> None:
        self._logs = {
            pair + letter: (35 - ord(code)) / 8
            for pair, codes in lines.items()
            for letter, code in zip(f"{ascii_lowercase}$", codes, strict=True)
        }

    def likelihood(self, word: str) -> float:
        """How much a word is like a name, as `mean_logarithm` says: about -2 for a name, -6 for random
        letters.
        """
        return mean_logarithm(word, self._logs)

    def is_gibberish(self, text: str) -> bool:
        """Whether one of the words in a text is random letters, or each of several shorter ones. False for a
        text in another script than Latin.
        """
        folded = fold(text)
        words = LATIN.findall(folded) if folded.isascii() else []
        random = [word for word in words if self.likelihood(word) < MIN_LIKELIHOOD]
        if any(len(word) >= MIN_LETTERS for word in random):
            return True
        return random == words and len(words) > 1 and all(len(word) >= SHORT for word in words)


def mean_logarithm(word: str, logs: Mapping[str, float]) -> float:
    """The mean of the logarithms of the probabilities of a word's trigrams. `logs` has these by trigram. The
    word must have only letters from `a` to `z`.
    """
    marked = f"^{word}$"
    return sum(logs[marked[at : at + 3]] for at in range(len(marked) - 2)) / len(word)


def is_mixed(text: str) -> bool:
    """Whether letters and digits alternate as they do in random strings: `x7k2m9qp`."""
    return len(text) >= 8 and MIXED.fullmatch(text) is not None
