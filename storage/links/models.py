"""The tables of links."""

from peewee import BigIntegerField, CompositeKey, IntegerField, TextField

from storage.base_models import BaseModel


class LinkGenerationModel(BaseModel):
    """A generation of a site's links, from the second on. `lowest` is the first whose links are valid."""

    site_id = IntegerField()
    generation = IntegerField()
    nonce = TextField()
    lowest = IntegerField()
    made_at = BigIntegerField()

    class Meta:
        table_name = "link_generations"
        primary_key = CompositeKey("site_id", "generation")
        without_rowid = True


class FormerLinkModel(BaseModel):
    """A deleted subscriber: the keyed hashes of the uuid, which links have, and of the address.

    `subscriber_id` is the latest subscriber who was created with the address since, or moved to it. No
    foreign keys.
    """

    site_id = IntegerField()
    uuid_hash = TextField()
    address_hash = TextField()
    subscriber_id = IntegerField(null=True)
    at = BigIntegerField()

    class Meta:
        table_name = "former_links"
        primary_key = CompositeKey("site_id", "uuid_hash")
        without_rowid = True
        indexes = ((("site_id", "address_hash"), False),)


LINK_MODELS: tuple[type[BaseModel], ...] = (LinkGenerationModel, FormerLinkModel)
