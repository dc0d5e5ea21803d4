"""The operator's commands, run on the instance of a test."""

import json

import pytest
from click.testing import CliRunner

from audience.cli import audience
from audience.cli.instance import Instance


@pytest.fixture
def run(app, settings):
    """Runs a command line; its output, or its JSON where the command says so. Fails on another exit code."""

    def invoke(*arguments, exit_code=0, **options):
        result = CliRunner().invoke(
            audience, [str(each) for each in arguments], obj=Instance(settings, lambda: None), **options
        )
        assert result.exit_code == exit_code, (result.output, result.exception)
        return json.loads(result.stdout) if "--json" in arguments and not exit_code else result.output

    return invoke
