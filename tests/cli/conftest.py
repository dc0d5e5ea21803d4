"""The operator's commands, as typed on the instance of a test."""

import json

import pytest
from click.testing import CliRunner

from app import instance
from audience.cli import audience


@pytest.fixture
def type_(app, settings):
    """Types a command on the instance of `app`; its result."""

    def run(*words, **options):
        return CliRunner().invoke(audience, [str(each) for each in words], obj=instance(settings), **options)

    return run


@pytest.fixture
def run(type_):
    """Runs a command line; its output, or its JSON where the command says so. Fails on another exit code."""

    def invoke(*words, exit_code=0, **options):
        result = type_(*words, **options)
        assert result.exit_code == exit_code, (result.output, result.exception)
        return json.loads(result.stdout) if "--json" in words and not exit_code else result.output

    return invoke
