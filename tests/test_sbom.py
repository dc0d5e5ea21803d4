"""The bill of materials has what `audience.pyz` contains."""

from importlib.metadata import distribution

from packing import pyz, sbom


def test_it_has_each_packed_package_with_its_version_and_licence():
    bill = sbom.bill()
    packed = pyz.packed()
    versions = {each["name"].lower(): each["version"] for each in bill["components"]}
    assert versions == {
        distribution(name).metadata["Name"].lower(): distribution(name).version for name in packed
    }
    licences = {each["name"]: each["licenses"][0]["license"]["name"] for each in bill["components"]}
    assert [name for name, words in licences.items() if words == "unknown" or len(words) > 100] == []


def test_it_names_the_version_of_audience():
    itself = sbom.bill()["metadata"]["component"]
    assert itself["purl"] == f"pkg:pypi/audience@{pyz.PROJECT['project']['version']}"


def test_every_reference_is_there_once():
    references = [each["bom-ref"] for each in sbom.bill()["components"]]
    assert len(references) == len(set(references)) > 20
