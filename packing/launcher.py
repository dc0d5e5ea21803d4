"""The entry point of `audience.pyz`: unpacks the archive once, then becomes `python -m app`.

Programs and shared libraries cannot run from inside an archive. They are unpacked into `code` in the instance
folder, which is private. Processes that start at the same time wait for one another.
"""

import fcntl
import json
import os
import shutil
import sys
import sysconfig
import zipfile
from pathlib import Path

PRIVATE_UMASK = 0o077


def main() -> None:
    os.umask(PRIVATE_UMASK)
    with zipfile.ZipFile(sys.argv[0]) as packed:
        built = json.loads(packed.read("built.json"))
        here = {"python": list(sys.version_info[:2]), "platform": sysconfig.get_platform()}
        for part, required in built["for"].items():
            if here[part] != required:
                sys.exit(f"audience: this file needs {part} {required}, but this is {here[part]}")
        code = instance() / "code" / built["id"]
        try:
            if not code.is_dir():
                unpack(packed, code)
        except OSError as error:
            sys.exit(f"audience: cannot unpack into {code}: {error.strerror}")
    os.environ["PYTHONPATH"] = str(code)
    os.environ["PYTHONNOUSERSITE"] = "1"
    os.execv(sys.executable, [sys.executable, "-P", "-m", "app", *sys.argv[1:]])  # noqa: S606 - no shell is wanted


def instance() -> Path:
    """As in `audience.config`, which is not unpacked yet; no settings file can set the instance folder."""
    return Path(os.environ.get("AUDIENCE_INSTANCE", "instance")).expanduser().absolute()


def unpack(packed: zipfile.ZipFile, code: Path) -> None:
    """Creates `code` completely or not at all."""
    code.parent.mkdir(parents=True, exist_ok=True)
    with open(code.parent / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if code.is_dir():
            return
        draft = code.parent / "unpacking"
        shutil.rmtree(draft, ignore_errors=True)
        for item in packed.infolist():
            if item.filename.startswith("code/"):
                Path(packed.extract(item, draft)).chmod(item.external_attr >> 16 & ~PRIVATE_UMASK)
        os.sync()
        (draft / "code").rename(code)
        draft.rmdir()
