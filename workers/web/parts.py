"""What the processes of the web server use: their connection to Redis with all that needs it, metrics,
threads and gates.
"""

from typing import NamedTuple

from audience.config import Settings
from audience.protocols import Metrics
from workers import embedded_redis, metrics
from workers.gate import Gates, gates
from workers.limiter import Limiter
from workers.processes import Processes
from workers.queue import ImportQueue
from workers.redis_client import CircuitBreaker, connect
from workers.web.threads import Threads


class Parts(NamedTuple):
    import_queue: ImportQueue
    limiter: Limiter
    processes: Processes
    metrics: Metrics
    threads: Threads
    gates: Gates


def parts(settings: Settings) -> Parts:
    """The parts of a web process. Call it in the process that uses them: they cannot be shared."""
    threads = Threads(settings.web_threads)
    breaker = CircuitBreaker(connect(embedded_redis.url(settings)))
    return Parts(
        ImportQueue(breaker),
        Limiter(breaker),
        Processes(settings, breaker),
        metrics.start(settings.instance),
        threads,
        gates(settings.web_threads, threads),
    )
