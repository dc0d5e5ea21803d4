"""The inbox, and the files that operators send."""

__all__ = ["file_chunks", "file_imports", "file_uploads", "imports", "moved_addresses"]
