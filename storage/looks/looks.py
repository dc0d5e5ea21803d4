"""How the public pages of each site look."""

from collections.abc import Mapping
from typing import NamedTuple

from peewee import BlobField, ForeignKeyField, TextField

from storage.base_models import BaseModel, SiteModel
from storage.database import column, execute, row
from storage.records import Records
from storage.sql import replacing


class Look(NamedTuple):
    """A site's look, and its emails' sender. Values that were never set are "".

    `accent` is like `#1d4f80`, `base_url` like `https://mail.example`.
    """

    name: str = ""
    home: str = ""
    imprint: str = ""
    privacy: str = ""
    language: str = ""
    accent: str = ""
    base_url: str = ""
    logo_hash: str = ""
    mail_from: str = ""
    mail_name: str = ""
    reply_to: str = ""


class SitePagesModel(BaseModel, table="site_pages", record=Look):
    """`logo_hash` is "" without a `logo`."""

    site = ForeignKeyField(SiteModel, primary_key=True, on_delete="CASCADE")
    logo = BlobField()
    logo_type = TextField(default="")


LOOKS = Records(SitePagesModel, Look)


def get(site_id: int) -> Look:
    return LOOKS.get(site_id=site_id) or Look()


def base_urls() -> list[str]:
    """The own addresses of sites' pages, such as `https://mail.example`."""
    return column("SELECT DISTINCT base_url FROM site_pages WHERE base_url != ''")


def logo(site_id: int) -> tuple[bytes, str] | None:
    """The (picture, media type) of a site's logo; None without one."""
    record = row("SELECT logo, logo_type FROM site_pages WHERE site_id = ? AND logo_type != ''", (site_id,))
    return record and (bytes(record[0]), record[1])


def put(site_id: int, values: Mapping[str, str]) -> None:
    """Stores `values` by column, and leaves the site's other columns. For the logo, see `put_logo`."""
    row_values = {**Look()._asdict(), **values}
    execute(
        f"INSERT INTO site_pages (site_id, logo, logo_type, {', '.join(row_values)}) "
        f"VALUES (?, ?, ''{', ?' * len(row_values)}) {replacing(['site_id'], values)}",
        (site_id, b"", *row_values.values()),
    )


def put_logo(site_id: int, content: bytes, kind: str, content_hash: str) -> None:
    """Stores a site's logo; `kind` is its media type. Stores nothing unless `put` has created the row."""
    LOOKS.change({"logo": content, "logo_type": kind, "logo_hash": content_hash}, site_id=site_id)
