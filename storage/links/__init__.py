"""Links of subscribers: the generations of a site's, and whose links outlive them."""

__all__ = ["former_links", "generations"]
