"""Whether the time of an answer tells who is on the list: `python -m bench.more.sign_up_pairs`.

The second request of a sign-up, of an address that is on the list and of one that is not, and beside them of
two that are not: four at a time, in an order by chance. The ratio of the medians is to be within 3 %, or
within that of the two that are equal.
"""

import argparse
import random
import tempfile
from pathlib import Path
from statistics import median

from bench import instances, load, machine, people
from bench.more import sign_ups

KINDS = ON, OFF, SAME, EQUAL = ("on the list", "not", "not, A", "not, B")
WARM, GOAL = 50, 0.03


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=1_000)
    options.add_argument("--subscribers", type=int, default=100_000)
    chosen = options.parse_args()
    print(machine.facts())
    number, chance = chosen.pairs + WARM, random.Random(3)
    with tempfile.TemporaryDirectory() as folder:
        instances.make(Path(folder), chosen.subscribers)
        [(site, form)] = sign_ups.open_forms(Path(folder), 1)
        with sign_ups.served(Path(folder)) as service, instances.open_instance(Path(folder)):
            times: dict[str, list[float]] = {kind: [] for kind in KINDS}
            for pair, network in enumerate(sign_ups.networks(number)):
                for kind in chance.sample(KINDS, len(KINDS)):
                    at = KINDS.index(kind)
                    email = people.email(pair if kind == ON else chosen.subscribers + pair * len(KINDS) + at)
                    load.send(service.port, [sign_ups.send(site, form, email, network)], times[kind])
    medians = {kind: median(found[WARM:]) * 1000 for kind, found in times.items()}
    ratio, same = medians[ON] / medians[OFF], medians[SAME] / medians[EQUAL]
    print(", ".join(f"{kind} {ms:.3f} ms" for kind, ms in medians.items()))
    is_met = abs(ratio - 1) <= max(GOAL, abs(same - 1))
    print(
        f"{chosen.pairs:,} pairs: {ratio:.3f}, two that are equal {same:.3f} "
        f"(goal 0.97 to 1.03, or within those): {'met' if is_met else 'missed'}"
    )


if __name__ == "__main__":
    main()
