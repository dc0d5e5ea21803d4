"""The size of functions and files: `python -m bench.house [FOLDER]`, of this project's source by default.

The lines of a function are those of its body, from the first to the last, without the docstring. A handler is
a function with a blueprint's route in `audience/api` or `audience/http`.
"""

import argparse
import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

ROOMS = ("audience", "schemas", "storage", "workers")
HANDLER_ROOMS = ("audience/api", "audience/http")
ROUTE_METHODS = frozenset({"route", "get", "post", "put", "patch", "delete"})
LONG_FILE_LINES = 250

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(root: Path) -> list[Path]:
    return [root / "app.py", *(file for room in ROOMS for file in sorted((root / room).rglob("*.py")))]


def functions(file: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, Function):
            yield node


def body_lines(function: Function) -> int:
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def in_handler_room(file: Path, root: Path) -> bool:
    return any(file.is_relative_to(root / room) for room in HANDLER_ROOMS)


def is_handler(function: Function) -> bool:
    """Whether a decorator is a call such as `blueprint.get(...)`."""
    calls = [call.func for call in function.decorator_list if isinstance(call, ast.Call)]
    return any(
        isinstance(call, ast.Attribute)
        and call.attr in ROUTE_METHODS
        and "blueprint" in ast.unparse(call.value)
        for call in calls
    )


def spread(lines: list[int]) -> str:
    p90 = statistics.quantiles(lines, n=10, method="inclusive")[-1]
    return f"median {statistics.median(lines):g}, p90 {p90:g}, max {max(lines)} lines ({len(lines)})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parent.parent)
    root = parser.parse_args().root
    files = {file: len(file.read_text("utf-8").splitlines()) for file in sources(root)}
    defined = [(file, function) for file in files for function in functions(file)]
    handlers = [
        function for file, function in defined if in_handler_room(file, root) and is_handler(function)
    ]
    print("handlers: ", spread([body_lines(function) for function in handlers]))
    print("functions:", spread([body_lines(function) for _, function in defined]))
    longest = max(files, key=files.__getitem__)
    long_files = sum(lines > LONG_FILE_LINES for lines in files.values())
    print(
        f"files:     {long_files} over {LONG_FILE_LINES} lines; the longest is"
        f" {longest.relative_to(root)} with {files[longest]}"
    )


if __name__ == "__main__":
    main()
