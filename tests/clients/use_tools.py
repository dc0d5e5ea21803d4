"""Uses the tools that a program for assistants makes of openapi.json, with a key that reads."""

import base64
import json
import os
import subprocess
import sys
from typing import Any

settings = {
    "API_BASE_URL": os.environ["AUDIENCE_URL"],
    "OPENAPI_SPEC_PATH": "openapi.json",
    "API_HEADERS": f"Authorization:Basic {base64.b64encode(sys.argv[2].encode()).decode()}",
}
program = subprocess.Popen(
    [sys.argv[1]], env=os.environ | settings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)
questions: Any = program.stdin
answers: Any = program.stdout


def ask(number, method, **parameters):
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
    questions.write(json.dumps(message) + "\n")
    questions.flush()
    for line in answers:
        answer = json.loads(line)
        if answer.get("id") == number:
            return answer["result"]
    raise AssertionError("the program ended")


def use(number, tool, **values):
    result = ask(number, "tools/call", name=tool, arguments=values)
    return result.get("isError", False), result["content"][0]["text"]


try:
    who = {"name": "test", "version": "1"}
    ask(1, "initialize", protocolVersion="2025-03-26", capabilities={}, clientInfo=who)
    names = {tool["name"] for tool in ask(2, "tools/list")["tools"]}
    assert {"count-site", "find-subscriber", "search"} <= names, names
    wrong, counts = use(3, "count-site")
    assert not wrong
    assert json.loads(counts)["user_count"] >= 0
    assert use(4, "find-subscriber", email="nobody+here@example.com")[1] == '{\n  "data": null\n}'
    assert json.loads(use(5, "search", q="nobody")[1])["data"] == []
    wrong, refused = use(6, "crt-subscriber", subscriber={"email": "ann@example.com"})
    assert wrong
    assert "403" in refused
finally:
    program.kill()
    program.wait()
    questions.close()
    answers.close()
