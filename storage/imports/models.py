"""The tables of the inbox, and of files that operators send."""

from peewee import BigIntegerField, BlobField, ForeignKeyField, IntegerField, TextField

from storage.base_models import BaseModel, SiteOwnedModel, add_partial_index


class MovedAddressModel(SiteOwnedModel):
    """A subscriber's change of address in the transaction `number`, kept while older imports wait.

    Each change has two rows: the subscriber left one address, and `came` to the other.
    """

    address_hash = TextField()
    subscriber_id = BigIntegerField()
    number = BigIntegerField()
    came = IntegerField()  # 1 or 0

    class Meta:
        table_name = "moved_addresses"
        indexes = ((("site", "number"), False),)


class ImportModel(SiteOwnedModel):
    """An import. `applied` of the `rows` are written. `turn`, its acceptance number, is its position in the
    queue.

    Only imports of files have `columns` (JSON) and, if they can be resumed, a `source` that identifies the
    file.
    """

    status = TextField()
    rows = IntegerField()
    applied = IntegerField(default=0)
    refused = IntegerField(default=0)
    created = IntegerField(default=0)
    updated = IntegerField(default=0)
    unchanged = IntegerField(default=0)
    suppressed = IntegerField(default=0)
    unsubscribed = IntegerField(default=0)
    stay_unsubscribed = IntegerField(default=0)
    unsubscribes_ignored = IntegerField(default=0)
    subscribes_ignored = IntegerField(default=0)
    receiving_until = BigIntegerField(default=0)
    created_at = BigIntegerField()
    started_at = BigIntegerField(null=True)
    finished_at = BigIntegerField(null=True)
    turn = BigIntegerField(null=True)
    accepted_at = BigIntegerField(null=True)
    source = TextField(null=True)
    columns = TextField(null=True)

    class Meta:
        table_name = "imports"
        indexes = (
            (("site", "id"), False),  # the newest of a site
            (("site", "created_at"), False),  # the report on imports
        )


# The next in the queue; unfinished files.
add_partial_index("imports_waiting", ImportModel.site, ImportModel.turn,
    where=ImportModel.status.in_(("queued", "running")))  # fmt: skip
add_partial_index("imports_receiving", ImportModel.receiving_until, where=ImportModel.status == "receiving")


class ImportBatchModel(SiteOwnedModel):
    """A batch of an import to apply: its rows from `first_row` on, as a JSON array."""

    parent = ForeignKeyField(ImportModel, column_name="import_id", on_delete="CASCADE")
    first_row = IntegerField()
    payload = TextField()

    class Meta:
        table_name = "import_batches"
        indexes = ((("site", "parent", "first_row"), True),)  # the batch of a row


class RefusedRowModel(SiteOwnedModel):
    """A refused row of a file: `cells` is JSON, with addresses hashed."""

    parent = ForeignKeyField(ImportModel, column_name="import_id", on_delete="CASCADE")
    row_number = IntegerField()
    address_hash = TextField()
    code = TextField()
    message = TextField()
    cells = TextField()
    refused_at = BigIntegerField(index=True)

    class Meta:
        table_name = "refused_rows"
        indexes = ((("site", "address_hash"), False),)  # erasing


class FileUploadModel(SiteOwnedModel):
    """An uploaded file. `file` is its name in the instance folder. `reading` and `outcome` are JSON.

    `task` is what a worker should do with it, "" for nothing; `rows_done` is how many rows the worker has
    read. `import_id` is that of the import made of the file, or 0. `to_search` is the number of the first
    erasure for which the file must be searched, or 0.
    """

    file = TextField()
    name = TextField()
    bytes = IntegerField()
    reading = TextField()
    created_at = BigIntegerField()
    task = TextField()
    actor = TextField()
    client_network = TextField()
    rows_done = BigIntegerField()
    outcome = TextField()
    import_id = BigIntegerField()
    to_search = BigIntegerField()

    class Meta:
        table_name = "file_uploads"
        indexes = ((("site", "id"), False),)


class ImportedFileModel(SiteOwnedModel):
    """The file of an import: its name, who sent it, and the answers to its questions.

    `consent` has the answers in words, `answers` as a line. `digest` is that of the content, "" if it was not
    computed.
    """

    import_id = IntegerField()
    name = TextField()
    actor = TextField()
    consent = TextField()
    answers = TextField()
    digest = TextField()

    class Meta:
        table_name = "imported_files"
        indexes = ((("site", "import_id"), True), (("site", "digest"), False))


class FilePieceModel(SiteOwnedModel):
    """A chunk of a file's content, in the database because hosts do not share a folder."""

    file = TextField()
    number = IntegerField()
    content = BlobField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "file_pieces"
        indexes = ((("site", "file", "number"), True),)


FILE_UPLOAD_MODELS: tuple[type[BaseModel], ...] = (FileUploadModel, ImportedFileModel, FilePieceModel)
