"""Every link and picture of the pages leads to something that is there."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


class Links(unittest.TestCase):
    def test_every_relative_link_leads_somewhere(self) -> None:
        broken = [
            f"{page.relative_to(ROOT)}: {target}"
            for page in PAGES
            for target in LINK.findall(page.read_text())
            if "://" not in target and not (page.parent / target).exists()
        ]
        self.assertGreater(len(PAGES), 3)
        self.assertEqual(broken, [])


if __name__ == "__main__":
    unittest.main()
