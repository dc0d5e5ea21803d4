"""How the interpreter is set in a process that lives long."""

import gc
import sys

SWITCH_SECONDS = 0.0002


def settle() -> None:
    """To be called once all is loaded: what there is by then is not looked through for garbage again, and a
    thread that computes gives the interpreter away after a fifth of a millisecond: a request takes it a
    dozen times, and waits as often.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_SECONDS)
