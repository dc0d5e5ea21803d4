"""The cases judged by hand (`tests/answers/data/judged`): how many are answered wrongly, and which.

A release tells the rate of the fresh ones: their writer had read no rule, and no rule is tuned on them.
"""

import tempfile
from pathlib import Path

from audience.answers.service import Answers
from audience.config import Settings
from tests.answers.judged import TABLES, JudgedDomains, allowed_wrong, cases, wrong_answers


def judge(instance: Path, fresh: bool) -> None:
    answers = Answers(Settings(instance=instance), JudgedDomains(fresh))
    allowed = {} if fresh else allowed_wrong()
    print("fresh" if fresh else "shown")
    for table in TABLES:
        total, wrong = len(cases(table, fresh)), wrong_answers(table, answers, fresh)
        if total:
            goal = "goal 4 %" if fresh else f"{allowed[table]} allowed"
            print(f"{table}: {len(wrong)} of {total} wrong, {len(wrong) / total:.1%} ({goal})")
        for case in wrong:
            print(f"  {case.case}: {', '.join(case.problems)} ({case.why})")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for fresh in (False, True):
            judge(Path(folder), fresh)


if __name__ == "__main__":
    main()
