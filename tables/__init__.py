"""Scripts that generate the bundled tables from packages of their sources: `make tables`."""
