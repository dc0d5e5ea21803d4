"""Arrows point one way: what each room may import (of ours, and of the outside)."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LEAVES = ("audience.config", "audience.errors", "audience.ports")
NOUNS = ("audience",)
OURS = {
    "audience.api": ("audience", "schemas"),
    "audience.cli": ("audience", "schemas"),
    "audience.checks": (*LEAVES, "audience.checks", "audience.data"),
    "audience.data": (),
    "audience": ("audience", "storage"),
    "schemas": ("schemas",),
    "storage": ("storage",),
    "workers": ("workers", "storage", "audience.imports", *LEAVES),
}
NEVER = {
    "audience": ("audience.api", "audience.cli"),
    "audience.api": ("audience.cli",),
    "audience.cli": ("audience.api",),
}
ONLY = {
    "flask": ("audience.api", "app"),
    "werkzeug": ("audience.api", "app"),
    "flask_httpauth": ("audience.api",),
    "apispec": ("audience.api",),
    "click": ("audience.cli", "app"),
    "dns": ("audience.checks",),
    "bleach": ("audience.checks",),
    "marshmallow": ("schemas",),
    "peewee": ("storage",),
    "playhouse": ("storage",),
    "pysqlite3": ("storage",),
    "rq": ("workers",),
    "redis": ("workers",),
    "limits": ("workers",),
    "prometheus_client": ("workers",),
    "granian": ("workers",),
    "subprocess": ("workers",),
}
MODULES = sorted(
    path for room in ("audience", "schemas", "storage", "workers") for path in (ROOT / room).rglob("*.py")
)


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str) -> str:
    return max((room for room in OURS if module == room or module.startswith(f"{room}.")), key=len)


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def within(name: str, rooms: tuple[str, ...]) -> bool:
    return any(name == room or name.startswith(f"{room}.") for room in rooms)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_module_imports_only_what_its_room_may(path):
    module = module_name(path)
    room = room_of(module)
    leaf = module in LEAVES
    for name in imports(path):
        if within(name, ("audience", "schemas", "storage", "workers", "app")):
            allowed = () if leaf else OURS[room]
            assert within(name, allowed), f"{module} may not import {name}"
            assert not within(name, NEVER.get(room, ())), f"{module} may not import {name}"
        for package, rooms in ONLY.items():
            if within(name, (package,)):
                assert room in rooms, f"{module} may not import {package}"
