"""The bundled texts: hostile payloads with their sources, and ordinary sentences."""

import ast
import json
import re
import sysconfig
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
PAYLOAD_FILES = sorted(DATA.glob("xss_*.json"))
EVENTS = (DATA / "events.txt").read_text("utf-8").split()


def payloads(file: Path) -> list[str]:
    found: list[str] = json.loads(file.read_text("utf-8"))["payloads"]
    return found


@cache
def all_payloads() -> list[str]:
    """All bundled payloads, and one per event of Chromium."""
    bundled = [payload for file in PAYLOAD_FILES for payload in payloads(file)]
    generated = [f"<xss {event}=alert(1) tabindex=1>x</xss>" for event in EVENTS]
    return list(dict.fromkeys(bundled + generated))


@cache
def ordinary_sentences() -> list[str]:
    return (DATA / "ordinary_sentences.txt").read_text("utf-8").splitlines()


def profane_texts() -> list[str]:
    return (DATA / "profane.txt").read_text("utf-8").splitlines()


@cache
def documentation() -> list[str]:
    """Paragraphs of the docstrings of Python's standard library: prose about code."""
    root = Path(sysconfig.get_paths()["stdlib"])
    files = [
        *root.glob("*.py"),
        *(file for name in ("email", "http", "html", "xml") for file in root.glob(f"{name}/*.py")),
    ]
    found: dict[str, None] = {}
    for file in sorted(files):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                paragraphs = re.split(r"\n\s*\n", ast.get_docstring(node) or "")
                found |= dict.fromkeys(text for text in paragraphs if len(text) > 20)
    return list(found)
