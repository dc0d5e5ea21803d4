"""What a process has loaded: for the programs of tests that run in processes of their own."""

import gc
import sys
from functools import _lru_cache_wrapper


def loaded() -> set[str]:
    """The names of loaded modules, and of the caches of bundled tables, each with its size."""
    caches = [each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper)]
    tables = [
        f"{each.__module__}.{each.__name__}: {each.cache_info().currsize}"
        for each in caches
        if each.__module__.startswith("audience.answers") and each.cache_info().maxsize is None
    ]
    return {*sys.modules, *tables}
