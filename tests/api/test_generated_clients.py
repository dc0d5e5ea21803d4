"""Five generators make clients from the OpenAPI document, and a program makes tools of it: they work.

`make clients` installs the generators into `.clients/`.
"""

import json
import os
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.conftest import REQUIRED
from tests.service import command, environment, serving

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "tests" / "clients"
PYTHON = ROOT / ".clients" / "python" / "bin"
NODE_MODULES = ROOT / ".clients" / "node_modules"


def needed(program: Path) -> None:
    """Skips the test without the generators, or fails under AUDIENCE_REQUIRE."""
    if not program.exists() and "clients" in REQUIRED:
        pytest.fail(f"{program} is not there: make clients")
    if not program.exists():
        pytest.skip("needs the generators of clients: make clients")


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("clients"), AUDIENCE_DNS_SERVERS="127.0.0.1:9") as running:
        yield running


@pytest.fixture
def run(service, tmp_path):
    """Runs a command in `tmp_path`, where the document is `openapi.json`."""
    with urllib.request.urlopen(f"http://127.0.0.1:{service.port}/api/openapi.json") as answer:
        document = json.load(answer)
    (tmp_path / "openapi.json").write_text(json.dumps(document))
    keys = f"{service.first['publishable_key']}:{service.first['secret_key']}"
    variables = {"AUDIENCE_URL": document["servers"][0]["url"], "AUDIENCE_KEYS": keys}
    for source in SOURCES.iterdir():
        shutil.copy(source, tmp_path)

    def run(*command):
        done = subprocess.run(
            command, cwd=tmp_path, env=os.environ | variables, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def link_node(folder, name):
    """The program of a package, once the folder is a module that has all packages."""
    program = NODE_MODULES / ".bin" / name
    needed(program)
    (folder / "node_modules").symlink_to(NODE_MODULES)
    (folder / "package.json").write_text('{"type": "module"}')
    return program


def compile_typescript(run, folder, name):
    """Checks the types of a program, strictly, and runs it."""
    (folder / "tsconfig.json").write_text(
        json.dumps(json.loads((folder / "tsconfig.json").read_text()) | {"files": [f"{name}.ts"]})
    )
    run(NODE_MODULES / ".bin" / "tsc", "--project", ".")
    run("node", f"{name}.js")


def test_a_python_client(run, tmp_path):
    needed(PYTHON / "openapi-python-client")
    config = ("--config", "openapi-python-client.yml", "--meta", "none", "--output-path", "audience_client")
    output = run(PYTHON / "openapi-python-client", "generate", "--path", "openapi.json", *config)
    assert output.count("WARNING") == output.count("Unsupported content type") == 3, output
    run(PYTHON / "mypy", "use_client.py", "audience_client")
    run(PYTHON / "python", "use_client.py")


def test_a_typescript_client(run, tmp_path):
    run(link_node(tmp_path, "openapi-typescript"), "openapi.json", "--output", "api.d.ts")
    compile_typescript(run, tmp_path, "use_client")


def test_the_functions_of_orval(run, tmp_path):
    program = link_node(tmp_path, "orval")
    run(program, "--input", "./openapi.json", "--output", "./orval.ts", "--client", "fetch")
    compile_typescript(run, tmp_path, "use_orval")


def test_the_client_of_hey_api(run, tmp_path):
    run(link_node(tmp_path, "openapi-ts"))
    compile_typescript(run, tmp_path, "use_hey")


def test_the_models_of_datamodel_codegen(run):
    needed(PYTHON / "datamodel-codegen")
    made = ("--output", "models.py", "--output-model-type", "pydantic_v2.BaseModel", "--use-annotated")
    run(PYTHON / "datamodel-codegen", "--input", "openapi.json", "--input-file-type", "openapi", *made)
    run(PYTHON / "mypy", "use_models.py", "models.py")
    run(PYTHON / "python", "use_models.py")


def test_the_tools_of_an_assistant(run, service):
    program = NODE_MODULES / ".bin" / "openapi-mcp-server"
    needed(program)
    made = subprocess.run(
        command("key", "create", "--scope", "read", "--json"),
        cwd=ROOT,
        env=environment(service.instance, service.port),
        capture_output=True,
        check=True,
    )
    key = json.loads(made.stdout)
    run(sys.executable, "use_tools.py", program, f"{key['publishable_key']}:{key['secret_key']}")
