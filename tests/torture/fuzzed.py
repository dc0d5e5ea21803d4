"""`python -m tests.torture.fuzzed READER SECONDS SEED FOLDER`: texts that reach new code, by atheris."""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["audience", "schemas"]):
    from tests.torture import parsers

SLOW_SECONDS = 5


def main(name: str, seconds: str, seed: str, folder: str) -> None:
    known = Path(folder) / "known"
    known.mkdir()
    for number, text in enumerate(parsers.texts(name)):
        (known / str(number)).write_bytes(text)
    options = [
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-timeout={SLOW_SECONDS}",
        f"-max_len={parsers.MAX_BYTES}",
    ]
    atheris.Setup([name, *options, f"-artifact_prefix={folder}/", str(known)], parsers.reader(name))
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
