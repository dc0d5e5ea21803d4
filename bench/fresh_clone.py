"""Seconds from `make run` to the first response, in a fresh clone and on the second run."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from tests.service import environment, free_port, port_answers, until

ROOT = Path(__file__).parent.parent


def seconds_to_response(clone: Path, port: int) -> float:
    settings = environment(clone / "instance", port, PIP_NO_CACHE_DIR="1", AUDIENCE_LOG_LEVEL="warning")
    start = time.perf_counter()
    with subprocess.Popen(["make", "run"], cwd=clone, env=settings, start_new_session=True) as running:
        try:
            until(lambda: port_answers(port), 600)
            return time.perf_counter() - start
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGINT)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        clone, port = Path(folder) / "audience", free_port()
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        first = seconds_to_response(clone, port)
        second = seconds_to_response(clone, port)
    print(f"\nfresh clone, empty caches: {first:.1f} s to the first response; second run: {second:.1f} s")


if __name__ == "__main__":
    main()
