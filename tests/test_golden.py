"""The `golden` fixture: what differs by more than its tolerance is seen, whatever the column."""

from pathlib import Path

import pytest

from tests.conftest import Golden

TABLE = "name\tbits\none\t0.5 1.25\ntwo\t\n"
ROWS = [{"name": "one", "bits": [0.5, 1.25]}, {"name": "two", "bits": []}]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.tsv"
    path.write_text(TABLE, "utf-8")
    return path


def test_rows_like_those_of_the_table_pass(
    table: Path, golden: Golden, request: pytest.FixtureRequest
) -> None:
    golden(table, ROWS)
    near = [{"name": "one", "bits": [0.5004, 1.25]}, ROWS[1]]
    golden(table, near, {"bits": 1e-3})
    if not request.config.getoption("--update-golden"):
        assert table.read_text("utf-8") == TABLE


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([{"name": "one", "bits": [0.502, 1.25]}, ROWS[1]], id="another number"),
        pytest.param([{"name": "one", "bits": [0.5]}, ROWS[1]], id="fewer numbers"),
        pytest.param([{"name": "One", "bits": [0.5, 1.25]}, ROWS[1]], id="another text"),
        pytest.param(ROWS[:1], id="fewer rows"),
        pytest.param([{"bits": [0.5, 1.25], "name": "one"}], id="another order of columns"),
    ],
)
def test_other_rows_do_not(
    table: Path, golden: Golden, request: pytest.FixtureRequest, rows: list[dict[str, object]]
) -> None:
    if request.config.getoption("--update-golden"):
        pytest.skip("the table would be rewritten")
    with pytest.raises(AssertionError):
        golden(table, rows, {"bits": 1e-3})
