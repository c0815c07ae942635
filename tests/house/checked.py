"""Runs a script of the house on a tree of files made for it."""
import subprocess
import sys
import tempfile
from pathlib import Path


def checked(checker: Path, files: dict[str, str]) -> tuple[int, str]:
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, checker, root], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout
