"""The terminal cast of the README: the command that it shows, and what that printed, drawn line by line.

The text is that of the README, which the tests compare with a real run.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from textwrap import wrap

SLOW = True  # it writes a file
ROOT = Path(__file__).parents[1]
CAST = ROOT / "docs" / "images" / "terminal.svg"
COMMAND = "kolahal synth above_threshold.py --out private"
SIZE, STEP, MARGIN = 13, 18, 16  # of a character, from line to line, around all
COLUMNS = 100
TYPING, PAUSE, LINE = 1.2, 1.0, 0.05  # seconds


def read_lines() -> list[str]:
    """The command and its output, as the README has them, folded as in a terminal."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(rf"^\$ {re.escape(COMMAND)}\n.*?(?=^```)", readme, re.MULTILINE | re.DOTALL)
    assert found is not None, "the README has the command"
    return [part for line in found[0].rstrip("\n").split("\n") for part in fold(line)]


def fold(line: str) -> list[str]:
    """A line as one or more of at most so many columns."""
    return wrap(line, COLUMNS, subsequent_indent="  ") if len(line) > COLUMNS else [line]


def draw(lines: list[str]) -> str:
    """A picture that shows the first line as it is typed, and the others one by one; without animation it shows all."""
    width = round(2 * MARGIN + max(map(len, lines)) * SIZE * 0.602)
    height = 2 * MARGIN + len(lines) * STEP
    rows = []
    for place, line in enumerate(lines):
        begin = 0.0 if place == 0 else TYPING + PAUSE + LINE * place
        y = MARGIN + SIZE + place * STEP
        rows.append(f'<text x="{MARGIN}" y="{y}" style="animation-delay:{begin:.2f}s">{escape(line)}</text>')
    style = (
        f"text{{font:{SIZE}px ui-monospace,Menlo,Consolas,monospace;white-space:pre;fill:#d8dee9;animation:show .01s both}}"
        "@keyframes show{from{opacity:0}to{opacity:1}}"
        f"text:first-of-type{{fill:#a3d9a5;animation:type {TYPING}s steps(30) both}}"
        "@keyframes type{from{clip-path:inset(0 100% 0 0)}to{clip-path:inset(0 0 0 0)}}"
        "@media (prefers-reduced-motion){text,text:first-of-type{animation:none}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" xml:space="preserve">'
        f"<title>{escape(COMMAND)}, and what it prints</title><style>{style}</style>"
        f'<rect width="{width}" height="{height}" rx="8" fill="#1f2430"/>\n' + "\n".join(rows) + "\n</svg>\n"
    )


def main() -> None:
    CAST.write_text(draw(read_lines()), encoding="utf-8")
    print(CAST.relative_to(ROOT))


if __name__ == "__main__":
    main()
