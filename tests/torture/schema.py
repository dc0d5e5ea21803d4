"""Requests that schemathesis makes from the served description, for every operation and link.

No 5xx, no answer that the description lacks, and no 401 to a good key.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from random import Random

import pytest

from tests.client import basic
from tests.torture.world import ROOT, opened_world

SHORT, LONG, UNIT = 1, 10, "rounds"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
OWN_CHECKS, OWN_CHECK = "tests.torture.schema_checks", "good_key_is_known"
QUICK = ("--phases", "examples,fuzzing,stateful", "--max-examples", "25")  # about 2,000 requests
WHOLE = ("--max-examples", "12")  # with every bound of every schema, about 11,000


@contextmanager
def opened(short: bool) -> Iterator[object]:
    if not find_spec("schemathesis"):
        pytest.skip("needs schemathesis")
    with opened_world() as world:
        first = world.service.first
        key = basic(first["publishable_key"], first["secret_key"])
        own = {"SCHEMATHESIS_HOOKS": OWN_CHECKS, "TORTURE_KEY": key, "PYTHONPATH": str(ROOT)}

        def attack(number: int, chance: Random) -> dict[str, float]:
            words = [
                sys.executable, "-m", "schemathesis.cli", "run", f"http://127.0.0.1:{world.service.port}/api/openapi.json",
                "--header", f"Authorization: {key}", "--checks", f"{CHECKS},{OWN_CHECK}",
                "--seed", str(chance.randrange(2**31)), "--generation-database", "none", "--no-color",
                *(QUICK if short else WHOLE),
            ]  # fmt: skip
            run = subprocess.run(
                words,
                cwd=world.instance.parent,
                env=os.environ | own,
                capture_output=True,
                text=True,
                check=False,
            )
            assert run.returncode == 0, f"{run.stdout[-6_000:]}{run.stderr[-1_000:]}"
            made = re.findall(r"(\d+) generated", run.stdout)
            return {"requests": sum(map(float, made))}

        yield attack
