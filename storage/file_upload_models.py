"""The tables of files that operators send."""

from peewee import BigIntegerField, IntegerField, TextField

from storage.base_models import BaseModel, SiteOwnedModel


class FileUploadModel(SiteOwnedModel):
    """A file that is not imported yet; `file` is its name in the instance, `reading` is JSON."""

    file = TextField()
    name = TextField()
    bytes = IntegerField()
    reading = TextField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "file_uploads"
        indexes = ((("site", "id"), False),)


class ImportedFileModel(SiteOwnedModel):
    """The name of an import's file, and who sent it."""

    import_id = IntegerField()
    name = TextField()
    actor = TextField()

    class Meta:
        table_name = "imported_files"
        indexes = ((("site", "import_id"), True),)


FILE_UPLOAD_MODELS: tuple[type[BaseModel], ...] = (FileUploadModel, ImportedFileModel)
