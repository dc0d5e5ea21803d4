"""How large the house is, and how tangled: `python -m bench.house`.

A subject is a module or package at the root of `audience/` that is neither a room nor a leaf; an arrow is one
that imports another, and a circle is a set of them of which each reaches the others. A mechanism for work in
the background is a table whose rows are claimed or leased. A new field of a
subscriber touches the files that name `last_name`, which is a plain one.
"""

import ast
import importlib
import re
import statistics
from collections.abc import Iterable, Iterator
from pathlib import Path

from storage.base_models import BaseModel
from tests.test_arrows import FILES, ROOT, Arrows, subject_arrows

MORE = ROOT / "bench" / "more"  # whose lines are not counted
FIELD, LONG_FILE_LINES = re.compile(r"\blast_name\b"), 250
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md")


def text(file: Path) -> str:
    return file.read_text("utf-8")


def lines(files: Iterable[Path]) -> int:
    return sum(len(text(file).splitlines()) for file in files)


def sources(*rooms: str) -> list[Path]:
    return [file for room in rooms for file in sorted((ROOT / room).rglob("*.py"))]


def benches() -> list[Path]:
    return [file for file in sources("bench") if not file.is_relative_to(MORE)]


def reached(arrows: Arrows, start: str) -> set[str]:
    visited, waiting = set[str](), [start]
    while waiting:
        new = arrows.get(waiting.pop(), set()) - visited
        visited |= new
        waiting += new
    return visited


def circles(arrows: Arrows) -> list[str]:
    by_start = {start: reached(arrows, start) for start in arrows}
    sets = {
        frozenset(name for name in visited if start in by_start[name])
        for start, visited in by_start.items()
        if start in visited
    }
    return sorted(" ".join(sorted(names)) for names in sets)


def leased(model: type[BaseModel] = BaseModel) -> Iterator[str]:
    """The tables, those of a model and of all below it, whose rows a process takes for a while."""
    meta = vars(model)["_meta"]
    if any(name.startswith(("claim", "lease")) for name in meta.fields):
        yield str(meta.table_name)
    for below in model.__subclasses__():
        yield from leased(below)


def mechanisms() -> list[str]:
    importlib.import_module("storage.models")  # all tables
    return sorted(leased())


def body_lines() -> Iterator[int]:
    """Of each function, without its docstring."""
    for file in FILES:
        for node in ast.walk(ast.parse(text(file))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[ast.get_docstring(node, clean=False) is not None :]
                yield (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def spread(numbers: list[int]) -> str:
    p90 = statistics.quantiles(numbers, n=10, method="inclusive")[-1]
    return f"median {statistics.median(numbers):g}, p90 {p90:g}, longest {max(numbers)}"


def counted(names: list[str]) -> str:
    return f"{len(names)}: {', '.join(names)}" if names else "none"


def words() -> int:
    return sum(len(text(file).split()) for form in DOCUMENTS for file in ROOT.glob(form))


def main() -> None:
    arrows = subject_arrows()
    product = [ROOT / "app.py", *sources("audience", "schemas", "storage", "workers")]
    root = [entry for entry in (ROOT / "audience").iterdir() if not entry.name.startswith("__")]
    for what, figure in {
        "lines of product": f"{lines(product):,}",
        "lines of tests": f"{lines(sources('tests')):,}",
        "lines of bench": f"{lines(benches()):,}; bench/more {lines(sources('bench/more')):,}",
        "functions, lines": spread(list(body_lines())),
        f"files over {LONG_FILE_LINES} lines": str(sum(lines([file]) > LONG_FILE_LINES for file in product)),
        "entries at the root of audience/": str(len(root)),
        "subjects, arrows among them": f"{len(arrows)}, {sum(map(len, arrows.values()))}",
        "circles": counted(circles(arrows)),
        "mechanisms for background work": counted(mechanisms()),
        "files that name a field (last_name)": str(sum(bool(FIELD.search(text(file))) for file in product)),
        "words of documentation": f"{words():,}; changelog {len(text(ROOT / 'CHANGELOG.md').split()):,}",
    }.items():
        print(f"{what:38}{figure}")


if __name__ == "__main__":
    main()
