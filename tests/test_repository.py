"""The workflow, the templates of issues and the hooks of commits can be read, and agree with .ci/run."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
FILES = [*sorted((ROOT / ".github").rglob("*.yml")), ROOT / ".pre-commit-config.yaml"]
CI = (ROOT / ".ci" / "run").read_text("utf-8")
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
[STEPS] = (words.split() for words in re.findall(r"set -- ([a-z ]+)$", CI, re.MULTILINE))


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
OURS = {"app", "audience", "bench", "packing", "schemas", "storage", "tables", "tests", "workers"}
BROUGHT_ALONG = ("packaging", "werkzeug")  # by pytest and Flask
WITH_DEV = ("tests/torture/", "tests/clients/")  # and what drives a browser


def loaded(name):
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_is_yaml(file):
    assert isinstance(yaml.safe_load(file.read_text("utf-8")), dict)


def test_the_workflow_runs_every_step_on_every_python_and_another_postgresql():
    jobs = loaded(".github/workflows/ci.yml")["jobs"]
    assert jobs["python"]["with"]["steps"].split() == STEPS
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert jobs["python"]["strategy"]["matrix"]["python"][0] == oldest
    other = jobs["postgresql-18"]["with"]
    assert other["steps"] in STEPS
    assert f"SERVER_{other['version']} = " in MAKEFILE


def test_the_inputs_of_the_called_workflow_are_given():
    called = loaded(".github/workflows/checks.yml")
    inputs = called[True]["workflow_call"]["inputs"]  # `on` is true in YAML
    required = {name for name, each in inputs.items() if each.get("required")}
    for job in loaded(".github/workflows/ci.yml")["jobs"].values():
        assert required <= job["with"].keys() <= inputs.keys()
    assert any(step.get("run") == ".ci/run ${{ inputs.steps }}" for step in called["jobs"]["run"]["steps"])


def test_a_release_is_built_by_make_release_and_its_image_has_the_version():
    jobs = loaded(".github/workflows/release.yml")["jobs"]
    commands = [step.get("run", "") for step in jobs["files"]["steps"]]
    assert [command for command in commands if command.startswith("make release ")]
    [build] = [step["with"] for step in jobs["image"]["steps"] if "build-args" in step.get("with", {})]
    arguments = {line.partition("=")[0] for line in build["build-args"].split()}
    dockerfile = (ROOT / build["file"]).read_text("utf-8")
    assert arguments - {"$", "{{", "}}"} >= set(re.findall(r"^ARG (\w+)", dockerfile, re.MULTILINE)) != set()


def test_every_step_of_ci_is_a_target_of_make():
    targets = set(re.findall(r"\bmake ([a-z-]+)", CI)) | {"types"}
    assert targets
    assert [target for target in targets if f"\n{target}:" not in MAKEFILE] == []
    assert [step for step in STEPS if f"\n    {step})" not in CI] == []


def test_the_hooks_of_commits_download_nothing():
    repositories = loaded(".pre-commit-config.yaml")["repos"]
    assert [each["repo"] for each in repositories] == ["local"]
    for hook in repositories[0]["hooks"]:
        assert hook["language"] == "system"
        program, *words = hook["entry"].split()
        assert program.startswith(".venv/bin/")
        assert [word for word in words if word.startswith("tests/") and not (ROOT / word).exists()] == []


def imported(file):
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module).split(".")[0]


def needs_dev(file):
    return str(file.relative_to(ROOT)).startswith(WITH_DEV) or "playwright" in file.read_text("utf-8")


def package(name):
    return re.split(r"[^\w-]", name)[0].replace("-", "_").lower()


def test_the_extra_test_has_what_tests_import():
    """So that `pip install -e .[test]` is all that `pytest tests/api` needs."""
    extras = PROJECT["optional-dependencies"]
    declared = [*PROJECT["dependencies"], *extras["test"], *extras["postgresql"], *BROUGHT_ALONG]
    packages = {package(each) for each in declared}
    files = [file for file in (ROOT / "tests").rglob("*.py") if not needs_dev(file)]
    modules = {name for file in files for name in imported(file)} - OURS - sys.stdlib_module_names
    installed = packages_distributions()
    assert "hypothesis" in modules
    assert [each for each in modules if packages.isdisjoint(map(package, installed[each]))] == []
