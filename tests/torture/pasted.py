"""`python -m tests.torture.pasted READER;… SECONDS SEED FOLDER`: texts cut and pasted at random."""

import resource
import sys
import time
from collections.abc import Callable
from random import Random

from tests.torture import parsers

SLOW_SECONDS = 5


def main(names: str, seconds: str, seed: str, _folder: str) -> None:
    for name in names.split(";"):
        attack(parsers.reader(name), parsers.texts(name), Random(int(seed)), float(seconds))


def attack(read: Callable[[bytes], None], pool: list[bytes], chance: Random, seconds: float) -> None:
    done, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        text = pasted(pool, chance)
        limit = int(time.process_time()) + 1 + SLOW_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        try:
            read(text)
        except Exception:
            print(f"{text!r}", flush=True)
            raise
        done += 1
    print(f"Done {done} runs")


def pasted(pool: list[bytes], chance: Random) -> bytes:
    pieces = []
    for _ in range(chance.randint(1, 6)):
        text = chance.choice(pool)
        start = chance.randrange(len(text) + 1)
        pieces.append(text[start : start + chance.randint(1, 80)])
        if chance.random() < 0.3:
            pieces.append(chance.randbytes(chance.randint(1, 4)))
    return b"".join(pieces)


if __name__ == "__main__":
    main(*sys.argv[1:])
