"""Links: signed URLs of one subscriber, by which people unsubscribe and choose by themselves."""

__all__ = ["generations", "links", "tokens"]
