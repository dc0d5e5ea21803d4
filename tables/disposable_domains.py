"""Writes `disposable_domains.txt` and `free_providers.txt` of `audience/data/validation`."""

from collections.abc import Iterable

from audience.answers.validation.email_tables import DATA
from audience.operations.disposable_domains import DISPOSABLE, FREE, DomainList, disposable, free
from tables.registry import npm, pypi


def fetched(lists: Iterable[DomainList]) -> list[set[str]]:
    """What the newest releases of the lists' packages have."""
    download = {"npm": npm, "pypi": pypi}
    return [each.read(download[each.index](each.package)[each.path]) for each in lists]


def write(path: str, names: Iterable[str]) -> None:
    (DATA / path).write_text("".join(f"{domain}\n" for domain in sorted(names)), "utf-8")


def main() -> None:
    disposable_domains = disposable(fetched(DISPOSABLE))
    write("disposable_domains.txt", disposable_domains)
    write("free_providers.txt", free(fetched(FREE), disposable_domains))


if __name__ == "__main__":
    main()
