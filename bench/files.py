"""`python -m bench.files`: importing and exporting a large file while the service runs.

Prints the rows per second of `audience import` and of exports, the time to the first byte of an export, and
the resident memory (MB) of the command, the web processes and the worker at each tenth of the run.
"""

import argparse
import base64
import http.client
import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench import instances
from tests.service import Service, command, environment

POLL_SECONDS = 0.25
COLUMNS = "email,first_name,last_name,tags,plan,age,note,created_at,unsubscribed_at\n"


def write_file(path: Path, subscribers: int) -> None:
    with path.open("w") as file:
        file.write(COLUMNS)
        for number in range(subscribers):
            unsubscribed_at = "2024-05-06T07:08:09.010Z" if number % 10 == 0 else ""
            file.write(
                f'person{number}@example{number % 500}.com,Ann,Lee,"customer, newsletter",'
                f"pro,{number % 90},'=note {number},2023-01-02T03:04:05.678Z,{unsubscribed_at}\n"
            )


def resident_mb(pid: int) -> float:
    """Resident memory in MB; 0 for a process that has exited."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


@dataclass
class Watch:
    """Samples resident memory (MB) by name while `running`."""

    pids: dict[str, list[int]]
    samples: dict[str, list[float]] = field(default_factory=dict)

    @contextmanager
    def running(self) -> Iterator[None]:
        stop = threading.Event()
        thread = threading.Thread(target=self._sample, args=(stop,))
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def _sample(self, stop: threading.Event) -> None:
        while not stop.wait(POLL_SECONDS):
            for name, pids in self.pids.items():
                size = max(map(resident_mb, pids), default=0.0)
                if size:
                    self.samples.setdefault(name, []).append(size)

    def curve(self, name: str) -> list[int]:
        samples = self.samples.get(name, [0.0])
        return [round(samples[(len(samples) - 1) * tenth // 10]) for tenth in range(11)]


def watch_service(service: Service, **more: list[int]) -> Watch:
    web = service.processes("app web")
    return Watch({"web": web, "worker": service.processes("app worker"), **more})


def import_file(service: Service, file: Path) -> tuple[float, dict[str, object], Watch]:
    start = time.perf_counter()
    process = subprocess.Popen(
        command(
            "import", str(file), "--site", service.first["site_uuid"], "--consent", "subscribed", "--json"
        ),
        env=environment(service.instance, service.port),
        stdout=subprocess.PIPE,
        text=True,
    )
    watch = watch_service(service, command=[process.pid])
    with watch.running():
        output, _ = process.communicate(timeout=3600)
    return time.perf_counter() - start, json.loads(output), watch


def export_file(service: Service, form: str) -> tuple[float, float, int, Watch]:
    """(seconds to the first byte, seconds in total, bytes, memory)"""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=600)
    keys = f"{service.first['publishable_key']}:{service.first['secret_key']}"
    head = {"Authorization": "Basic " + base64.b64encode(keys.encode()).decode()}
    watch, size = watch_service(service), 0
    with watch.running():
        start = time.perf_counter()
        connection.request("GET", f"/api/v1/fetch/export?format={form}", headers=head)
        response = connection.getresponse()
        size += len(response.read(1))
        first = time.perf_counter() - start
        while chunk := response.read(2**20):
            size += len(chunk)
        seconds = time.perf_counter() - start
    connection.close()
    return first, seconds, size, watch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subscribers", type=int, default=1_000_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        instances.served(Path(folder) / "instance") as service,
    ):
        file = Path(folder) / "subscribers.csv"
        write_file(file, options.subscribers)
        seconds, outcome, watch = import_file(service, file)
        if outcome["created"] != options.subscribers:
            raise SystemExit(f"the import failed: {outcome}")
        memory = {f"import, {name}": watch.curve(name) for name in watch.samples}
        figures = {"file_mb": file.stat().st_size / 2**20, "import_rows_per_s": options.subscribers / seconds}
        for form in ("csv", "jsonl"):
            first, seconds, size, watch = export_file(service, form)
            memory |= {f"export {form}, {name}": watch.curve(name) for name in watch.samples}
            figures |= {
                f"export_{form}_rows_per_s": options.subscribers / seconds,
                f"export_{form}_first_byte_ms": first * 1000,
                f"export_{form}_mb": size / 2**20,
            }
    if options.json:
        print(json.dumps({"subscribers": options.subscribers, **figures, "memory_mb": memory}))
        return
    print(f"{options.subscribers:,} subscribers, {os.cpu_count()} cores\n")
    for name, figure in figures.items():
        print(f"{name:30}{figure:12,.1f}")
    print(f"\n{'resident memory, MB':24}" + "".join(f"{tenth * 10:5}%" for tenth in range(11)))
    for name, curve in memory.items():
        print(f"{name:24}" + "".join(f"{size:6}" for size in curve))


if __name__ == "__main__":
    main()
