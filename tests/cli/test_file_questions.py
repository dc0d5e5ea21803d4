"""What a file leaves open, at the command line: asked on a terminal, else refused with commands to copy."""

import shlex

import pytest

from audience.cli import file_questions

TEXT = "email,state,joined_at\nann@example.com,ok,01/02/2023\nbob@example.com,gone,\ncy@example.com,,\n"

EITHER = "--subscribed or --unsubscribed or --unconfirmed"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "my people.csv"
    path.write_text(TEXT)
    return path


def test_without_a_terminal_it_ends_with_2_and_commands_to_copy(type_, client, file):
    file.write_text("email,Status\nann@example.com,active\nbob@example.com,unsubscribed\n")
    words = ("import", file, "--site", client.site.uuid, "--tag", "old list")
    result = type_(*words, asked=True)
    assert result.exit_code == 2
    assert "2 Status: active (1), unsubscribed (1)" in result.output
    lines = [line.strip() for line in result.output.splitlines() if line.startswith("  audience ")]
    assert [shlex.split(line)[-1] for line in lines[:3]] == ["subscribed", "unsubscribed", "unconfirmed"]
    assert type_(*shlex.split(lines[3])[1:], asked=True).exit_code == 0
    assert client.counts() == (2, 1, 1)
    assert len(client.get("/fetch/tags").json["data"]) == 1


def test_a_dry_run_is_answered_by_a_dry_run(type_, client, file):
    result = type_("import", file, "--site", client.site.uuid, "--dry-run", asked=True)
    lines = [line.strip() for line in result.output.splitlines() if line.startswith("  audience ")]
    assert lines
    assert all("--dry-run" in line for line in lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("LEID,My Mail\n1,ann@example.com\n", ["--map", "2=email"]),
        ("ann@example.com,x\nbob@example.com,y\n", ["--no-header", "--map", "1=email"]),
    ],
)
def test_a_column_of_addresses_is_asked_for_together_with_all_else(type_, client, file, text, words):
    file.write_text(text)
    result = type_("import", file, "--site", client.site.uuid, asked=True)
    assert result.exit_code == 2
    assert "Who in this file may be written to?" in result.output
    assert shlex.join(words) in result.output
    told = ("--consent", "subscribed", *words)
    assert type_("import", file, "--site", client.site.uuid, *told).exit_code == 0
    assert client.find("ann@example.com") is not None


def test_the_commands_to_copy_answer_all_that_is_asked(type_, client, file):
    """Ready where there is one answer; where there are several, refused until one is chosen."""
    file.write_text(
        "My list\n\nName,Wohin,Status\nAnn,ann@example.com,active\nBo,bo@example.com,unsubscribed\n"
    )
    output = type_("import", file, asked=True).output
    commands = [shlex.split(line)[1:] for line in output.splitlines() if line.startswith("  audience ")]
    assert len(commands) == 4
    assert type_(*commands[3], asked=True).exit_code == 0
    assert client.counts() == (2, 1, 1)
    file.write_bytes("email,created_at\nann@example.com,01/02/2023\ncy@example.com,já\n".encode("cp1250"))
    output = type_("import", file, asked=True).output
    [first, *_] = [shlex.split(line)[1:] for line in output.splitlines() if line.startswith("  audience ")]
    assert "Where a command says `or`, keep only one" in output
    assert first[first.index("--dates") + 1] == "dmy or mdy"
    assert type_(*first, asked=True).exit_code == 2
    told = [word.partition(" or ")[0] for word in first]
    assert type_(*told, asked=True).exit_code == 0


def test_on_a_terminal_it_asks(type_, client, file, monkeypatch):
    monkeypatch.setattr(file_questions, "is_terminal", lambda: True)
    typed = ["4", "2", "subscribed", "unsubscribed", "unconfirmed"]
    words = ("import", file, "--site", client.site.uuid, "--map", "joined_at=created_at", "--dates", "dmy")
    result = type_(*words, asked=True, input="".join(f"{line}\n" for line in typed))
    assert result.exit_code == 0, result.output
    assert "2 state: ok (1), gone (1), blank (1)" in result.output
    assert client.counts() == (3, 1, 2)


def test_other_questions_are_asked_there_too(type_, client, file, monkeypatch):
    monkeypatch.setattr(file_questions, "is_terminal", lambda: True)
    words = ("import", file, "--site", client.site.uuid, "--map", "joined_at=created_at")
    result = type_(*words, asked=True, input="1\ndates=dmy\n")
    assert result.exit_code == 0, result.output
    assert client.counts() == (3, 3, 0)
    assert client.find("ann@example.com")["attributes"]["created_at"][:10] == "2023-02-01"


def test_json_asks_nothing(type_, client, file, monkeypatch):
    monkeypatch.setattr(file_questions, "is_terminal", lambda: True)
    result = type_("import", file, "--site", client.site.uuid, "--json", asked=True)
    assert result.exit_code == 2


def test_the_line_that_an_import_prints_answers_for_the_next_file(type_, client, file):
    told = ("--subscribed", "ok", "--unsubscribed", "gone", "--unconfirmed", "")
    words = ("import", file, "--site", client.site.uuid)
    output = type_(*words, "--consent-column", "state", *told, asked=True).output
    [line] = [each for each in output.splitlines() if each.startswith("Answers for the next file")]
    assert type_(*words, *shlex.split(line)[-2:], asked=True).exit_code == 0
    file.write_text(TEXT.replace("gone", "moved"))
    again = type_(*words, *shlex.split(line)[-2:], asked=True)
    assert again.exit_code == 2
    assert "`date` stands for all dates. Found in `state`: `moved` (1)." in again.output
    assert "This file was imported before" not in again.output


def test_the_line_of_a_file_without_a_header_answers_for_it_again(type_, client, file):
    file.write_text("ann@example.com\nbob@example.com\n")
    told = ("--consent", "subscribed", "--no-header", "--map", "1=email")
    output = type_("import", file, *told, asked=True).output
    [line] = [each for each in output.splitlines() if each.startswith("Answers for the next file")]
    file.write_text("cy@example.com\ndee@example.com\n")
    assert type_("import", file, *shlex.split(line)[-2:], asked=True).exit_code == 0
    assert client.counts() == (4, 4, 0)


def test_the_column_whose_words_tell_most_is_suggested(type_, client, file):
    file.write_text(
        "email,status,unsubscribed_at\na@example.com,active,\nb@example.com,unsubscribed,2024-05-06\n"
        "c@example.com,unconfirmed,\n"
    )
    asked = type_("import", file, asked=True)
    assert asked.exit_code == 2
    suggested = asked.output.partition("suggest")[2]
    assert "--consent-column status --subscribed active" in suggested
    assert "--unconfirmed unconfirmed" in suggested


def test_a_file_that_was_imported_before_is_told(type_, client, file):
    words = ("import", file, "--site", client.site.uuid, "--consent", "subscribed")
    type_(*words)
    assert "This file was imported before, as import 1, " in type_(*words).output


def test_a_column_is_mapped_once(type_, client, file):
    words = ("import", file, "--site", client.site.uuid, "--consent", "subscribed", "--map", "state=ignore")
    for column, code in (("state", 2), ("2", 1), ("State", 1)):
        result = type_(*words, "--map", f"{column}=field:x")
        assert result.exit_code == code
        assert "`--map` gives a column two meanings" in result.output
    assert type_(*words, "--map", "2=ignore", "--unread-dates", "ignore", "--dates", "dmy").exit_code == 0


@pytest.mark.parametrize(
    "words",
    [("--consent", "unsubscribed", "--consent", "subscribed"), ("--dates", "dmy", "--dates", "mdy"),
     ("--consent-column", "2", "--subscribed", "ok", "--subscribed", "", "--consent-column", "state")],
)  # fmt: skip
def test_an_option_is_given_once(type_, client, file, words):
    result = type_("import", file, "--site", client.site.uuid, *words, asked=True)
    assert result.exit_code == 2
    assert f"{words[0]}: This parameter is in the request several times: send it once." in result.output
    assert client.counts() == (0, 0, 0)


def test_answers_that_say_who_are_not_answered_over(type_, client, file):
    file.write_text("email,plan\nann@example.com,a\n")
    line = "consent=unsubscribed&seen=email&seen=plan"
    words = ("import", file, "--site", client.site.uuid, "--answers", line)
    result = type_(*words, "--consent", "subscribed", asked=True)
    assert result.exit_code == 1
    assert "`--answers` already says who" in result.output
    assert type_(*words, asked=True).exit_code == 0
    assert client.counts() == (1, 0, 1)


def test_very_many_headers_are_answered_by_their_digest(type_, client, file):
    file.write_text(f"email,{','.join(f'c{n}' for n in range(250))}\nann@example.com{',x' * 250}\n")
    words = ("import", file, "--site", client.site.uuid, "--answers", "consent=subscribed&seen_digest=0")
    result = type_(*words, asked=True)
    assert result.exit_code == 2
    digest = result.output.partition("--seen-digest ")[2].partition("`")[0]
    assert type_(*words, "--seen-digest", digest, asked=True).exit_code == 0
    assert client.counts() == (1, 1, 0)


def copied(output):
    return [shlex.split(line)[1:] for line in output.splitlines() if line.startswith("  audience ")]


def chosen(words, state):
    return [f"--{state}" if " or --" in word else word for word in words]


def test_the_suggested_command_leaves_no_value_out(type_, client, file):
    file.write_text(
        "email,Stato iscrizione\na@example.com,iscritto\nb@example.com,in forse\nc@example.com,\n"
    )
    output = type_("import", file, asked=True).output
    command = copied(output)[-1]
    assert command[-6:] == [
        "--subscribed", "iscritto", EITHER, "in forse", EITHER, "",
    ]  # fmt: skip
    assert "Where a command says `or`, keep only one" in output
    assert type_(*command, asked=True).exit_code == 2
    assert type_(*chosen(command, "unsubscribed"), asked=True).exit_code == 0
    assert client.counts() == (3, 1, 2)


def test_values_that_are_not_told_are_asked_for_with_a_command_to_copy(type_, client, file):
    file.write_text("email,state,x\na@example.com,subscribed,1\nb@example.com,cold,\nc@example.com,gone,\n")
    told = ("--consent-column", "state", "--unsubscribed", "gone", "--tag", "old")
    output = type_("import", file, *told, asked=True).output
    [command] = copied(output)
    assert command[-4:] == [EITHER, "subscribed", EITHER, "cold"]
    assert type_(*chosen(command, "subscribed"), asked=True).exit_code == 0
    assert client.counts() == (3, 2, 1)


def test_a_command_of_another_program_can_be_answered_as_the_column_that_says_who(type_, client, file):
    for number in range(3):
        client.create(f"p{number}@example.com")
    file.write_text("email,COMMAND\np0@example.com,unsub\np1@example.com,Unsubscribed\np2@example.com,\n")
    for told in ((), ("--consent", "subscribed")):
        output = type_("import", file, *told, asked=True).output
        command = copied(output)[-1]
        assert {"--consent", "--map"}.isdisjoint(command)
        assert command[4:6] == ["--consent-column", "COMMAND"]
        assert len(copied(output)) == (2 if told else 4)
        assert {"Unsubscribed", "unsub", ""} <= set(command)
        assert command[command.index("Unsubscribed") - 1] == "--unsubscribed"
    command[command.index("unsub") - 1] = "--unsubscribed"
    command[command.index("") - 1] = "--subscribed"
    assert type_(*command, asked=True).exit_code == 0
    assert client.counts() == (3, 1, 2)


@pytest.mark.parametrize("told", [(), ("--consent", "subscribed"), ("--consent", "unsubscribed")])
def test_a_command_with_our_words_and_others_has_one_command_to_copy(type_, client, file, told):
    for number in range(3):
        client.create(f"p{number}@example.com")
    file.write_text(
        "email,COMMAND\np0@example.com,UNSUBSCRIBE\np1@example.com,unsub\np2@example.com,remove\n"
    )
    result = type_("import", file, *told, asked=True)
    [command] = copied(result.output)
    assert (result.exit_code, command[-4:]) == (2, [EITHER, "unsub", EITHER, "remove"])
    assert type_(*chosen(command, "unsubscribed"), asked=True).exit_code == 0
    assert client.counts() == (3, 0, 3)
