"""scripts/check_museum.py finds each way in which the page and the tests can part."""
import subprocess
import sys
import unittest
from pathlib import Path

from checked import checked

ROOT = Path(__file__).parents[2]
CHECKER = ROOT / "scripts" / "check_museum.py"

PAGE = """# Museum

Entries: L1-L2, D1-D1

### L1 A story
It went wrong.
Reference: owner/repository#1. Test: `Layouts.One`, `Layouts.Two`

### L2 Another
It went wrong too.
Reference: owner/repository#2. Not here: nobody can.

## Others

| entry | reference | why |
| --- | --- | --- |
| D1 A third | owner/repository#3 | outside |
"""
TESTS = "TEST(Layouts, One) {\n}\nTEST(Layouts, Two) {\n}\n"


def check(page: str = PAGE, tests: str = TESTS) -> tuple[int, str]:
    return checked(CHECKER, {"docs/museum.md": page, "tests/catalogue/layout_test.cpp": tests})


class CheckMuseum(unittest.TestCase):
    def assert_breach(self, words: str, **files: str) -> None:
        code, out = check(**files)
        self.assertEqual(code, 1, out)
        self.assertIn(words, out)

    def test_our_museum_is_in_order(self) -> None:
        done = subprocess.run([sys.executable, CHECKER, ROOT], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_a_page_in_order_is_silent(self) -> None:
        self.assertEqual(check(), (0, ""))

    def test_an_entry_that_is_not_told(self) -> None:
        self.assert_breach("L3 is told 0 times", page=PAGE.replace("L1-L2", "L1-L3"))

    def test_an_entry_that_is_told_twice(self) -> None:
        self.assert_breach("L1 is told 2 times", page=PAGE.replace("### L2", "### L1"))

    def test_an_entry_that_nobody_declared(self) -> None:
        self.assert_breach("D1 is not in the line", page=PAGE.replace(", D1-D1", ""))

    def test_a_test_that_is_not_there(self) -> None:
        self.assert_breach("Layouts.Two, which is not in", tests="TEST(Layouts, One) {\n}\n")

    def test_a_test_that_nobody_tells_of(self) -> None:
        self.assert_breach("Layouts.Three of tests/catalogue", tests=TESTS + "TEST(Layouts, Three) {\n}\n")

    def test_neither_a_test_nor_a_reason(self) -> None:
        self.assert_breach("L2 needs either", page=PAGE.replace("Not here: nobody can.", ""))

    def test_no_public_reference(self) -> None:
        self.assert_breach("L2 has no public reference", page=PAGE.replace("owner/repository#2", "somebody"))


if __name__ == "__main__":
    unittest.main()
