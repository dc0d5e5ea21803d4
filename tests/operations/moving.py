"""An instance to move, and the command that moves it."""

from click.testing import CliRunner

from app import create_app, instance
from audience.cli.main import audience
from storage import database
from tests.client import FakeLimiter, FakeProcesses, FakeQueue

PEOPLE = [
    {"email": f"p{n}@firm{n % 7}.example", "first_name": "Ünï" if n % 3 else "", "tags": ["a", f"t{n % 5}"],
     "fields": {"plan": "pro", "n": n / 2, "many": [1, "x", True, None], "big": 2**60 + n,
                "huge": [1e23, -1e23, 1e300, 2.0**63, -(2.0**63), 2**63 - 1, -(2**63), 1e-300][n % 8]}}
    for n in range(1_000)
]  # fmt: skip


def opened(settings):
    return create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())


def command(settings, *words, status=0):
    database.close()
    result = CliRunner().invoke(audience, ["move", *words], obj=instance(settings))
    assert result.exit_code == status, (result.output, result.exception)
    return result
