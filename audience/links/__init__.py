"""Links: signed URLs of one subscriber, by which people unsubscribe and choose what they get."""

__all__ = ["generations", "links", "tokens", "undoing", "unsubscribing", "visits"]
