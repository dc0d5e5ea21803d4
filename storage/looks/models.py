"""The table of looks."""

from peewee import BlobField, ForeignKeyField, TextField

from storage.base_models import BaseModel, SiteModel


class SitePagesModel(BaseModel):
    """How the public pages of a site look, the address that they have for themselves, and who its emails are
    from. `logo_hash` is the hash of `logo`, and "" without one.
    """

    site = ForeignKeyField(SiteModel, primary_key=True, on_delete="CASCADE")
    name = TextField(default="")
    home = TextField(default="")
    imprint = TextField(default="")
    privacy = TextField(default="")
    language = TextField(default="")
    accent = TextField(default="")
    logo = BlobField()
    logo_type = TextField(default="")
    logo_hash = TextField(default="")
    base_url = TextField(default="")
    mail_from = TextField(default="")
    mail_name = TextField(default="")
    reply_to = TextField(default="")

    class Meta:
        table_name = "site_pages"


LOOK_MODELS: tuple[type[BaseModel], ...] = (SitePagesModel,)
