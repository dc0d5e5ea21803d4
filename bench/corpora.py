"""Public corpora from the registries, fetched for a benchmark into `.bench/`; none is in the repository."""

import subprocess
import tarfile
from pathlib import Path

KEPT = Path(__file__).parent.parent / ".bench"


def npm(package: str, version: str) -> Path | None:
    """The unpacked folder of an npm package, None (and a line saying so) if it cannot be had."""
    folder = KEPT / f"{package.replace('/', '-').lstrip('@')}-{version}"
    if not folder.exists():
        KEPT.mkdir(exist_ok=True)
        pack = ["npm", "pack", "--silent", f"{package}@{version}", "--pack-destination", str(KEPT)]
        try:
            name = subprocess.run(pack, check=True, capture_output=True, text=True, timeout=300).stdout
        except (OSError, subprocess.SubprocessError) as error:
            print(f"  npm {package}@{version} cannot be had: {error}")
            return None
        archive = KEPT / name.split()[-1]
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
        archive.unlink()
    return folder / "package"
