"""The files of `deploy/` that can be read or run here."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

DEPLOY = Path(__file__).parent.parent / "deploy"
ENVIRONMENT = """
# a comment
AUDIENCE_PORT=8001
AUDIENCE_BACKUP_COMMAND="rclone copy $BACKUP_FILE offsite:a"
AUDIENCE_DATABASE_URL='postgresql://audience@db/a?b=c'
PATH=/nowhere
"""


@pytest.fixture
def wrapper(tmp_path):
    """The command of deploy/, whose program prints its arguments and settings."""
    program, variables, command = (tmp_path / name for name in ("program", "audience.env", "audience"))
    program.write_text('#!/bin/sh\necho "$@"\nenv | grep ^AUDIENCE_ | sort\n')
    variables.write_text(ENVIRONMENT)
    text = (DEPLOY / "audience").read_text("utf-8")
    for ours, here in (
        ("/opt/audience/.venv/bin/audience", program),
        ("/etc/audience.env", variables),
        ("!= audience ]", f"!= {os.environ.get('USER', 'root')} ]"),
    ):
        assert ours in text
        text = text.replace(ours, str(here))
    command.write_text(text)
    for file in (program, command):
        file.chmod(0o755)
    return command


def test_the_command_has_what_the_unit_has(wrapper):
    variables = {"PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [wrapper, "site", "create", "My news"], env=variables, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "site create My news",
        "AUDIENCE_BACKUP_COMMAND=rclone copy $BACKUP_FILE offsite:a",
        "AUDIENCE_DATABASE_URL=postgresql://audience@db/a?b=c",
        "AUDIENCE_INSTANCE=/var/lib/audience",
        "AUDIENCE_PORT=8001",
    ]


def test_compose_with_postgresql_names_what_it_uses_and_the_version_of_the_images_programs():
    alone, beside = (
        yaml.safe_load((DEPLOY / name).read_text("utf-8"))
        for name in ("compose.yaml", "compose.postgresql.yaml")
    )
    services = beside["services"]
    assert alone["services"].keys() == {"audience"} < services.keys()
    used = {secret for service in services.values() for secret in service["secrets"]}
    assert used == beside["secrets"].keys()
    [version] = re.findall(r"postgresql-client-([0-9]+)", (DEPLOY / "Dockerfile").read_text("utf-8"))
    assert services["database"]["image"].startswith(f"postgres:{version}-")
