"""Scripts that make the bundled tables from the packages that carry their sources: `make tables`."""
