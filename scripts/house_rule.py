"""How every script that holds a rule of the house ends."""
import sys
from pathlib import Path
from typing import Callable, Iterator


def report(breaches: Callable[[Path], Iterator[str]]) -> int:
    """Prints a line for each breach under the folder in the arguments, or of this project; the exit code: 1 if any."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    found = list(breaches(root))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0
