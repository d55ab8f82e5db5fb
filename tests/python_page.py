"""The guide to the Python interface and its output: `python -m tests.python_page FOLDER` writes
what the code prints. FOLDER is an empty folder that holds what the guide names."""

import ast
import os
import re
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scoring.md"
BLOCK = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```text\n(?P<output>.*?)```\n)?", re.DOTALL)
PLAIN: dict[str, Any] = {
    "tbl_formatting": "MARKDOWN",
    "tbl_hide_column_data_types": True,
    "tbl_hide_dataframe_shape": True,
    "tbl_width_chars": 110,
    "tbl_cols": -1,
    "tbl_rows": 12,
    "fmt_str_lengths": 60,
    "float_precision": 3,
}


def blocks() -> list[tuple[str, str]]:
    """(code, output) of every block of Python."""
    text = PAGE.read_text(encoding="utf-8")
    return [(match["code"], match["output"] or "") for match in BLOCK.finditer(text)]


def run(folder: Path) -> list[str]:
    """Return what each block shows, in one notebook whose working folder is `folder`: the last
    line's value, where it has one."""
    names: dict[str, object] = {}
    shown = []
    here = Path.cwd()
    os.chdir(folder)
    try:
        with pl.Config(**PLAIN), patch.dict(os.environ, COLUMNS="110"):
            for code, _ in blocks():
                body = ast.parse(code).body
                last = body[-1]
                value = None
                if isinstance(last, ast.Expr):
                    exec(compile(ast.Module(body[:-1], []), "guide", "exec"), names)
                    value = eval(compile(ast.Expression(last.value), "guide", "eval"), names)
                else:
                    exec(compile(ast.Module(body, []), "guide", "exec"), names)
                lines = [] if value is None else [_cut(each) for each in repr(value).splitlines()]
                shown.append("".join(f"{line}\n" for line in lines))
    finally:
        os.chdir(here)
    return shown


def _cut(line: str) -> str:
    line = line.rstrip()
    return line if len(line) <= 110 else line[:109].rstrip() + "…"


if __name__ == "__main__":
    printed = iter(run(Path(sys.argv[1])))

    def filled(match: re.Match[str]) -> str:
        output = next(printed)
        shown = f"\n```text\n{output}```\n" if output else ""
        return f"```python\n{match['code']}```\n{shown}"

    PAGE.write_text(BLOCK.sub(filled, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
