"""Mixed requests over many connections: no error, hardly a 503, and after a while no more memory.

Whoever is answered with 503 waits as long as it says.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from tests.process_memory import pss_mb
from tests.torture.world import opened_world

SHORT, LONG, UNIT = 3, 1_080, "stretches of 10 s"
SECONDS, CONNECTIONS = 10.0, 32
WARM, WARM_SHORT = 30, 1  # stretches of a service, after which its memory is held to a limit
MAX_GROWTH_MB = 60.0
MAX_BUSY = 0.01  # of the answers: now and then one of the two web processes has most of the writers


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_world({"AUDIENCE_WEB_WORKERS": "2"}) as world:  # as by default
        world.is_patient, memories = True, list[float]()
        warm = WARM_SHORT if short else WARM

        def attack(number: int, chance: Random) -> dict[str, float]:
            with world.clients_at_work(f"s{number}", chance, CONNECTIONS):
                threading.Event().wait(SECONDS)
            answers = world.ledger.statuses
            assert set(answers) <= {"200", "201", "503"}, dict(answers)
            busy = answers["503"] / answers.total()
            assert busy < MAX_BUSY, f"{busy:.1%} of the answers are 503"
            memory = pss_mb(world.service.process.pid)
            memories.append(memory)
            figures = {"p99 ms": world.take_p99_ms(), "MB": memory, "of them 503": answers["503"]}
            if len(memories) > warm:
                figures["MB grown"] = grown = memory - memories[warm - 1]
                assert grown < MAX_GROWTH_MB, f"{grown:.0f} MB more than after {warm * SECONDS:.0f} s"
            if short or number % WARM == WARM - 1:
                world.check()
            return figures

        yield attack
