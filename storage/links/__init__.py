"""Links of subscribers: the generations of a site's links, and the subscribers whose links outlive them."""

__all__ = ["former_links", "generations"]
