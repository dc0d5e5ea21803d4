"""A large file while the service runs: `audience import` of a CSV file, and exports.

Rows per second by the clock, and the memory of the command, and of the service above idle.
"""

import http.client
import json
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import instances
from bench.rows import MS, Row
from tests.client import basic
from tests.process_memory import Peak
from tests.service import Service, command, environment

COLUMNS = "email,first_name,last_name,tags,plan,age,note,created_at,unsubscribed_at\n"
RATE = "rows/s"


def measure(instance: Path, total: int, _: int) -> list[Row]:
    with TemporaryDirectory() as folder, instances.served(instance) as service:
        file = Path(folder) / "subscribers.csv"
        write(file, total)
        return [*imported(service, file, total), *exported(service, "csv"), *exported(service, "jsonl")]


def write(path: Path, rows: int) -> None:
    with path.open("w") as file:
        file.write(COLUMNS)
        for number in range(rows):
            unsubscribed_at = "2024-05-06T07:08:09.010Z" if number % 10 == 0 else ""
            file.write(
                f'file{number}@example{number % 500}.com,Ann,Lee,"customer, newsletter",'
                f"pro,{number % 90},'=note {number},2023-01-02T03:04:05.678Z,{unsubscribed_at}\n"
            )


def imported(service: Service, file: Path, rows: int) -> list[Row]:
    options = ("--site", service.first["site_uuid"], "--consent", "subscribed", "--json")
    begun = time.perf_counter()
    with subprocess.Popen(
        command("import", str(file), *options), env=environment(service.instance, service.port),
        stdout=subprocess.PIPE, text=True,
    ) as process, Peak(process.pid) as own, Peak(service.process.pid) as served:  # fmt: skip
        outcome = json.loads(process.communicate(timeout=3_600)[0])
    seconds = time.perf_counter() - begun
    if outcome["created"] != rows:
        raise RuntimeError(outcome)
    return [
        Row(what="`audience import` of a CSV file", ours=rows / seconds, unit=RATE),
        Row(what="`audience import` of a CSV file, the command", ours=own.peak_mb, unit="MB"),
        Row(what="`audience import` of a CSV file, the service above idle", ours=served.growth_mb, unit="MB"),
    ]


def exported(service: Service, form: str) -> list[Row]:
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=600)
    head = {"Authorization": basic(service.first["publishable_key"], service.first["secret_key"])}
    with Peak(service.process.pid) as peak:
        began = time.perf_counter()
        connection.request("GET", f"/api/v1/fetch/export?format={form}", headers=head)
        response = connection.getresponse()
        response.read(1)
        first = time.perf_counter() - began
        rows = sum(part.count(b"\n") for part in iter(lambda: response.read(2**20), b""))
        seconds = time.perf_counter() - began
    connection.close()
    if response.status != 200:
        raise RuntimeError(response.status)
    return [
        Row(what=f"export, {form}", ours=rows / seconds, unit=RATE),
        Row(what=f"export, {form}, first byte", ours=first * 1000, unit=MS),
        Row(what=f"export, {form}, the service above idle", ours=peak.growth_mb, unit="MB"),
    ]
