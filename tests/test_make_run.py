"""`make run`: what it says, and the environments that it refuses or heals."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from audience.answers.geolocation.packed_table import FILE
from tests.service import PATIENCE_SECONDS, environment, hear_ctrl_c, serving, until

ROOT = Path(__file__).parent.parent
OLD = "import sys; sys.version_info = (3, 9, 2); exec(sys.argv.pop(1))"
PYTHON = """#!/bin/sh
# Stands for Python: `-m venv` makes an environment with a `pip` and an `audience` that only say so.
case "$1 $2" in
"-c "*) exec {python} "$@" ;;
"-m venv")
    rm -rf .venv/bin && mkdir -p .venv/bin && echo "venv $3" >> made
    for name in python pip audience; do
        printf '#!/bin/sh\\necho %s $1 >> made\\n' $name > .venv/bin/$name
        chmod +x .venv/bin/$name
    done ;;
esac
"""


@pytest.fixture
def clone(tmp_path):
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "instance").mkdir()
    (tmp_path / "python").write_text(PYTHON.format(python=sys.executable))
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def begin(clone, python="./python", **variables):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")} | variables
    return subprocess.Popen(
        ["make", "run", f"PYTHON={python}"],
        cwd=clone,
        env=clean,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hear_ctrl_c,
    )


def make_run(clone, python="./python", **variables):
    process = begin(clone, python, **variables)
    out, said = process.communicate(timeout=PATIENCE_SECONDS)
    return subprocess.CompletedProcess(process.args, process.returncode, out, said)


def made(clone):
    return (clone / "made").read_text().splitlines()


def test_the_first_run_says_what_it_does_before_it_does_it(clone):
    run = make_run(clone)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("Setting up .venv, about 30 s")
    assert "Packing the place table" in run.stdout
    assert made(clone) == ["venv --clear", "pip install", "pip install", "python -c", "audience serve"]


def test_the_second_run_only_serves(clone):
    make_run(clone)
    (clone / "made").unlink()
    assert make_run(clone).stdout == ""
    assert made(clone) == ["audience serve"]


def test_after_the_set_up_the_first_call_finds_the_place_table(tmp_path):
    """As of a client whose first call asks where a visitor is, and that waits for 10 seconds."""
    recipe = (ROOT / "Makefile").read_text().partition("$(BIN)/python -c '")[2].partition("'")[0]
    instance = tmp_path / "instance"
    subprocess.run(
        [sys.executable, "-c", recipe.replace("\\\n\t\t", "")],
        env=environment(instance, 8000),
        cwd=ROOT,
        check=True,
        timeout=PATIENCE_SECONDS,
    )
    packed = (instance / FILE).stat().st_ino
    with serving(instance) as service:
        status, place = service.call("GET", "/experimental/geolocation?ip=8.8.8.8", timeout=10)
        assert (status, place["country_code2"]) == (200, "US")
        assert service.process.stdout is not None
        said = next(line for line in service.process.stdout if line.startswith("Starting"))
        assert "Packing" not in said
    assert (instance / FILE).stat().st_ino == packed


@pytest.mark.parametrize("name", ["other", "an other"])
def test_the_place_table_is_packed_for_each_folder(clone, name):
    make_run(clone)
    (clone / name).mkdir()
    for acts in (["python -c", "audience serve"], ["audience serve"]):
        (clone / "made").unlink()
        run = make_run(clone, AUDIENCE_INSTANCE=str(clone / name))
        assert (run.returncode, made(clone)) == (0, acts), run.stderr
    (clone / "instance" / "geo.table").unlink()
    (clone / "made").unlink()
    make_run(clone)
    assert made(clone) == ["python -c", "audience serve"]


@pytest.mark.parametrize("left", ["pip", "python"])
def test_a_half_made_environment_is_made_anew(clone, left):
    make_run(clone)
    (clone / "made").unlink()
    (clone / ".venv" / ".run").unlink()
    for file in (clone / ".venv" / "bin").iterdir():
        if file.name != left:
            file.unlink()
    assert make_run(clone).returncode == 0
    assert made(clone)[0] == "venv --clear"


def test_an_environment_whose_python_is_gone_is_made_anew(clone):
    make_run(clone)
    (clone / "made").unlink()
    (clone / ".venv" / "bin" / "python").unlink()
    (clone / ".venv" / "bin" / "python").symlink_to("/nowhere/python3.11")
    assert make_run(clone).returncode == 0
    assert made(clone)[0] == "venv --clear"


def test_an_interrupted_upgrade_is_done_anew(clone):
    make_run(clone)
    (clone / ".venv" / "bin" / "pip").write_text("#!/bin/sh\nexit 1\n")
    (clone / "requirements.lock").touch()
    os.utime(clone / "requirements.lock", (2**31, 2**31))
    assert make_run(clone).returncode != 0
    (clone / "made").unlink()
    os.utime(clone / "requirements.lock")
    assert make_run(clone).returncode == 0
    assert made(clone)[0] == "venv --clear"


@pytest.mark.parametrize("at", ["-m venv", "pip"])
def test_ctrl_c_while_the_environment_is_made_is_one_sentence_and_the_next_run_heals_it(clone, at):
    python, whole = clone / "python", (clone / "python").read_text()
    (clone / "wait.py").write_text("import pathlib, time; pathlib.Path('waits').touch(); time.sleep(600)")
    place = "printf '#!/bin/sh\\n" if at == "pip" else '"-m venv")\n'
    assert place in whole
    python.write_text(
        whole.replace(place, place + f"exec {sys.executable} wait.py" + ("\\n" if at == "pip" else "\n"))
    )
    process = begin(clone)
    until((clone / "waits").exists)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode != 0
    assert "Stopped. `make run` goes on from here." in said
    assert "Traceback" not in said
    python.write_text(whole)
    assert make_run(clone).returncode == 0
    assert made(clone)[-5:] == ["venv --clear", "pip install", "pip install", "python -c", "audience serve"]


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (f'exec {sys.executable} -c "{OLD}" "$2"', "Audience needs Python 3.11 or newer, and this is 3.9"),
        (None, "Audience needs Python 3.11 or newer, and there is no"),
    ],
)
def test_no_python_or_one_too_old_is_one_sentence(clone, script, sentence):
    (clone / "python").unlink()
    if script:
        (clone / "python").write_text(f"#!/bin/sh\n{script}\n")
        (clone / "python").chmod(0o755)
    run = make_run(clone)
    said, *rest = run.stderr.splitlines()
    assert run.returncode == 2
    assert said.startswith(sentence)
    assert "make run PYTHON=" in said
    assert [line for line in rest if not line.startswith("make: ***")] == []
    assert not (clone / ".venv").exists()
