"""Draws explain.svg: what ``toolcurator search --explain`` shows in a terminal. Run it after a change of rules or weights.

.venv/bin/python docs/images/explain.py
"""

import io
import re
from pathlib import Path

from rich.console import Console

from toolcurator import Curator
from toolcurator.retrieval.explain import summary, table

HERE = Path(__file__).parent
QUERY = "show my attendance and also raise a grievance"


def main() -> None:
    """Search the campus catalogue and write the picture."""
    selection = Curator.open(HERE.parents[1] / "examples" / "campus").select(QUERY, k=7)
    console = Console(record=True, width=182, file=io.StringIO())
    console.print(f'[bold]$ toolcurator search examples/campus "{QUERY}" --k 7 --explain[/]', highlight=False)
    console.print(table(selection), highlight=False)
    console.print(summary(selection), markup=False, highlight=False)
    picture = console.export_svg(title="toolcurator", unique_id="explain")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # they would be fetched from elsewhere
    picture = re.sub(
        r"font-family: (Fira Code|arial)[^;]*;?", "font-family: ui-monospace, Menlo, Consolas, monospace;", picture
    )
    (HERE / "explain.svg").write_text(picture, "utf-8")


if __name__ == "__main__":
    main()
