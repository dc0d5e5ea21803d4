"""The table of looks."""

from peewee import BlobField, ForeignKeyField, TextField

from storage.base_models import BaseModel, SiteModel


class SitePagesModel(BaseModel):
    """A site's look, its pages' own address and its emails' sender. `logo_hash` is "" without a `logo`."""

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
