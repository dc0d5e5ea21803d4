"""`python -m bench.patterns`: the milliseconds that the worst megabyte costs each pattern and function.

Texts that are cut, or refused, above a length are no longer than that. The goal is `GOAL_MS`.
"""

from tests.worst_inputs import ROWS

GOAL_MS = 100


def main() -> None:
    over = 0
    for name, row in ROWS.items():
        milliseconds = row.milliseconds(name)
        over += milliseconds > GOAL_MS
        print(f"{milliseconds:8.0f} ms  {'>' if milliseconds > GOAL_MS else ' '}  {name}", flush=True)
    print(f"{len(ROWS) - over} of {len(ROWS)} within {GOAL_MS} ms per MB")


if __name__ == "__main__":
    main()
