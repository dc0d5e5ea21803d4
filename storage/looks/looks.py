"""How the public pages of each site look."""

from typing import NamedTuple

from storage.database import column, execute, row
from storage.looks.models import SitePagesModel
from storage.records import Records


class Look(NamedTuple):
    """Each is empty if it was never set; `accent` is like `#1d4f80`, `base_url` like `https://mail.example`."""

    name: str = ""
    home: str = ""
    imprint: str = ""
    privacy: str = ""
    language: str = ""
    accent: str = ""
    base_url: str = ""
    logo_hash: str = ""


LOOKS = Records(SitePagesModel, Look)


def get(site_id: int) -> Look:
    return LOOKS.get(site_id=site_id) or Look()


def base_urls() -> list[str]:
    """The sites' own addresses."""
    return column("SELECT DISTINCT base_url FROM site_pages WHERE base_url != ''")


def logo(site_id: int) -> tuple[bytes, str] | None:
    """The picture and its type, such as `image/png`; None if there is none."""
    record = row("SELECT logo, logo_type FROM site_pages WHERE site_id = ? AND logo_type != ''", (site_id,))
    return record and (bytes(record[0]), record[1])


def put(site_id: int, look: Look) -> None:
    """Stores how a site's pages look, but for the logo, which stays."""
    values = look._asdict() | {"logo_hash": ""}
    names = [name for name in values if name != "logo_hash"]
    execute(
        f"INSERT INTO site_pages (site_id, logo, logo_type, {', '.join(values)}) "
        f"VALUES (?, ?, ''{', ?' * len(values)}) ON CONFLICT (site_id) DO UPDATE SET "
        + ", ".join(f"{name} = excluded.{name}" for name in names),
        (site_id, b"", *values.values()),
    )


def put_logo(site_id: int, content: bytes, kind: str, content_hash: str) -> None:
    """Stores a logo in the row that `put` has made."""
    LOOKS.change({"logo": content, "logo_type": kind, "logo_hash": content_hash}, site_id=site_id)
