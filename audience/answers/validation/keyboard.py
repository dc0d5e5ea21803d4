"""The QWERTY keyboard: adjacent keys, and sequences of keys."""

KEYS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
MIN_RUN_LENGTH = 4


def _neighbours() -> dict[str, str]:
    places = {key: (row, at) for row, keys in enumerate(KEYS) for at, key in enumerate(keys)}
    return {
        key: "".join(
            other
            for other, (other_row, other_at) in places.items()
            if other != key and abs(row - other_row) <= 1 and abs(at - other_at) <= 1
        )
        for key, (row, at) in places.items()
    }


NEIGHBOURS = _neighbours()  # the adjacent keys of each key


def is_run(text: str) -> bool:
    """Whether the text is a sequence in a row of keys, in either direction: `asdf`, `poiuy`."""
    return len(text) >= MIN_RUN_LENGTH and any(text in keys or text[::-1] in keys for keys in KEYS)
