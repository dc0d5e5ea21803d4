"""`audience api` calls the running service with the first site's key, or with another."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.service import command, environment, free_port, serving

ROOT = Path(__file__).parent.parent.parent
PERSON = '{"subscriber": {"email": "ann+x@example.com", "tags": "vip"}}'


@pytest.fixture(scope="module")
def service(tmp_path_factory, geo_table):
    with serving(tmp_path_factory.mktemp("api"), AUDIENCE_DNS_SERVERS="127.0.0.1:9") as running:
        yield running


@pytest.fixture
def call(service):
    """Runs `audience api`; returns the output and what is said of an error."""

    def invoke(*words, exit_code=0, port=service.port, instance=service.instance, stdin=None):
        run = subprocess.run(
            command("api", *words),
            cwd=ROOT,
            env=environment(instance, port, http_proxy="http://127.0.0.1:9"),
            capture_output=True,
            text=True,
            input=stdin,
            check=False,
        )
        assert run.returncode == exit_code, run.stderr
        return run.stdout, run.stderr

    return invoke


def test_it_prints_the_answer(call):
    assert json.loads(call("POST", "/fetch/subscribers", "--data", PERSON)[0])["data"]["type"] == "visitors"
    found, said = call("get", "fetch/subscribers", "-q", "email=ann+x@example.com")
    assert json.loads(found)["data"]["attributes"]["email"] == "ann+x@example.com"
    assert said == ""
    counted = json.loads(call("GET", "/stats/site", port=1)[0])  # the address is that of the running service
    assert counted["user_count"] == 1


def test_the_body_comes_from_standard_input_and_headers_are_sent(call):
    sent = ("POST", "/batch/subscribers", "--data", "-", "-H", "Idempotency-Key: once")
    text = '{"subscribers": [{"email": "bob@example.com"}]}'
    first = call(*sent, stdin=text)
    assert json.loads(first[0])["result"] == 1
    assert call(*sent, stdin=text) == first


def test_an_error_has_its_code_on_standard_error(call):
    answer, said = call("POST", "/fetch/subscribers", "--data", '{"subscriber": {}}', exit_code=1)
    problem = json.loads(answer)
    assert said == f"audience: {problem['error']} ({problem['code']})\n"


def test_another_key(call, tmp_path, service):
    made = subprocess.run(
        command("key", "create", "--scope", "stats", "--json"),
        cwd=ROOT,
        env=environment(service.instance, service.port),
        capture_output=True,
        check=True,
    )
    file = tmp_path / "key.json"
    file.write_bytes(made.stdout)
    call("GET", "/stats/site", "--key-file", str(file))
    assert (
        "(forbidden)"
        in call("POST", "/fetch/subscribers", "-d", PERSON, "--key-file", str(file), exit_code=1)[1]
    )


@pytest.mark.parametrize("text", [None, "[]", "{}", "no JSON"])
def test_a_file_without_a_key_is_told(call, tmp_path, text):
    file = tmp_path / "key.json"
    if text is not None:
        file.write_text(text)
    said = call("GET", "/stats/site", "--key-file", str(file), exit_code=1)[1]
    assert said.startswith(f"audience: {file} has no key: name a file by --key-file")


def test_a_service_that_does_not_run_is_told(call, service, tmp_path):
    (tmp_path / "first-site.json").write_text(json.dumps(service.first))
    said = call("GET", "/stats/site", instance=tmp_path, port=free_port(), exit_code=1)[1]
    assert "does not answer" in said
    assert "start it with `audience serve`" in said


@pytest.mark.parametrize("words", [("-q", "email"), ("-H", "If-Match"), ("-q", "=x")])
def test_a_pair_without_a_value_is_refused(call, words):
    assert "write NAME" in call("GET", "/stats/site", *words, exit_code=2)[1]


def test_an_answer_that_is_no_json_is_printed_as_it_is(call):
    assert call("GET", "/fetch/export", "-q", "format=csv")[0].startswith("uuid,email,")


@pytest.mark.parametrize("header", ["X: a\nb", "X: \u20ac", "\xe9: x"])
def test_a_header_that_cannot_be_sent_is_refused(call, header):
    said = call("GET", "/stats/site", "-H", header, exit_code=2)[1]
    assert said.endswith("a header has characters that no header can have\n")
    assert "Traceback" not in said


def test_a_body_that_is_no_text_is_sent_as_it_is(call):
    assert "(body_not_json)" in call("POST", "/fetch/tags", "-d", b"\xff", exit_code=1)[1]
