"""Writes `dist/audience.cdx.json`: what `dist/audience.pyz` contains, as a CycloneDX bill of materials.

Source of the form: https://cyclonedx.org/docs/1.6/json/. The same contents give the same bytes.
"""

import json
from importlib.metadata import PackageMetadata, distribution
from typing import Any

from packing import pyz
from packing.pyz import ROOT

UNSTATED = {"peewee": "MIT"}  # by its file LICENSE, where the metadata has none
TARGET = ROOT / "dist" / "audience.cdx.json"


def main() -> None:
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(f"{json.dumps(bill(), indent=1)}\n", "utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {len(bill()['components'])} components")


def bill() -> dict[str, Any]:
    packed = {each["purl"]: each for each in (component(name, "library") for name in pyz.packed())}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": component("audience", "application")},
        "components": [packed[reference] for reference in sorted(packed)],
    }


def component(name: str, kind: str) -> dict[str, Any]:
    metadata = distribution(name).metadata
    normal, version = metadata["Name"].lower().replace("_", "-"), metadata["Version"]
    reference = f"pkg:pypi/{normal}@{version}"
    return {
        "type": kind,
        "bom-ref": reference,
        "name": metadata["Name"],
        "version": version,
        "purl": reference,
        "licenses": [{"license": {"name": licence(metadata)}}],
    }


def licence(metadata: PackageMetadata) -> str:
    """In the words of the package, in one line."""
    given = [metadata.get_all(name) or [""] for name in ("License-Expression", "License")]
    text = given[0][0] or given[1][0] or UNSTATED.get(metadata["Name"], "")
    classifiers = metadata.get_all("Classifier") or []
    listed = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith("License :: ")]
    return (text if "\n" not in text else "") or ", ".join(listed) or text.partition("\n")[0] or "unknown"


if __name__ == "__main__":
    main()
