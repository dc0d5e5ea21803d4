"""One word for one thing: what was replaced comes back neither in names nor in messages or pages."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ROOMS = ("app.py", "audience", "schemas", "storage", "workers", "bench")
ANSWERS = ("audience/answers",)
PLACES = (
    "audience/operations/place_tables.py",
    "audience/operations/table_renewal.py",
    "bench/more/answers_geo.py",
)
IDENTIFIER, FUNCTION, MESSAGE, DOCS = "identifier", "function", "message", "docs"


class Word(NamedTuple):
    """`not_this` is a pattern of a whole identifier, or of words in a text; `rooms` are exempt."""

    not_this: str
    but: str
    where: tuple[str, ...]
    rooms: tuple[str, ...] = ()


# Members of classes, keys of JSON, settings, columns and the audit log's stored texts keep their names.
WORDS = (
    Word(r"(?i:(\w+_)?acts?(_\w+)?)|\w*Acts?([A-Z]\w*)?", "action, or call", (IDENTIFIER, FUNCTION)),
    Word("(an|the|all|each|every|one|by|bulk|earlier) acts?( on many)?", "bulk action", (MESSAGE, DOCS)),
    Word("(take|takes|took|taking) (it|this|that|them|an import) back", "undo", (MESSAGE, DOCS)),
    Word("taken back", "undone", (DOCS,)),
    Word(r"\w*(take|taken|taking)_?back\w*", "undo", (IDENTIFIER, FUNCTION)),
    Word("(bring|brings|bringing|brought) back", "resubscribe, or restore", (MESSAGE, DOCS)),
    Word("errands?|chores?", "maintenance task", (IDENTIFIER, MESSAGE, DOCS)),
    Word("overtaken", "touched later", (MESSAGE, DOCS), ("storage/migrations",)),
    Word("pieces?", "chunk", (IDENTIFIER,), ANSWERS),
    Word("bell", "notification", (IDENTIFIER, DOCS)),
    Word("each|given|made|met", "the noun of what it holds", (IDENTIFIER,), ANSWERS),
    Word("_?(of|met|away|said|named|because|unlike|doing)", "a verb or a noun", (FUNCTION,), ANSWERS),
    Word("_?(given|made|told|left|elsewhere)", "a verb or a noun", (FUNCTION,), ANSWERS),
    Word(
        "_?(opened|merged|shown|kept|taken|matched|redirected|understood)",
        "a verb or a noun",
        (FUNCTION,),
        ANSWERS,
    ),
    Word(
        "_?(meant|looked|unwrapped|stripped|folded|hashed|gzipped|people|who|lost)",
        "a verb or a noun",
        (FUNCTION,),
    ),
    Word("person|people", "subscriber", (IDENTIFIER,), ANSWERS),
    Word("places?", "position, index or cursor", (IDENTIFIER,), (*ANSWERS, *PLACES)),
    Word(
        "known|left|told|taken|gone|kept|said|seen|written",
        "the noun of what it holds",
        (IDENTIFIER,),
        ANSWERS,
    ),
    Word("stays? away", "stay unsubscribed, or are not imported", (MESSAGE,)),
    Word("did not count", "ignored", (MESSAGE,)),
    Word(
        "comes? in (new|as|unconfirmed)|came in (as|unconfirmed)",
        "added, or unconfirmed",
        (MESSAGE,),
    ),
    Word("another word for", "recognised by its name", (MESSAGE,)),
    Word("bookkeeping", "say who uses it", (MESSAGE,)),
    Word("what (became|becomes) of", "result, or whether", (MESSAGE,)),
    Word("ticks? (off|somebody|people)", "untick, or select", (MESSAGE,)),
    Word("anew", "again, restart, reinstall", (MESSAGE,)),
    Word("log of recent writes", "write-ahead log (WAL)", (MESSAGE,)),
    Word("at the last moment", "during the commit", (MESSAGE,)),
    Word("was taken of", "was used", (MESSAGE,)),
    Word("keeps? (the service|a file or a database) (from|equal)", "valid, or up to date", (MESSAGE,)),
    Word("at most so many", "how many at most", (MESSAGE,)),
    Word("has had its emails", "has reached its limit", (MESSAGE,)),
    Word("(go|goes|gone|went) on with it", "continue", (MESSAGE,)),
    Word(r"takes? (it|them|a value|the \w+|line ends) (away|off)", "remove", (MESSAGE,)),
    Word("make (answers|it|them) up", "invent", (MESSAGE,)),
    Word("said of everyone|by which visitors", "of everyone, with which", (MESSAGE,)),
    Word("demands? it|be asked for a moment ago", "require, request", (MESSAGE,)),
    Word("tick people|those who were ticked", "select, selected", (DOCS,)),
    Word("(who|whoever) left (stays|elsewhere)|came in as left|have left", "unsubscribed", (DOCS,)),
    Word("people stay away", "people who unsubscribed stay unsubscribed", (DOCS,)),
    Word("did something|none before", "active; first in this period", (DOCS,)),
    Word("put (it|a tag) on|take (it )?off", "add, remove", (DOCS,)),
    Word("commas between", "separated by commas", (MESSAGE, DOCS)),
    Word(
        "(it|and) goes on if you leave|were? not looked at|broken off", "continues, was interrupted", (DOCS,)
    ),
    Word("holds alone|with a doubt|shown this once", "say who does what", (DOCS,)),
)


def files(exempt: tuple[str, ...] = ()) -> Iterator[Path]:
    for room in ROOMS:
        for file in [ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py")):
            if not file.relative_to(ROOT).as_posix().startswith(exempt or ("/",)):
                yield file


def pages() -> list[Path]:
    """The documentation, and the templates of pages."""
    return [
        ROOT / "README.md",
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "audience").rglob("*.html")),
    ]


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def identifiers(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Variables and parameters; members of a class are often what is stored or sent."""
    members = {
        id(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for child in node.body
        if isinstance(child, ast.AnnAssign | ast.Assign)
        for target in ([child.target] if isinstance(child, ast.AnnAssign) else child.targets)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in members:
            yield node.lineno, node.id


def functions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Also classes."""
    named = (ast.FunctionDef, ast.ClassDef)
    yield from ((node.lineno, node.name) for node in tree.body if isinstance(node, named))


def messages(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Strings of several words, but for docstrings that no command shows as its help."""
    described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(
            re.search(r"\b(command|group)\b", ast.unparse(decorator)) for decorator in node.decorator_list
        ):
            described.discard(id(getattr(node.body[0], "value", None)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            yield node.lineno, node.value


READERS = {IDENTIFIER: identifiers, FUNCTION: functions, MESSAGE: messages}


@cache
def texts(file: Path, where: str) -> list[tuple[int, str]]:
    return list(READERS[where](parsed(file)))


def uses(word: Word) -> Iterator[str]:
    whole, within = re.compile(word.not_this), re.compile(rf"\b({word.not_this})\b", re.IGNORECASE)
    matches = {IDENTIFIER: whole.fullmatch, FUNCTION: whole.fullmatch, MESSAGE: within.search}
    for file in files(word.rooms):
        for where in filter(matches.get, word.where):
            yield from (
                f"{file.relative_to(ROOT)}:{line} {text[:80]}"
                for line, text in texts(file, where)
                if matches[where](text)
            )
    for page in pages() if DOCS in word.where else ():
        lines = page.read_text("utf-8").splitlines()
        yield from (
            f"{page.relative_to(ROOT)}:{at}" for at, line in enumerate(lines, 1) if within.search(line)
        )


def test_a_word_that_was_replaced_does_not_come_back() -> None:
    assert {f"Write: {word.but}.": found for word in WORDS if (found := list(uses(word)))} == {}
