"""The rooms of CONTRIBUTING.md: what each may import, no circles, no file too long to read."""

import ast
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.slow import SLOW

ROOT = Path(__file__).parent.parent
LEAVES = (
    "audience.clock",
    "audience.config",
    "audience.errors",
    "audience.local_dates",
    "audience.privacy",
    "audience.protocols",
    "audience.setting_values",
    "audience.sources",
    "audience.telemetry",
)
OUTSIDE_NOUNS = (
    "audience.answers",
    "audience.api",
    "audience.cli",
    "audience.console",
    "audience.data",
    "audience.deliveries",
    "audience.http",
    "audience.mail",
    "audience.operations",
    "audience.pages",
)
NOUNS = "a noun"  # a module of a package of audience/ that is no room, and one at its root that is no leaf

MAY_IMPORT = {  # of ours, beside the room itself
    "audience.answers": (*LEAVES, "audience.data", "schemas.codes", "schemas.values"),
    "audience.api": (*LEAVES, NOUNS, "audience.answers", "audience.http", "audience.operations", "schemas"),
    "audience.cli": (*LEAVES, NOUNS, "audience.answers", "audience.mail", "audience.operations", "schemas"),
    "audience.console": (
        *LEAVES,
        NOUNS,
        "audience.answers",
        "audience.http",
        "audience.mail",
        "audience.operations",
        "audience.pages",
        "schemas",
    ),
    "audience.data": (),
    "audience.deliveries": (*LEAVES, "schemas.codes"),
    "audience.http": (
        *LEAVES,
        NOUNS,
        "audience.answers.service",
        "audience.operations.gauges",
        "audience.operations.probes",
        "schemas",
    ),
    "audience.mail": (*LEAVES, "audience.deliveries"),
    "audience.operations": (*LEAVES, NOUNS, "audience.answers", "audience.mail", "storage"),
    "audience.pages": (*LEAVES, NOUNS, "audience.http", "schemas"),
    "audience": (
        *LEAVES,
        NOUNS,
        "audience.answers",
        "audience.deliveries",
        "audience.mail",
        "storage",
        "schemas.codes",
        "schemas.command_names",
        "schemas.values",
    ),
    "schemas": (),
    "storage": (),
    "workers": (*LEAVES, "audience.jobs", "schemas.codes", "storage.errors"),
}
LEAVES_MAY_IMPORT = {  # beside audience.protocols
    "audience.config": ("audience.privacy", "audience.setting_values"),
    "audience.errors": ("schemas.codes", "schemas.values"),
    "audience.privacy": ("audience.privacy",),
}
ONLY_IN = {  # of the outside
    "flask": ("app", "audience.api", "audience.console", "audience.http", "audience.pages"),
    "werkzeug": ("app", "audience.api", "audience.console", "audience.http", "audience.pages"),
    "flask_httpauth": ("audience.http",),
    "itsdangerous": ("audience.links", "audience.sign_ups"),
    "altcha": ("audience.sign_ups",),
    "standardwebhooks": ("audience.deliveries",),
    "pyotp": ("audience.access",),
    "segno": ("audience.console",),
    "apispec": ("audience.api",),
    "click": ("app", "audience.cli"),
    "dns": ("audience.answers",),
    "bleach": ("audience.answers",),
    "marshmallow": ("schemas",),
    "peewee": ("storage",),
    "playhouse": ("storage",),
    "apsw": ("storage.engines",),
    "rq": ("workers",),
    "redis": ("workers",),
    "limits": ("workers",),
    "prometheus_client": ("workers",),
    "granian": ("workers",),
    "subprocess": ("workers", "storage.engines.postgresql_dumps"),  # a server's own programs
}
MAX_LINES = 400
MAX_NAMES = 8  # of the modules of a package that others import: its face
FACELESS = ("storage.engines", "storage.migrations")
VAGUE_NAMES = {"utils", "helpers", "common", "manager"}
Arrows = dict[str, set[str]]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


ROOMS = ("audience", "schemas", "storage", "workers")
SOURCES = [path for room in ROOMS for path in (ROOT / room).rglob("*.py") if path.parent.name != "migrations"]
FILES = [ROOT / "app.py", *sorted(SOURCES)]
MODULES = {module_name(path): path for path in FILES}


@cache
def imported_names(path: Path) -> set[str]:
    """Every name that a file imports, wherever in it: `package.module` or `package.module.name`."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def imported_modules(path: Path) -> set[str]:
    """Those of ours, packages on the way included."""
    found = set()
    for name in imported_names(path):
        parts = name.split(".")
        found |= {".".join(parts[:end]) for end in range(1, len(parts) + 1)} & MODULES.keys()
    return found


def is_within(name: str, places: tuple[str, ...]) -> bool:
    return any(name == place or name.startswith(f"{place}.") for place in places)


def is_noun(module: str) -> bool:
    return (
        is_within(module, ("audience",))
        and module != "audience"
        and not is_within(module, (*OUTSIDE_NOUNS, *LEAVES))
    )


def is_stored(module: str) -> bool:
    return is_within(module, ("storage",)) and module != "storage"


def subject_arrows(is_inside: Callable[[str], bool] = is_noun) -> Arrows:
    """Among what is at the root of `audience/`, rooms and leaves left out; or of `storage/`."""
    found: Arrows = {}
    for module in filter(is_inside, MODULES):
        subject, *others = [
            name.split(".")[1] for name in (module, *imported_modules(MODULES[module])) if is_inside(name)
        ]
        found.setdefault(subject, set()).update({*others} - {subject})
    return found


def has_face(module: str) -> bool:
    """The engines have none: what is asked of one goes through `chosen`."""
    is_subject = is_noun(module) or (is_stored(module) and not is_within(module, FACELESS))
    return is_subject and MODULES[module].name == "__init__.py"


PACKAGES = sorted(filter(has_face, MODULES))


def face(package: str) -> list[str]:
    """The modules that others may import, which its `__init__` lists without importing them: a command starts
    with what it needs.
    """
    tree = ast.parse(MODULES[package].read_text("utf-8"))
    [listed] = [node for node in tree.body if isinstance(node, ast.Assign)]
    return list(ast.literal_eval(listed.value))


def room_of(module: str) -> str:
    return max((room for room in MAY_IMPORT if is_within(module, (room,))), key=len)


def may_import(module: str, name: str) -> bool:
    for leaf in LEAVES:
        if is_within(module, (leaf,)):
            return is_within(name, ("audience.protocols", *LEAVES_MAY_IMPORT.get(leaf, ())))
    room = room_of(module)
    allowed = MAY_IMPORT[room]
    if NOUNS in allowed and is_noun(name):
        return True
    own = (room,) if room != "audience" else ()
    return is_within(name, (*allowed, *own))


def packages_above(modules: set[str]) -> set[str]:
    return {module for module in modules if any(other.startswith(f"{module}.") for other in modules)}


def arrows_that(is_wrong: Callable[[str, str], bool]) -> Arrows:
    """What each module imports that it may not."""
    found = {
        module: {name for name in imported_names(path) if is_wrong(module, name)}
        for module, path in MODULES.items()
    }
    return {module: names for module, names in found.items() if names}


def test_a_module_imports_only_what_its_room_may():
    found: Arrows = {}
    for module in MODULES.keys() - {"app"}:
        ours = imported_modules(MODULES[module])
        found[module] = {name for name in ours - packages_above(ours) if not may_import(module, name)}
    assert {module: names for module, names in found.items() if names} == {}


def test_a_package_is_imported_only_in_its_room():
    def is_wrong(module: str, name: str) -> bool:
        places = ONLY_IN.get(name.partition(".")[0])
        return places is not None and not is_within(module, places)

    assert arrows_that(is_wrong) == {}


def test_a_packages_private_parts_are_left_alone():
    def is_wrong(_: str, name: str) -> bool:
        is_private = any(part.startswith("_") and not part.startswith("__") for part in name.split("."))
        is_servers = name == "granian" or is_within(name, ("granian.server",))  # whole, or its own
        return not is_within(name, ("_typeshed",)) and (is_private or is_servers)

    assert arrows_that(is_wrong) == {}


def test_there_is_no_circle():
    graph = {
        module: imported_modules(path) - {module, *module_parents(module)} for module, path in MODULES.items()
    }
    hold_no_circle(graph)


@pytest.mark.parametrize("is_inside", [is_noun, is_stored])
def test_no_package_is_in_a_circle_with_another(is_inside):
    hold_no_circle(subject_arrows(is_inside))


def hold_no_circle(graph: Arrows) -> None:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def module_parents(module: str) -> set[str]:
    parts = module.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts))}


def test_a_room_says_what_it_is_and_imports_nothing():
    for path in filter(lambda path: path.name == "__init__.py", FILES):
        tree = ast.parse(path.read_text("utf-8"))
        assert ast.get_docstring(tree), path
        assert len(tree.body) == 1 + (module_name(path) in PACKAGES), path


@pytest.mark.parametrize("package", PACKAGES)
def test_others_import_the_face_of_a_package_and_all_of_it(package):
    imported = {
        name
        for module, path in MODULES.items()
        for name in imported_modules(path) - {package}
        if is_within(name, (package,)) and not is_within(module, (package,))
    }
    assert {name.split(".")[2] for name in imported} == set(face(package))


def test_a_face_is_small():
    assert [package for package in PACKAGES if len(face(package)) > MAX_NAMES] == []


def test_no_file_is_too_long_to_read_at_once():
    lines = {module: len(path.read_text("utf-8").splitlines()) for module, path in MODULES.items()}
    assert {module: count for module, count in lines.items() if count > MAX_LINES} == {}


def test_the_table_of_slow_tests_names_what_is_there():
    assert [place for place in SLOW if not place.exists()] == []


def test_no_file_has_a_vague_name():
    assert {module for module in MODULES if VAGUE_NAMES & set(module.split("."))} == set()


def test_a_class_name_means_one_thing():
    """But for a protocol and its one implementation."""
    places: dict[str, list[str]] = defaultdict(list)
    for module, path in MODULES.items():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(module)
    twice = {
        name: modules
        for name, modules in places.items()
        if len(modules) > 1 and not (len(modules) == 2 and "audience.protocols" in modules)
    }
    assert twice == {}
