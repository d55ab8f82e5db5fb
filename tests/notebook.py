"""The notebook of the docs is run: `python -m tests.notebook` writes what its cells show.

Its cells are the pieces of `docs/notebook.py` between lines of `# %%`: text after
`# %% [markdown]`, else code, of which the last expression is shown as a notebook shows it.
"""

import ast
import contextlib
import io
import json
import os
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

DOCS = Path(__file__).resolve().parents[1] / "docs"
SOURCE, NOTEBOOK = DOCS / "notebook.py", DOCS / "notebook.ipynb"
MARK = re.compile(r"^# %%(?P<kind> \[markdown\])?\n", re.M)


def cells_of(source: str) -> list[tuple[str, str]]:
    """(kind, text) of each cell."""
    parts = MARK.split(source)[1:]
    cells = []
    for kind, text in zip(parts[::2], parts[1::2], strict=True):
        if kind:
            cells.append(("markdown", re.sub(r"^# ?", "", text.strip(), flags=re.M)))
        else:
            cells.append(("code", text.strip()))
    return cells


def outputs_of(code: str, names: dict[str, object], number: int) -> list[dict[str, Any]]:
    """Return what a cell shows, as a notebook keeps it."""
    tree, value = ast.parse(code), None
    last = tree.body[-1]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(tree.body[:-1], []), "notebook", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "notebook", "eval"), names)
        else:
            exec(compile(tree, "notebook", "exec"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines(text)})
    if value is not None:
        data = {"text/plain": lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = lines(value._repr_html_())
        outputs.append({
            "output_type": "execute_result", "execution_count": number,
            "metadata": {}, "data": data,
        })  # fmt: skip
    return outputs


def lines(text: str) -> list[str]:
    """Return a text as a notebook keeps it."""
    return text.splitlines(keepends=True)


def executed() -> dict[str, Any]:
    """Return the notebook with the outputs that its cells have in an empty folder."""
    cells: list[dict[str, Any]] = []
    names: dict[str, object] = {}
    terminal = patch.dict(os.environ, {"COLUMNS": "100"})
    with TemporaryDirectory() as folder, contextlib.chdir(folder), terminal:
        for kind, text in cells_of(SOURCE.read_text(encoding="utf-8")):
            number = sum(cell["cell_type"] == "code" for cell in cells) + 1
            cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{len(cells) + 1}"}
            cell |= {"metadata": {}, "source": lines(text)}
            if kind == "code":
                cell |= {"execution_count": number, "outputs": outputs_of(text, names, number)}
            cells.append(cell)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


if __name__ == "__main__":
    NOTEBOOK.write_text(
        json.dumps(executed(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
