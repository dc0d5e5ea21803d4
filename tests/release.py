"""`make release`: builds the wheel, and the one-file build for each installed Python, and tries both.

Each is started in an empty folder, asked, stopped, and started over the instances of two earlier commits. It
refuses the first with a sentence that names the second commit, which then upgrades it. Prints a line for each
step.
"""

import re
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.service import PATIENCE_SECONDS, attended, free_port, until

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
EARLIER, LAST_BEFORE = "a85a431", "55bcc54"  # the second is the one that upgrades the first
ADDRESS = "ann@example.com"
BUILD = """
import pathlib, sys
sys.path.append(sys.argv[1])
from packing import pyz
pyz.build(pathlib.Path(sys.argv[2]))
"""  # the code here, and the distributions of the environment
NAMED = re.compile(r"upgrade it with commit ([0-9a-f]{7})")


def main() -> None:
    wheel = build_wheel()
    with tempfile.TemporaryDirectory(prefix="audience-release-") as name:
        folder = Path(name)
        earlier = {commit: Earlier(folder / commit, commit) for commit in (EARLIER, LAST_BEFORE)}
        for python in pythons():
            for number, program in enumerate(built(python, wheel, folder)):
                place = folder / f"{python.name}-{number}"
                place.mkdir()
                try_program(program, place, earlier)
    print("All were started, asked, stopped, and upgraded the instances of earlier commits.")


def build_wheel() -> Path:
    """Builds the wheel into an empty `dist/`."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    for left in (DIST, ROOT / "build"):
        shutil.rmtree(left, ignore_errors=True)
    words = ["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(DIST), str(ROOT)]
    run([str(ROOT / ".venv/bin/pip"), *words])
    wheel = DIST / f"audience-{version}-py3-none-any.whl"
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    return wheel


def pythons() -> Iterator[Path]:
    """The newest of each version of Python from 3.11 that is on the PATH, or that pyenv has installed."""
    for minor in range(11, 20):
        name = f"python3.{minor}"
        installed = sorted(Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/{name}"))
        if python := installed[-1] if installed else shutil.which(name):
            yield Path(python)


def built(python: Path, wheel: Path, folder: Path) -> Iterator[list[str]]:
    """Installs the wheel for a Python, and makes the one-file build. Yields the command lines of both."""
    environment = folder / f"{python.name}-environment"
    run([str(python), "-m", "venv", str(environment)])
    install(environment, "--require-hashes", "--requirement", str(ROOT / "requirements.lock"))
    install(environment, str(wheel))
    yield [str(environment / "bin" / "audience")]
    archive = DIST / f"{wheel.name.split('-py3')[0]}-{python.name}.pyz"
    run([str(environment / "bin" / "python"), "-I", "-c", BUILD, str(ROOT), str(archive)])
    print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB")
    yield [str(python), str(archive)]


def install(environment: Path, *words: str) -> None:
    run([str(environment / "bin" / "pip"), "install", "--quiet", "--quiet", "--no-deps", *words])


class Earlier:
    """An earlier commit, installed in an environment of its own, and an instance that it made."""

    def __init__(self, folder: Path, commit: str) -> None:
        self.folder, self.instance = folder / "code", folder / "instance"
        self.folder.mkdir(parents=True)
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True)
        subprocess.run(["tar", "-x"], cwd=self.folder, input=archive.stdout, check=True)
        environment = folder / "environment"
        run([str(ROOT / ".venv/bin/python"), "-m", "venv", str(environment)])
        install(environment, "--require-hashes", "--requirement", str(self.folder / "requirements.lock"))
        install(environment, "--no-build-isolation", str(self.folder))
        self.program = [str(environment / "bin" / "audience")]
        serve(self.program, self.instance, is_new=True)
        print(f"{commit}: made an instance")

    def copy(self, place: Path) -> Path:
        """Copies the instance into the folder `place`."""
        return Path(shutil.copytree(self.instance, place))


def try_program(program: Sequence[str], place: Path, earlier: dict[str, Earlier]) -> None:
    serve(program, place / "new", is_new=True)
    serve(program, earlier[LAST_BEFORE].copy(place / LAST_BEFORE))
    instance = earlier[EARLIER].copy(place / EARLIER)
    refused = audience(program, instance, "migrate")
    named = NAMED.search(refused.stderr)
    if not refused.returncode or not named:
        raise SystemExit(f"{EARLIER} was not refused by name: {refused.stdout}{refused.stderr}")
    upgraded = audience(earlier[named[1]].program, instance, "migrate")
    if upgraded.returncode:
        raise SystemExit(f"{named[1]} did not upgrade {EARLIER}: {upgraded.stderr}")
    serve(program, instance)
    print(f"{' '.join(program)}: new, from {LAST_BEFORE}, and from {EARLIER} by way of {named[1]}")


def serve(program: Sequence[str], instance: Path, is_new: bool = False) -> None:
    """Starts a service, adds a subscriber if the instance is new, finds that subscriber, and stops the
    service.
    """
    port = free_port()
    process = subprocess.Popen(
        [*program, "serve"],
        env=variables(
            instance, AUDIENCE_PORT=str(port), AUDIENCE_WEB_WORKERS="1", AUDIENCE_LOG_LEVEL="error"
        ),
        cwd=instance.parent,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with attended(process, instance, port) as service:
        if is_new:
            service.call("POST", "/batch/subscribers", {"subscribers": [{"email": ADDRESS}]})
        until(lambda: service.call("GET", f"/fetch/subscribers?email={ADDRESS}")[0] == 200)
    if process.returncode:
        raise SystemExit(f"{program}: ended with status {process.returncode}")


def audience(program: Sequence[str], instance: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*program, *words],
        env=variables(instance),
        cwd=instance.parent,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def variables(instance: Path, **more: str) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "AUDIENCE_INSTANCE": str(instance)} | more


def run(command: list[str]) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
