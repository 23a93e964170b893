"""Draws house.svg: the folders of src/toolcurator, and what flows between them.

python docs/images/house.py
"""

from pathlib import Path

INK, PALE, LINE = "#16343a", "#5f7a7f", "#2a7f7f"
BOXES = [  # x, y, width, title, lines
    (20, 110, 150, "sources", ["files, functions,", "OpenAI, Anthropic,", "Gemini, MCP"]),
    (210, 110, 150, "catalog", ["tools by id, roles,", "wire names, faults"]),
    (400, 20, 150, "encoders", ["text → vectors"]),
    (400, 220, 150, "lexical", ["text → tokens → BM25"]),
    (400, 110, 150, "index", ["points on disk,", "evidence by role"]),
    (590, 110, 150, "retrieval", ["parts, fusion, fit,", "rerank, budget"]),
    (780, 110, 150, "cli · your code", ["Selection: hits,", "declarations"]),
]
HEIGHTS = {"encoders": 64, "lexical": 64}
ARROWS = [  # from, to, label
    (170, 150, 210, 150, "Tool"),
    (360, 150, 400, 150, "Catalog"),
    (550, 150, 590, 150, "Evidence"),
    (740, 150, 780, 150, "Selection"),
    (475, 84, 475, 110, ""),
    (475, 220, 475, 190, ""),
    (550, 60, 650, 110, "query's vector"),
    (550, 250, 650, 190, "query's tokens"),
]


def main() -> None:
    """Write the picture."""
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 950 304" font-family="system-ui, sans-serif">',
        f'<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        f'<path d="M0,0 L8,4 L0,8 z" fill="{LINE}"/></marker></defs>',
        '<rect width="950" height="304" rx="10" fill="#f6faf9"/>',
    ]
    for x1, y1, x2, y2, label in ARROWS:
        parts.append(
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{LINE}" stroke-width="1.6" marker-end="url(#tip)"/>'
        )
        if label:
            slant = y1 != y2
            x, y = ((x1 + x2) / 2 + 8, (y1 + y2) / 2 - 4) if slant else ((x1 + x2) / 2, 104)
            anchor = "start" if slant else "middle"
            if slant and y2 < y1:
                y += 14
            parts.append(f'<text x="{x}" y="{y}" font-size="12" fill="{PALE}" text-anchor="{anchor}">{label}</text>')
    for x, y, width, title, lines in BOXES:
        height = HEIGHTS.get(title, 80)
        parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="#fff" stroke="{LINE}"/>')
        parts.append(f'<text x="{x + 12}" y="{y + 24}" font-size="15" font-weight="600" fill="{INK}">{title}</text>')
        parts += [
            f'<text x="{x + 12}" y="{y + 44 + 15 * row}" font-size="12" fill="{PALE}">{line}</text>'
            for row, line in enumerate(lines)
        ]
    parts.append("</svg>")
    (Path(__file__).parent / "house.svg").write_text("\n".join(parts) + "\n", "utf-8")


if __name__ == "__main__":
    main()
