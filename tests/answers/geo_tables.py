"""Small tables in the form of `audience/data/geolocation`, and a small `.mmdb` writer."""

import lzma
import struct
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

COUNTRIES = "code2,code3,continent_code,name\nDE,DEU,EU,Germany\nNL,NLD,EU,The Netherlands\n"
REGION_NAMES = "code2,source,name\nDE,Free State of Bavaria,Bavaria\n"
LOCATIONS = (
    "location_id,country_iso_code,subdivision_1_name,city_name,latitude,longitude\n"
    '1,DE,Bavaria,"Munich, ""Altstadt""",48.1374,11.5755\n'
    "2,NL,,Łódź-aan-Zee,-0.5,180\n"
)
# 1.0.0.0 to 1.0.0.255: 1; to 1.2.0.9: 2 (over two edges of a /16); 1.2.0.10: 1; the rest unknown.
BLOCKS = (
    f"length,location_id\n16777216,0\n256,1\n{2 * 65536 - 256 + 10},2\n1,1\n{2**32 - 16777216 - 131083},0\n"
)


def number(ip: str) -> int:
    return int(IPv4Address(ip))


class Integer(int):
    """An unsigned integer of a `.mmdb`: number of its type, bytes."""

    kind: int
    size: int


class Uint16(Integer):
    kind, size = 5, 2


class Uint32(Integer):
    kind, size = 6, 4


class Uint64(Integer):
    kind, size = 9, 8


def write_tables(folder: Path, blocks: str = BLOCKS, locations: str = LOCATIONS) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "countries.csv").write_text(COUNTRIES, "utf-8")
    (folder / "region_names.csv").write_text(REGION_NAMES, "utf-8")
    (folder / "blocks_delta.csv.xz").write_bytes(lzma.compress(blocks.encode()))
    (folder / "locations.csv.xz").write_bytes(lzma.compress(locations.encode()))
    return folder


def write_mmdb(path: Path, network: str, record: dict[str, Any]) -> Path:
    """A database of one network (format: https://maxmind.github.io/MaxMind-DB/, 24-bit records)."""
    bits = IPv4Network(network)
    depth = bits.prefixlen
    tree = b""
    for level in range(depth):
        branch = level + 1 if level + 1 < depth else depth + 16
        pair = [depth, depth]
        pair[int(bits[0]) >> (31 - level) & 1] = branch
        tree += b"".join(node.to_bytes(3) for node in pair)
    metadata = {
        "binary_format_major_version": Uint16(2),
        "binary_format_minor_version": Uint16(0),
        "build_epoch": Uint64(1),
        "database_type": "Test-City",
        "description": {},
        "ip_version": Uint16(4),
        "languages": ["en"],
        "node_count": Uint32(depth),
        "record_size": Uint16(24),
    }
    path.write_bytes(tree + bytes(16) + _encoded(record) + b"\xab\xcd\xefMaxMind.com" + _encoded(metadata))
    return path


def _encoded(value: Any) -> bytes:
    if isinstance(value, dict):
        return _control(7, len(value)) + b"".join(_encoded(k) + _encoded(v) for k, v in value.items())
    if isinstance(value, list):
        return _control(11, len(value)) + b"".join(map(_encoded, value))
    if isinstance(value, float):
        return _control(3, 8) + struct.pack(">d", value)
    if isinstance(value, Integer):
        data = value.to_bytes(value.size)
        return _control(value.kind, len(data)) + data
    data = str(value).encode()
    return _control(2, len(data)) + data


def _control(kind: int, size: int) -> bytes:
    extended = b"" if kind < 8 else bytes([kind - 7])
    first = (kind if kind < 8 else 0) << 5
    if size < 29:
        return bytes([first | size]) + extended
    return bytes([first | 29]) + extended + bytes([size - 29])
