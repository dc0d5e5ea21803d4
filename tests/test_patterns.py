"""No text of a user stops a process: every pattern and reader of text takes time linear in its length.

A text of a megabyte may take five seconds of the processor: far more than a linear pattern, far less than a
quadratic one. `make bench-patterns` prints what each takes.
"""

import ast
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.depth import sample
from tests.input_costs import CPU_SECONDS
from tests.pattern_inputs import PATTERNS
from tests.test_arrows import MODULES, ROOT
from tests.unread_texts import DO_NOT_READ
from tests.worst_inputs import FUNCTIONS, ROWS

BATCHES = 12
# Patterns of bundled tables: the rows are `by_surname`, `find_phrases` and `User-Agent`, among the functions.
COMPILED_FROM_TABLES = {
    f"audience.answers.{module}"
    for module in ("gender.origin", "moderation.phrases", "validation.user_agent")
}
OPERATORS = (
    "app",
    "audience.cli",
    "audience.operations",
    "audience.config",
    "audience.setting_values",
    "storage",
    "workers",
)
SEVERAL = ("Collection", "Iterable", "Iterator", "Sequence", "Set", "frozenset", "list", "set", "tuple")


def statements(module: str) -> list[ast.stmt]:
    return ast.parse(MODULES[module].read_text("utf-8")).body


def uses_of_re(node: ast.AST) -> Iterator[ast.Call]:
    """Calls of functions of the module `re`."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and ast.unparse(inner.func).startswith("re."):
            yield inner


def is_pattern(statement: ast.stmt) -> bool:
    """Whether it names a compiled pattern, or several."""
    return isinstance(statement, ast.Assign) and any(uses_of_re(statement.value))


def named_patterns() -> set[str]:
    return {
        f"{module}:{ast.unparse(statement.targets[0])}"
        for module in MODULES
        for statement in statements(module)
        if isinstance(statement, ast.Assign) and is_pattern(statement)
    }


def is_text(annotation: ast.expr | None) -> bool:
    """Whether it is of a text, several, or one or none."""
    match annotation:
        case ast.Name(name):
            return name in ("str", "bytes")
        case ast.BinOp(one, ast.BitOr(), other):
            return is_text(one) or is_text(other)
        case ast.Subscript(ast.Name(name), ast.Tuple([first, *_])):
            return name == "tuple" and is_text(first)
        case ast.Subscript(ast.Name(name), each):
            return name in SEVERAL and is_text(each)
    return False


def readers_of_text() -> set[str]:
    """Functions with an argument that is a text, outside the rooms that a user's text does not reach."""
    return {
        f"{module}:{statement.name}"
        for module in MODULES
        if not module.startswith(OPERATORS) or module == "storage.spelt"
        for statement in statements(module)
        if isinstance(statement, ast.FunctionDef) and not statement.name.startswith("_")
        for arguments in (statement.args.args + statement.args.kwonlyargs,)
        if any(is_text(argument.annotation) for argument in arguments)
    }


@pytest.mark.parametrize("module", sorted(MODULES.keys() - COMPILED_FROM_TABLES))
def test_every_pattern_is_a_constant_of_its_module(module):
    inside = [node for node in statements(module) if not is_pattern(node)]
    assert [ast.unparse(call) for node in inside for call in uses_of_re(node)] == []


def test_every_pattern_has_its_worst_inputs():
    assert named_patterns() == PATTERNS.keys()


def test_every_reader_of_text_has_its_worst_inputs():
    assert readers_of_text() == {name for name in FUNCTIONS if ":" in name} | DO_NOT_READ


@pytest.mark.parametrize("batch", sample(range(BATCHES), BATCHES))
def test_a_megabyte_of_the_worst_input_takes_linear_time(batch):
    command = [sys.executable, "-m", "tests.worst_inputs", *list(ROWS)[batch::BATCHES]]
    child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    last = child.stdout.splitlines()[-1].partition("\t")[0]
    assert child.returncode == 0, f"{last} took over {CPU_SECONDS} s, or failed: {child.stderr[-2000:]}"
