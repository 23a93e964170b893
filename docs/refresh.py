"""Runs the examples in README.md and docs/ again and writes what they print below them, so that no example is invented.

    make refresh

In a ``console`` block each line that starts with ``$ `` is a shell command, run from the root of the repository; what follows it
is replaced. A ``text`` block right behind a ``python`` block is replaced by what that code prints. The picture is drawn again.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(
    r"^```python\n(?P<code>(?:(?!^```$).)*)^```\n\n```text\n(?P<out>.*?)(?=^```$)", re.DOTALL | re.MULTILINE
)


def run(*command: str) -> str:
    """What a command prints, errors too, when it runs the second time: without the progress bar of the first."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
    }
    said = ""
    for _ in range(2):
        said = subprocess.run(  # noqa: S603
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        ).stdout
    return "".join(f"{line.rstrip()}\n" for line in said.splitlines())


def console(block: re.Match[str]) -> str:
    """The commands of a block, each with what it prints now."""
    commands = [line for line in block[0].splitlines() if line.startswith("$ ")]
    return "\n".join(f"{line}\n{run('bash', '-c', line.removeprefix('$ '))}" for line in commands)


def python(block: re.Match[str]) -> str:
    """The code, with what it prints now."""
    head = block[0][: block.start("out") - block.start()]
    return head + run(sys.executable, "-c", block["code"])


def main() -> None:
    """Refresh every page, and say which changed."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text("utf-8")
        new = PYTHON.sub(python, CONSOLE.sub(console, text))
        if new != text:
            page.write_text(new, "utf-8")
            print(page.relative_to(ROOT))
    run(sys.executable, "docs/images/explain.py")


if __name__ == "__main__":
    main()
