"""The tables of files that operators send."""

from peewee import BigIntegerField, BlobField, IntegerField, TextField

from storage.base_models import BaseModel, SiteOwnedModel


class FileUploadModel(SiteOwnedModel):
    """A file of an operator; `file` is its name in the instance, `reading` and `outcome` are JSON.

    `task` is what a worker is to do with it, empty for nothing; `rows_done` are the rows that it has read.
    `import_id` is that of the import it has become, or 0. `to_search` is how often somebody was erased since
    the file was searched for them.
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
    """The name of an import's file, who sent it, and what was answered: in words, and as a line.

    `digest` is of its content; empty if it was not taken.
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
    """A piece of the contents of a file, where hosts do not share a folder."""

    file = TextField()
    number = IntegerField()
    content = BlobField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "file_pieces"
        indexes = ((("site", "file", "number"), True),)


FILE_UPLOAD_MODELS: tuple[type[BaseModel], ...] = (FileUploadModel, ImportedFileModel, FilePieceModel)
