"""The links in a confirmation: signed for the site, a sign-up and its form, and good for nothing else."""

import struct
import uuid

from audience.access.sites import Site
from audience.links import generations, tokens
from audience.links.tokens import CONFIRM, SITE_BYTES
from audience.looks import looks
from storage import database
from storage.looks import looks as stored_looks
from storage.sign_ups.sign_ups import SignUp

FORM_ID = struct.Struct(">I")


class ConfirmLinks:
    """Makes the links of a site's sign-ups, with two statements whatever their number."""

    @database.session()
    def __init__(self, site: Site, base: str) -> None:
        current = generations.read(site.id).current
        self._begin = tokens.begin(current.generation, bytes.fromhex(site.uuid[: 2 * SITE_BYTES]))
        self._signer = tokens.signer(generations.key(site.id, CONFIRM, current))
        self._base = looks.base_url(stored_looks.get(site.id), base)

    def url(self, sign_up: SignUp) -> str:
        packed = self._begin + uuid.UUID(sign_up.nonce).bytes + FORM_ID.pack(sign_up.form_id)
        return f"{self._base}/{CONFIRM}/{tokens.write(packed, self._signer)}"

    def decline_url(self, sign_up: SignUp) -> str:
        return f"{self.url(sign_up)}/decline"
