"""A warm web process has nothing left to load, which many first requests at once would each do."""

import json
import subprocess
import sys

from tests.service import give_places

FIRST = """
import json, sys, threading
from pathlib import Path
from audience.answers.service import Answers
from audience.answers.validation.allow_deny import AllowDenyLists
from audience.answers.validation.validation import Candidate
from audience.config import Settings
from audience.protocols import DnsAnswer, DnsHealth, DnsStatus
from tests.loaded import loaded

class Silent:
    def ask(self, questions, timeout=None):
        return [DnsAnswer(DnsStatus.NXDOMAIN) for _ in questions]

    def health(self, denied="", well_known=False):
        return DnsHealth.CUT_OFF

answers = Answers(Settings(instance=Path(sys.argv[1])), Silent())
answers.warm()
for thread in threading.enumerate():
    if thread.daemon:
        thread.join()
before = loaded()
answers.validate(Candidate(email="ann@firm.org"), AllowDenyLists())
answers.moderate("<b>Ann Dick</b> says hello to you, and Mr Coons is an ass. I will kill you.")
answers.guess_gender("Ann Lee")
print(json.dumps(sorted(loaded() - before)))
"""


def test_a_warm_process_has_nothing_left_to_load(tmp_path):
    give_places(tmp_path)
    run = subprocess.run(
        [sys.executable, "-c", FIRST, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == []
