#!/usr/bin/env python3
"""Holds the section "Who may include whom" of docs/design.md, and that nobody asks a schedule or layout for its name.

usage: check_includes.py [ROOT]   exits 1 and prints FILE:LINE: reason for each line that breaks a rule.
"""
import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

from house_rule import report


class Folder(NamedTuple):
    """What the files under a folder may include; the longest folder that matches a file counts."""

    own: tuple[str, ...]  # folders of this project
    others: tuple[str, ...] = ()  # prefixes of other people's headers


C = ("math.h", "signal.h", "stdint.h", "stdlib.h", "string.h")  # what files in C, and POSIX, need
POSIX = (*C, "dlfcn.h", "poll.h", "sys/", "unistd.h")
EVERYTHING = ("core/", "formats/", "pictures/", "backends/", "tools/")
FOLDERS = {
    "core/": Folder(own=("core/",)),
    "pictures/": Folder(own=("core/", "pictures/")),
    "formats/": Folder(own=("core/", "formats/"), others=("nlohmann/", "zlib.h", "fcntl.h", "unistd.h", "sys/")),
    "backends/": Folder(own=("core/",)),
    "backends/cpu/": Folder(own=("core/", "backends/cpu/"), others=("Eigen/", "omp.h", "immintrin.h", *POSIX)),
    "backends/registry/": Folder(own=("core/", "backends/")),
    "tools/": Folder(own=EVERYTHING, others=("fmt/", "CLI/", "nlohmann/", "unistd.h", "sys/")),
    "benchmarks/": Folder(own=(*EVERYTHING, "benchmarks/"), others=("benchmark/", "fmt/", "nlohmann/", "immintrin.h")),
    "tests/": Folder(own=(*EVERYTHING, "tests/"), others=("gtest/", "gmock/", "fmt/", "nlohmann/", *POSIX)),
    "examples/": Folder(own=EVERYTHING, others=C),
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD = re.compile(r"^[a-z_]+$|^cassert$|^c[a-z0-9]+$")  # <vector>, <cmath>: no folder, no dot

# Where names of layouts and schedules may be asked for: their own homes, and the tests that look them up.
NAMES_AT_HOME = ("core/schedules/", "core/layout_kinds.cpp", "tests/", "examples/", "benchmarks/")
NAME = r'"(?:contiguous|zigzag|zigzag-docs|striped|ring|bidi|double-ring|all-gather|ulysses|usp|pass-q|decode)"'
ASKS_A_NAME = re.compile(rf"(?:==|!=)\s*{NAME}|{NAME}\s*(?:==|!=)|\b(?:starts_with|contains|compare)\(\s*{NAME}")

SOURCES = {".h", ".cpp", ".c", ".cu", ".cuh"}


def folder_of(file: str) -> str | None:
    return max((folder for folder in FOLDERS if file.startswith(folder)), key=len, default=None)


def wrong_include(file: str, quoted: bool, header: str) -> str | None:
    """The reason why `file` may not include `header`, if so."""
    folder = FOLDERS[folder_of(file)]
    if quoted:
        if header.startswith(folder.own):
            return None
        return f'may not include "{header}": only {", ".join(folder.own)}, by the path from the root'
    if STANDARD.match(header) or header.startswith(folder.others):
        return None
    return f"may not include <{header}>: only the standard library" + "".join(f", <{o}...>" for o in folder.others)


def breaches(root: Path) -> Iterator[str]:
    for path in sorted(p for folder in {f.split("/")[0] for f in FOLDERS} for p in (root / folder).rglob("*")):
        if path.suffix not in SOURCES:
            continue
        file = path.relative_to(root).as_posix()
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            include = INCLUDE.match(line)
            reason = wrong_include(file, include[1] == '"', include[2]) if include else None
            if not reason and not file.startswith(NAMES_AT_HOME) and ASKS_A_NAME.search(line):
                reason = "asks a schedule or layout for its name: let core/schedules or core/layout_kinds.cpp say it"
            if reason:
                yield f"{file}:{number}: {reason}"


if __name__ == "__main__":
    sys.exit(report(breaches))
