"""The cases judged by hand (`tests/answers/data/judged`): how many are answered wrongly, and which."""

import tempfile
from pathlib import Path

from audience.answers.service import Answers
from audience.config import Settings
from tests.answers.judged import TABLES, JudgedDomains, allowed_wrong, cases, wrong_answers


def main() -> None:
    allowed = allowed_wrong()
    with tempfile.TemporaryDirectory() as folder:
        answers = Answers(Settings(instance=Path(folder)), JudgedDomains())
        for table in TABLES:
            wrong = wrong_answers(table, answers)
            print(f"{table}: {len(wrong)} of {len(cases(table))} wrong ({allowed[table]} allowed)")
            for each in wrong:
                print(f"  {each.case}: {', '.join(each.problems)} ({each.why})")


if __name__ == "__main__":
    main()
