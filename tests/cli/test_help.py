"""Every command has help with an example, and can print JSON."""

import shlex

import click
import pytest

import app

RUN_UNTIL_STOPPED = {("serve",), ("web",), ("worker",)}
ALWAYS_JSON = {("api",), ("subscriber", "export")}


def commands(group, path=()):
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield command, (*path, name)


COMMANDS = list(commands(app.audience))


def test_commands_exist():
    assert len(COMMANDS) > 20


def test_a_command_has_a_valid_example(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").touch()
    for command, path in COMMANDS:
        lines = [line.strip() for line in command.help.splitlines()]
        [example] = [line for line in lines if line.startswith("Example:")]
        words = shlex.split(example.removeprefix("Example:").partition(">")[0])
        while "=" in words[0]:
            del words[0]
        assert tuple(words[: 1 + len(path)]) == ("audience", *path)
        command.make_context(path[-1], words[1 + len(path) :])


def test_a_command_and_its_options_have_help():
    for command, path in COMMANDS:
        assert len(command.help.partition("\n")[0]) > 10, path
        for option in command.params:
            if isinstance(option, click.Option) and option.type.name not in ("choice", "integer range"):
                assert option.help, (path, option.name)


def test_a_command_prints_json_on_request():
    options = {
        path: {word for option in command.params for word in option.opts} for command, path in COMMANDS
    }
    without = {path for path, words in options.items() if "--json" not in words}
    assert without == RUN_UNTIL_STOPPED | ALWAYS_JSON


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (("subscribr",), "Did you mean 'subscriber'?"),
        (("imprt", "people.csv"), "'import', 'imports'"),
        (("serv",), "'serve'"),
        (("subscriber", "lst"), "Did you mean 'list'?"),
        (("xyzzy",), "No such command 'xyzzy'."),
    ],
)
def test_a_mistyped_command_is_told_which_one_is_near(type_, words, meant):
    result = type_(*words)
    assert (result.exit_code, meant in result.stderr) == (2, True)


def test_the_commands_are_listed_in_groups_each_once(type_):
    lines = type_("--help").output.partition("\nBegin:\n")[2].splitlines()
    listed = [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]
    assert listed[0] == "serve"
    assert sorted(listed) == app.audience.list_commands(None)  # type: ignore[arg-type] # as Click calls it
    groups = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert groups[0] == "Subscribers:"
    assert groups[-1] == "The instance:"
