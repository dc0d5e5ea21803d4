"""The start of `audience.pyz`: unpacks what it carries, once, and becomes `python -m app` over that.

Programs and libraries cannot run from inside an archive. They go to `code` in the instance folder, which is
the service's own and private already; several starts at once wait for each other.
"""

import fcntl
import json
import os
import shutil
import sys
import sysconfig
import zipfile
from pathlib import Path

PRIVATE = 0o077


def main() -> None:
    os.umask(PRIVATE)
    with zipfile.ZipFile(sys.argv[0]) as packed:
        built = json.loads(packed.read("built.json"))
        here = {"python": list(sys.version_info[:2]), "platform": sysconfig.get_platform()}
        for part, wanted in built["for"].items():
            if here[part] != wanted:
                sys.exit(f"audience: this file was built for {part} {wanted}, and this is {here[part]}")
        code = instance() / "code" / built["id"]
        try:
            if not code.is_dir():
                unpack(packed, code)
        except OSError as error:
            sys.exit(f"audience: cannot unpack into {code}: {error.strerror}")
    os.environ["PYTHONPATH"] = str(code)
    os.environ["PYTHONNOUSERSITE"] = "1"
    os.execv(sys.executable, [sys.executable, "-P", "-m", "app", *sys.argv[1:]])  # noqa: S606 - becomes it


def instance() -> Path:
    """As `audience.config` has it; the instance is the one setting that is in no file."""
    return Path(os.environ.get("AUDIENCE_INSTANCE", "instance")).expanduser().absolute()


def unpack(packed: zipfile.ZipFile, code: Path) -> None:
    """Makes `code` whole or not at all."""
    code.parent.mkdir(parents=True, exist_ok=True)
    with open(code.parent / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if code.is_dir():
            return
        draft = code.parent / "unpacking"
        shutil.rmtree(draft, ignore_errors=True)
        for item in packed.infolist():
            if item.filename.startswith("code/"):
                Path(packed.extract(item, draft)).chmod(item.external_attr >> 16 & ~PRIVATE)
        os.sync()
        (draft / "code").rename(code)
        draft.rmdir()
