"""The inbox, and the files that operators send."""

__all__ = ["file_imports", "file_pieces", "file_uploads", "imports", "moved_addresses"]
