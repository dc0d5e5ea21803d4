"""django-newsletter: its own form reads the addresses, and its own function makes each subscription."""

import json
import secrets
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import django
from django.conf import settings


def configure(folder: str) -> None:
    database = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(Path(folder) / "peer.db")}
    options = {"init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL"}
    settings.configure(
        SECRET_KEY=secrets.token_hex(),
        DATABASES={"default": database | {"OPTIONS": options}},
        DEFAULT_AUTO_FIELD="django.db.models.AutoField",
        INSTALLED_APPS=[
            "django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sites",
            "sorl.thumbnail", "newsletter",
        ],
        USE_TZ=True,
        NEWSLETTER_THUMBNAIL="sorl-thumbnail",
        NEWSLETTER_USE_HTTPS=True,
    )  # fmt: skip
    django.setup()


def main(rows: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        configure(folder)
        from django.core.management import call_command
        from newsletter.addressimport.parsers import AddressList
        from newsletter.admin_utils import make_subscription
        from newsletter.models import Newsletter

        call_command("migrate", verbosity=0)
        newsletter = Newsletter.objects.create(title="Bench", slug="bench", email="a@example.com", sender="A")
        start = time.process_time()
        addresses = AddressList(newsletter)
        for number in range(rows):
            addresses.add(f"p{number * 0x9E3779B97F4A7C15 % 2**52:x}@example{number % 500}.com", "Ann Lee")
        for email, name in addresses.addresses.items():
            make_subscription(newsletter, email, name).save()
        seconds = time.process_time() - start
        return {"cpu": seconds, "version": version("django-newsletter")}


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))
