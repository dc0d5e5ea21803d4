"""The table of former names of tags."""

from peewee import BigIntegerField, IntegerField, TextField

from storage.base_models import SiteOwnedModel


class TagRenameModel(SiteOwnedModel):
    """A name that a tag had until it was renamed, or merged into another tag."""

    tag_id = IntegerField()
    into_id = IntegerField()
    name = TextField()
    name_key = TextField()
    number = BigIntegerField()
    source = TextField()
    source_id = IntegerField()
    position = IntegerField(default=0)
    is_told = IntegerField(default=0)

    class Meta:
        table_name = "tag_renames"
        indexes = ((("site", "name_key"), False),)
