"""Stories that cross rooms, told through a whole service."""
