"""Settings of the Python interpreter for a process that lives long."""

import gc
import sys

SWITCH_SECONDS = 0.0002


def settle() -> None:
    """Tunes the interpreter. Call it once all is loaded.

    Existing objects are no longer checked for garbage. A computing thread gives up the interpreter after a
    fifth of a millisecond, because each request waits for it a dozen times.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_SECONDS)
