"""What an operator does to many subscribers at once: bulk actions, renames, merges and deletions of tags, and
deletions of custom fields.
"""

__all__ = ["actions", "chunks", "field_deletions", "tag_deletions", "tag_renames"]
