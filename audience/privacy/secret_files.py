"""Files with secrets: readable by their owner only, and written atomically."""

import contextlib
import fcntl
import json
import os
import pwd
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

FIRST_SITE = "first-site.json"
PRIVATE, LOCK = (
    ".audience-",
    "lock",
)  # prefix of a private folder, and the file in it that is locked


def private_opener(path: str, flags: int) -> int:
    """An `opener` for `open()`: new files have mode 0600."""
    return os.open(path, flags, 0o600)


def write(file: Path, content: bytes) -> None:
    """Replaces the file in one step, and removes drafts left by interrupted writers."""
    publish(_draft(file, content), file)
    _remove_drafts(file)


def publish(draft: Path, file: Path) -> None:
    """Moves a private draft, complete on disk, to its name in the same folder tree."""
    draft.replace(file)
    _sync_folder(file.parent)


def write_once(file: Path, content: bytes) -> None:
    """Creates the file unless it exists. The first of several writers wins."""
    draft = _draft(file, content)
    try:
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink()
    _sync_folder(file.parent)


def foreign_owner(file: Path) -> str | None:
    """A sentence that names the owner of a file, if that is another user.

    None if this user owns it, or if root does and it is readable.
    """
    try:
        if not file.exists() or file.stat().st_uid == os.geteuid():
            return None
        if file.stat().st_uid == 0 and os.access(file, os.R_OK):
            return None
    except PermissionError:  # in a folder that only its user may enter
        pass
    user = _user(file.parent.stat().st_uid)
    return (
        f"{file} is another user's: {file.parent} is the folder of the user {user}, so run this command as "
        f"{user}, or give the file to the user that runs Audience"
    )


def _user(user_id: int) -> str:
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return str(user_id)


def set_aside(file: Path) -> Path | None:
    """Renames a file or folder to `NAME.INSTANT.old`. Returns the new path; None if it does not exist."""
    if not file.exists():
        return None
    aside = file.rename(file.with_name(f"{file.name}.{time.time_ns()}.old"))
    _sync_folder(file.parent)
    return aside


def write_first_site(instance: Path, values: Mapping[str, str]) -> None:
    """Stores the first site's credentials, with the secret key; sets a former file aside."""
    set_aside(instance / FIRST_SITE)
    write(instance / FIRST_SITE, json.dumps(values, indent=2).encode())


def forget_first_site(instance: Path, publishable_key: str) -> None:
    """Deletes the first site's file if it has that key, or is damaged."""
    forget_first_site_unless(instance, lambda stored_key, _: stored_key != publishable_key)


def forget_first_site_unless(instance: Path, keep: Callable[[str, str], bool]) -> None:
    """Deletes the first site's file unless `keep(publishable_key, secret_key)`, or if it is damaged."""
    file = instance / FIRST_SITE
    if file.exists():
        keys = first_site_keys(instance)
        if keys is None or not keep(*keys):
            file.unlink()
            _remove_drafts(file)
            _sync_folder(instance)


def first_site_keys(instance: Path) -> tuple[str, str] | None:
    """The (publishable key, secret key) in the first site's file; None if it is missing or damaged."""
    try:
        values = json.loads((instance / FIRST_SITE).read_text("utf-8"))
        return str(values["publishable_key"]), str(values["secret_key"])
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        return None


def _draft(file: Path, content: bytes) -> Path:
    draft = file.with_name(f"{file.name}.{secrets.token_hex(4)}.new")
    try:
        with open(draft, "xb", opener=private_opener) as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return draft


def _remove_drafts(file: Path) -> None:
    for draft in file.parent.glob(f"{file.name}.*.new"):
        draft.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def private_folder(parent: Path) -> Iterator[Path]:
    """Yields a private folder in `parent`, deleted at the end. Removes those of killed processes first."""
    remove_leftover_folders(parent)
    with (
        tempfile.TemporaryDirectory(prefix=PRIVATE, dir=parent) as name,
        open(Path(name) / "new", "xb") as lock,
    ):
        with contextlib.suppress(OSError):  # without locks, the folder of a killed process stays
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield Path(lock.name).rename(Path(name) / LOCK).parent


def remove_leftover_folders(parent: Path) -> None:
    """Removes the private folders that no process uses."""
    for file in parent.glob(f"{PRIVATE}*/{LOCK}"):
        with contextlib.suppress(OSError), file.open("r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(file.parent)
