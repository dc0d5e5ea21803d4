"""`python -m tests.mutants [NAME…]`: faults, seeded one by one into a copy of the tree.

Each fault must be caught by its test. A fault whose text is not there exactly once fails, too.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.mutant_tables.mutant import TORTURE, Mutant
from tests.mutant_tables.table import MUTANTS

ROOT = Path(__file__).parent.parent
CAUGHT = 1  # exit status of pytest where a test failed, and of a row
SECONDS = 1_800  # the longest takes half a minute of an idle machine


def copy_of_the_tree(folder: Path) -> Path:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    for name in filter(lambda each: (ROOT / each).is_file(), listed.stdout.splitlines()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    return folder


def complaint(mutant: Mutant, tree: Path) -> str:
    """Why a fault does not count as caught; "" if it was caught."""
    file = tree / mutant.file
    source = file.read_text("utf-8")
    if source.count(mutant.text) != 1:
        return f"{mutant.file} has its text {source.count(mutant.text)} times: write the row anew"
    file.write_text(source.replace(mutant.text, mutant.by), "utf-8")
    try:
        status = run(mutant.test, tree)
    except subprocess.TimeoutExpired:
        return f"{mutant.test} has not ended after {SECONDS} s"
    finally:
        file.write_text(source, "utf-8")
    return "" if status == CAUGHT else f"{mutant.test} ends with status {status}"


def run(test: str, tree: Path) -> int:
    """Runs a test, or a row of torture, in the tree. Returns its exit status."""
    words = ["tests.torture", "--short", *test.removeprefix(TORTURE).split()]
    if not test.startswith(TORTURE):
        words = ["pytest", "-q", "-x", "-p", "no:cacheprovider", test]
    environ = os.environ | {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=tree,
        env=environ,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode


def main(names: list[str]) -> int:
    chosen = [mutant for mutant in MUTANTS if not names or mutant.name in names]
    missed = 0
    with tempfile.TemporaryDirectory(prefix="mutants") as folder:
        tree = copy_of_the_tree(Path(folder))
        for mutant in chosen:
            problem = complaint(mutant, tree)
            missed += bool(problem)
            print(f"MISSED: {mutant.name}: {problem}" if problem else f"caught: {mutant.name}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} caught")
    return 1 if missed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
