"""The machine and the commit that figures were measured on."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent


def facts() -> str:
    commit = git("rev-parse", "--short", "HEAD")
    changed = " with changes" if git("diff", "HEAD", "--name-only") else ""
    machine = f"{os.cpu_count()} cores, load before {os.getloadavg()[0]:.1f}, {platform.release()}"
    return f"{datetime.now(UTC):%Y-%m-%d}, {commit}{changed}, {machine}, Python {platform.python_version()}"


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()
