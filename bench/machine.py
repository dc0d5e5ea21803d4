"""The machine and the commit that figures were measured on."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import apsw

ROOT = Path(__file__).parent.parent


def facts() -> dict[str, str]:
    return {
        "Date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "Commit": _git("rev-parse", "--short", "HEAD") + (", with changes" if _changed() else ""),
        "Processor": f"{_processor()}, {os.cpu_count()} cores",
        "Memory": f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB",
        "Load before": f"{os.getloadavg()[0]:.1f}",
        "System": f"{platform.system()} {platform.release()}",
        "Python, SQLite": f"{platform.python_version()}, {apsw.sqlite_lib_version()}",
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "unknown")


def _changed() -> bool:
    return bool(_git("status", "--porcelain", "--untracked-files=no"))


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()
