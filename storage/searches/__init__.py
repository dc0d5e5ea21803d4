"""Finding subscribers: searches, lists to look through, and suggestions."""
