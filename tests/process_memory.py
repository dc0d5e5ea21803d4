"""The memory of a process and all below it, without counting shared pages twice."""

import threading
from pathlib import Path
from types import TracebackType

POLL_SECONDS = 0.1


def pss_mb(pid: int) -> float:
    """The proportional set size of a process and its descendants in MB; processes that end count as 0."""
    total = 0.0
    for each in (pid, *below(pid)):
        try:
            lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0)
    return total


def below(pid: int) -> list[int]:
    """The ids of a process's descendants."""
    listed: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            listed += [int(child), *below(int(child))]
    return listed


class Peak:
    """Samples the memory of a process during a block. `growth_mb` is the peak less that at the start."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._sample)
        self.idle_mb = self.peak_mb = pss_mb(pid)

    @property
    def growth_mb(self) -> float:
        return self.peak_mb - self.idle_mb

    def __enter__(self) -> "Peak":
        self._thread.start()
        return self

    def __exit__(
        self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._end.wait(POLL_SECONDS):
            self.peak_mb = max(self.peak_mb, pss_mb(self._pid))
