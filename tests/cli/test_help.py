"""Every command explains itself with an example, and prints JSON for programs."""

import shlex

import click
import pytest

import app

RUN_UNTIL_STOPPED = {("serve",), ("web",), ("worker",)}
ALWAYS_JSON = {("person", "export")}


def commands(group, path=()):
    for name, command in sorted(group.commands.items()):
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield pytest.param(command, (*path, name), id=" ".join((*path, name)))


COMMANDS = list(commands(app.audience))


def test_there_are_commands():
    assert len(COMMANDS) > 20


@pytest.mark.parametrize(("command", "path"), COMMANDS)
def test_a_command_has_an_example_that_it_understands(command, path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").touch()
    [example] = [line.strip() for line in command.help.splitlines() if line.strip().startswith("Example:")]
    words = shlex.split(example.removeprefix("Example:").partition(">")[0])
    while "=" in words[0]:
        del words[0]
    assert tuple(words[: 1 + len(path)]) == ("audience", *path)
    command.make_context(path[-1], words[1 + len(path) :])


@pytest.mark.parametrize(("command", "path"), COMMANDS)
def test_a_command_says_what_it_does_and_what_its_options_mean(command, path):
    assert len(command.help.partition("\n")[0]) > 10
    for option in command.params:
        if isinstance(option, click.Option) and option.type.name not in ("choice", "integer range"):
            assert option.help, option.name


@pytest.mark.parametrize(("command", "path"), COMMANDS)
def test_a_command_prints_json_when_asked(command, path):
    named = {word for option in command.params for word in option.opts}
    assert ("--json" in named) is (path not in RUN_UNTIL_STOPPED | ALWAYS_JSON)
