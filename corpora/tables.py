"""Tables for terminals and in Markdown, and numbers for readers."""

from __future__ import annotations

import textwrap

WIDTH = 120


def text_table(head: list[str], rows: list[list[str]]) -> str:
    """Formats a table with the first column aligned left and the others right."""
    table = [head, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(head))]
    lines = []
    for row in table:
        cells = [
            cell.ljust(width) if not place else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def markdown_table(head: list[str], rows: list[list[str]], left: int = 1) -> str:
    """Formats a Markdown table with the first `left` columns aligned left and the others right."""
    rule = ["---" if place < left else "---:" for place in range(len(head))]
    lines = [head, rule, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def number(value: float | None, digits: int = 0, unit: str = "") -> str:
    return "-" if value is None else f"{value:,.{digits}f}{unit}"


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.2f} MB"


def listed(words: list[str], most: int = 12) -> str:
    """Joins names with commas, and shortens long lists."""
    shown = ", ".join(words[:most])
    return shown if len(words) <= most else f"{shown} and {len(words) - most} more"


def wrapped(text: str) -> str:
    """Markdown with its paragraphs and list items wrapped again; headings, tables and code are unchanged."""
    blocks = []
    for block in text.split("\n\n"):
        if not block.startswith(("#", "|", "    ", "- ")):
            block = filled(block)
        elif block.startswith("- "):
            items = block[2:].split("\n- ")
            block = "\n".join(filled(f"- {item}", subsequent_indent="  ") for item in items)
        blocks.append(block)
    return "\n\n".join(blocks)


def filled(text: str, **options) -> str:
    return textwrap.fill(" ".join(text.split()), WIDTH, break_long_words=False, break_on_hyphens=False, **options)
