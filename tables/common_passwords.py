# ruff: noqa: SIM905
"""Writes `audience/data/operators/common_passwords.txt`: long passwords that are guessed first.

No list is downloaded. What people choose when a rule asks for more characters is well known: a word with
digits or a year behind it, two words, a walk over the keyboard, a run of digits, a sentence. `WORDS` are
those that lead the published counts of leaked passwords; the rule makes the long forms of them.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

FILE = Path(__file__).parent.parent / "audience" / "data" / "operators" / "common_passwords.txt"
MIN_LENGTH, MAX_WALK = 12, 26

WORDS = (
    "admin administrator audience baseball batman changeme charlie company computer console default dragon "
    "family football freedom hello internet jordan liverpool london login master michael monkey mustang "
    "newsletter operator passw0rd password pokemon princess qwerty secret security shadow starwars summer "
    "winter spring autumn sunshine superman system temporary test trustno1 user welcome whatever"
).split()
YEARS = range(2015, 2031)
DIGITS = "1 12 123 1234 12345 123456 1234567 12345678 123456789 1234567890 321 007 111 000 666 777".split()
SIGNS = "! 1! 123! @123 #123 _123 !@# !@#$ abc abc123 qwerty".split()
ENDINGS = ["", *DIGITS, *SIGNS, *(f"{before}{year}{after}" for year in YEARS for before, after in
                                  (("", ""), ("", "!"), ("@", "")))]  # fmt: skip
WALKS = "1234567890 qwertyuiop qwertzuiop azertyuiop asdfghjkl zxcvbnm abcdefghijklmnopqrstuvwxyz".split()
BLOCKS = "123 1234 12345 123456 abc abc123 123abc qwe qwerty asd 1q2w3e4r".split()
STEMS = [*WALKS, *"iloveyou letmein qazwsx 1qaz2wsx 123qwe 123qweasd 123qweasdzxc abc asd qwe".split()]
CHARACTERS = "0123456789abcdefghijklmnopqrstuvwxyz*.-!"
SENTENCES = (
    "iloveyou1234 iloveyouforever iloveyousomuch letmeinplease letmein12345 thisismypassword mypassword123 "
    "mypassword1234 correcthorsebatterystaple nopassword123 whatisthepassword ihatepasswords opensesame123 "
    "1qaz2wsx3edc 1qaz2wsx3edc4rfv 1q2w3e4r5t6y q1w2e3r4t5y6 qazwsxedcrfv zaq12wsxcde3"
).split()


def passwords() -> Iterator[str]:
    yield from SENTENCES
    yield from (word + ending for word, ending in product(WORDS, ENDINGS))
    yield from (word + word + ending for word, ending in product(WORDS, ENDINGS))
    yield from (first + second for first, second in product(WORDS, WORDS))
    yield from (first + second for first, second in product(WALKS, WALKS))
    yield from (stem + ending for stem, ending in product(STEMS, ENDINGS))
    for keys, length in product(WALKS, range(MIN_LENGTH, MAX_WALK + 1)):
        yield from ((keys * 4)[:length], (keys[::-1] * 4)[:length])
    yield from (one * length for one, length in product(CHARACTERS, range(MIN_LENGTH, 21)))
    yield from (block * times for block, times in product(BLOCKS, range(2, 9)))


def main() -> None:
    chosen = sorted({each for each in passwords() if len(each) >= MIN_LENGTH})
    FILE.write_text("".join(f"{each}\n" for each in chosen), "utf-8")
    print(f"{FILE.name}: {len(chosen)} passwords")


if __name__ == "__main__":
    main()
