#!/usr/bin/env python3
"""Holds docs/museum.md and tests/catalogue to each other.

Every entry of the page's line "Entries:" stands on it once, with its public reference and either tests that exist or a
reason; every test of tests/catalogue is named by an entry.

usage: check_museum.py [ROOT]   exits 1 and prints a line for each entry or test that does not fit.
"""
import re
import sys
from pathlib import Path
from typing import Iterator

from house_rule import report

ENTRIES = re.compile(r"^Entries: (.+)$", re.MULTILINE)
RANGE = re.compile(r"([A-Z])(\d+)-\1(\d+)")
EXHIBIT = re.compile(r"^### ([A-Z]\d+) (.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| ([A-Z]\d+) [^|]+\|([^|]+)\|([^|]+)\|$", re.MULTILINE)
REFERENCE = re.compile(r"[\w.-]+/[\w.-]+#\d+")
NAMED_TESTS = re.compile(r"Test: ((?:`\w+\.\w+`(?:, )?)+)")
REASON = re.compile(r"Not here: \S")
TEST = re.compile(r"^TEST\((\w+),\s*(\w+)\)", re.MULTILINE)


def declared_entries(page: str) -> list[str]:
    line = ENTRIES.search(page)
    return [f"{hall}{n}" for hall, first, last in RANGE.findall(line[1] if line else "")
            for n in range(int(first), int(last) + 1)]


def existing_tests(root: Path) -> set[str]:
    return {f"{suite}.{name}" for file in sorted((root / "tests/catalogue").glob("*_test.cpp"))
            for suite, name in TEST.findall(file.read_text())}


def told_entries(page: str) -> list[tuple[str, str]]:
    """Ids and texts, exhibits and rows of tables alike; a row's last cell is its reason."""
    rows = [(entry, f"{reference}. Not here: {reason.strip()}") for entry, reference, reason in ROW.findall(page)]
    return EXHIBIT.findall(page) + rows


def breaches(root: Path) -> Iterator[str]:
    page = (root / "docs/museum.md").read_text()
    declared, told, tests = declared_entries(page), told_entries(page), existing_tests(root)
    if not declared:
        yield 'docs/museum.md has no line "Entries: L1-L13, ..."'
    ids = [entry for entry, _ in told]
    for entry in declared:
        if ids.count(entry) != 1:
            yield f"{entry} is told {ids.count(entry)} times in docs/museum.md, not once"
    named: set[str] = set()
    for entry, text in told:
        if entry not in declared:
            yield f'{entry} is not in the line "Entries:"'
        if not REFERENCE.search(text):
            yield f"{entry} has no public reference owner/repository#number"
        listed = NAMED_TESTS.search(text)
        if bool(listed) == bool(REASON.search(text)):
            yield f'{entry} needs either "Test: `Suite.Name`" or "Not here: REASON"'
        for test in re.findall(r"`(\w+\.\w+)`", listed[1]) if listed else []:
            named.add(test)
            if test not in tests:
                yield f"{entry} names the test {test}, which is not in tests/catalogue"
    for test in sorted(tests - named):
        yield f"{test} of tests/catalogue is not named in docs/museum.md"


if __name__ == "__main__":
    sys.exit(report(breaches))
