"""What stands before every endpoint is tested on the instance of the API's tests."""

from tests.api.conftest import answers_client, dns, resolver, settings

__all__ = ["answers_client", "dns", "resolver", "settings"]
