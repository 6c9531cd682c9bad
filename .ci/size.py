"""How large the code is: AST nodes, lines of code and nodes a line, by room.

    python .ci/size.py           a table
    python .ci/size.py --check   also fail, with their names, on files of schedlib that are too dense

Nodes are those of `ast.walk`. Lines are those that hold code: no docstring, comment or blank line counts.
"""

import argparse
import ast
import io
import sys
import tokenize
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("schedlib", "notebooks/reproduce/exhibits", "tests", ".ci")
DENSEST = 10.5  # nodes on a line of code, on average over a file of schedlib
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


class Size(NamedTuple):
    """Nodes and lines of code."""

    nodes: int
    lines: int

    @property
    def density(self) -> float:
        """Nodes on a line."""
        return self.nodes / max(self.lines, 1)


def size_of(text: str) -> Size:
    """The size of a Python file's text.

    >>> size_of('"A sentence."\\n\\nx = 1  # one\\n')
    Size(nodes=7, lines=1)
    """
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in nodes:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text and isinstance(node.value.value, str):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return Size(len(nodes), len(lines))


def room_of(path: Path) -> str:
    """The room that a file stands in: a folder of schedlib, or one of the other roots."""
    steps = path.relative_to(ROOT).parts
    if steps[0] == "schedlib":
        return "/".join(steps[:2]) if len(steps) > 2 else "schedlib"
    return "/".join(steps[:3]) if steps[0] == "notebooks" else steps[0]


def main() -> int:
    """Print the table; with --check, 1 when a file is too dense."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    rooms: dict[str, list[Size]] = defaultdict(list)
    dense = []
    for root in ROOMS:
        for path in sorted((ROOT / root).rglob("*.py")):
            size = size_of(path.read_text())
            rooms[room_of(path)].append(size)
            if root == "schedlib" and size.density > DENSEST:
                dense.append(f"{path.relative_to(ROOT)}: {size.density:.1f} nodes a line")
    if check:
        if dense:
            print(f"at most {DENSEST} nodes a line of code:", *dense, sep="\n  ", file=sys.stderr)
        return bool(dense)
    print(f"{'room':32} {'nodes':>8} {'lines':>7} {'a line':>7}")
    for room, sizes in rooms.items():
        whole = Size(*map(sum, zip(*sizes, strict=True)))
        print(f"{room:32} {whole.nodes:8,} {whole.lines:7,} {whole.density:7.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
