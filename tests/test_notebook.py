"""The notebook of the docs shows what its cells give."""

import json
from typing import Any

import pytest

from tests.notebook import NOTEBOOK, SOURCE, cells_of, executed


def shown(notebook: dict[str, Any]) -> list[Any]:
    """Return what the cells show, as text."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    return [output.get("text") or output["data"]["text/plain"] for output in outputs]


@pytest.mark.slow
def test_the_notebook_shows_what_its_cells_give() -> None:
    kept = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert len(shown(kept)) >= 6
    assert shown(executed()) == shown(kept)


def test_the_notebook_has_the_cells_of_its_source() -> None:
    kept = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = [(cell["cell_type"], "".join(cell["source"])) for cell in kept["cells"]]
    assert cells == cells_of(SOURCE.read_text(encoding="utf-8"))
