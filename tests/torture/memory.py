"""Many bodies and files at once that are cheap to send and costly to read: the service stays small.

There are more bodies than may wait to be parsed. Of those too small to be counted, there are as many as
threads.
"""

import io
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random

from tests.process_memory import Peak
from tests.service import until
from tests.torture.load import BRACKETS, MIB, Load
from tests.torture.world import opened_world

MAX_GROWTH_MB = 300.0
SHEET = "xl/worksheets/sheet1.xml"
JSON, CSV, LINES = "application/json", "text/csv", "application/x-ndjson"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

AT_ONCE = {JSON: 24, CSV: 8, LINES: 8, XLSX: 8}
SMALL, SMALL_AT_ONCE = MIB, 64


def items(unit: bytes, size: int = 8 * MIB) -> bytes:
    """A batch whose items are all `unit`."""
    return b'{"subscribers": [' + b",".join([unit] * ((size - 40) // (len(unit) + 1))) + b"]}"


def bomb(size: int) -> bytes:
    """A workbook that unpacks to `size` bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr(SHEET, b"<row>" + b" " * size)
    return packed.getvalue()


BATCH, EVENTS = "/batch/subscribers", "/batch/events"
FILE = "/batch/imports?consent=subscribed"
ONE = b'{"subscribers": [{"email": "a@b.example", "x": "'
SHAPES = (
    (BATCH, JSON, 200, ONE + b"y" * (7 * MIB) + b'"}]}'),
    (BATCH, JSON, 400, items(b'{"email":"a@b.example"}')),
    (BATCH, JSON, 400, items(b'{"a":{}}')),
    (BATCH, JSON, 400, BRACKETS),
    (BATCH, JSON, 200, ONE + b"\\u0000" * (MIB + MIB // 4) + b'"}]}'),
    (BATCH, JSON, 400, b'{"subscribers": ' + b"[" * (7 * MIB)),
    (BATCH, JSON, 400, b'{"subscribers": [' + b"1" * (7 * MIB) + b"]}"),
    (EVENTS, JSON, 400, items(b'{"email":"a@b.example","type":"x"}').replace(b"subscribers", b"events")),
    (FILE, CSV, 422, b"email,x\n" + b"a@b.example," + b"y" * (32 * MIB)),
    (FILE, CSV, 422, b"email\n" + b'"' + b"\n" * (16 * MIB)),
    (FILE, CSV, 422, b"," * (8 * MIB)),
    (FILE, CSV, 200, b"email,x\n" + b"p@b.example,1\n" * (MIB // 2)),
    (FILE, LINES, 422, b'{"email": "a@b.example", "x": ' + b"[" * (8 * MIB)),
    (FILE, LINES, 200, b'{"email": "a@b.example"}\n' * (MIB // 4)),
    (FILE, XLSX, 422, bomb(256 * MIB)),
    (BATCH, JSON, 422, items(b'{"a":1}', SMALL)),
)  # fmt: skip
BUSY, MAY_WAIT = 503, (JSON, XLSX)  # of these, too many may wait to be parsed
SHORT, LONG = 6, len(SHAPES)
UNIT = "shapes"


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_world() as world:
        load = Load(world.service)

        def attack(number: int, chance: Random) -> dict[str, float]:
            path, media_type, status, body = SHAPES[3 * number if short else number]
            at_once = SMALL_AT_ONCE if len(body) <= SMALL else AT_ONCE[media_type]
            with Peak(world.service.process.pid) as peak, ThreadPoolExecutor(at_once) as pool:
                sent = [pool.submit(load.send, body, len(body), path, media_type) for _ in range(at_once)]
                statuses = {each.result() for each in sent}
            assert status in statuses, statuses
            assert statuses <= ({status, BUSY} if media_type in MAY_WAIT else {status}), statuses
            assert peak.growth_mb < MAX_GROWTH_MB, f"{peak.growth_mb:.0f} MB above {peak.idle_mb:.0f} MB"
            until(lambda: world.is_drained(), 300)
            return {"MB above idle": peak.growth_mb}

        yield attack
