"""Names that tags had until they were renamed or merged."""

__all__ = ["tag_renames"]
