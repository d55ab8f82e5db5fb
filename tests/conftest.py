"""How hypothesis looks for counter-examples, and tables of figures that stay as they are: `golden`.

Laws are tried on the same 25 examples each time; `make thorough` tries 300 new ones."""

import gc
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # no test asks the hub
os.environ["COLUMNS"] = "100"  # as a terminal in the docs; the runner's workers have 80

any_speed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", any_speed, max_examples=25, derandomize=True)
settings.register_profile("thorough", any_speed, max_examples=300)
settings.load_profile("quick")

Golden: TypeAlias = Callable[..., None]
"""`golden(path, rows, tolerance)`: the fixture of that name."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write golden tables anew, instead of checking"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the whole ways in `tests` itself first, so that what takes long is not alone at the
    end."""
    items.sort(key=lambda item: item.path.parent != Path(__file__).parent)


def pytest_collection_finish() -> None:
    """Freeze what was imported and collected: it stays to the end, and is not searched for
    garbage each time, which takes a tenth of all time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # as the command itself


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare rows with the table of `path` (tab-separated, with a header), cell by cell.

    A cell is `str` of its value, or of each value of a list or tuple, with blanks between. Columns
    named in `tolerance` hold numbers that may differ by so much; all others are compared exactly.
    Run with `--update-golden`, it writes the table instead.
    """
    update = bool(request.config.getoption("--update-golden"))

    def compare(
        path: Path,
        rows: Sequence[Mapping[str, object]],
        tolerance: Mapping[str, float] = {},
    ) -> None:
        header = list(rows[0])
        assert all(list(row) == header for row in rows), "the rows have different columns"
        found = [header, *([_cell(value) for value in row.values()] for row in rows)]
        if update:
            text = "".join("\t".join(cells) + "\n" for cells in found)
            path.write_text(text, encoding="utf-8", newline="\n")
        kept = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
        assert kept[0] == header
        assert len(kept) == len(found)
        for number, (old, new) in enumerate(zip(kept, found, strict=True), start=1):
            for column, was, is_ in zip(header, old, new, strict=True):
                where = f"{path.name}:{number} {column}"
                if number == 1 or column not in tolerance:
                    assert is_ == was, where
                    continue
                numbers = [[float(each) for each in cell.split()] for cell in (is_, was)]
                assert numbers[0] == pytest.approx(numbers[1], rel=0, abs=tolerance[column]), where

    return compare


def _cell(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
