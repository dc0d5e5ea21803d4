"""What stands before every endpoint is tested on the API's instance."""

from tests.api.conftest import answers_client, dns, resolver, settings

__all__ = ["answers_client", "dns", "resolver", "settings"]
