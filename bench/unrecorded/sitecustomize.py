"""First on PYTHONPATH, it has the processes of a service write no record of changes, to measure its cost."""

from audience import change_log

vars(change_log)["record"] = lambda *_: None
