"""The inbox, and the files that operators send."""
