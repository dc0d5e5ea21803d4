"""Commands, as an operator types them."""

import pytest
from click.testing import CliRunner

from app import instance
from audience.cli import audience


@pytest.fixture
def type_(app, settings):
    """Types a command on the instance of `app`; its result."""

    def run(*words, **options):
        return CliRunner().invoke(audience, words, obj=instance(settings), **options)

    return run
