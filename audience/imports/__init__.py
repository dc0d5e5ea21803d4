"""Imports: the inbox and its step, and the files that operators send."""

__all__ = ["backlog", "dry_runs", "file_imports", "file_tasks", "file_uploads", "imports", "payloads"]
