"""Files in with places, files out whole or not at all."""

import gzip
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.files import numbered_lines, read_manifest, write_manifest, write_whole
from colorless_green.data.records import json_lines
from colorless_green.data.result import to_table
from colorless_green.data.tables import Row, frame, read_tsv, write_jsonl
from tests.builders import mistake

cells = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(st.lists(st.dictionaries(cells, cells | st.integers() | st.none(), max_size=3), max_size=4))
def test_json_lines_come_back_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str | int | None]]
) -> None:
    path = tmp_path_factory.mktemp("j") / "x.jsonl"
    write_jsonl(path, rows)
    assert [row for _, row in json_lines(path)] == rows


def test_an_error_while_writing_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_text("old")
    with suppress(ZeroDivisionError), write_whole(path) as stream:
        stream.write("new")
        _ = 1 / 0
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["old.txt"]


def test_a_packed_file_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with write_whole(tmp_path / name) as stream:
            stream.write("text\n")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"text\n"


def test_bytes_that_are_not_utf8_are_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes(b"good\nb\xffd\n")
    with mistake("unreadable", f"{path}:2"):
        list(numbered_lines(path))


def test_only_line_feeds_end_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_bytes("\ufeffa\u2028b\r\nc".encode())
    assert list(numbered_lines(path)) == [(1, "a\u2028b"), (2, "c")]


def test_a_folder_whose_file_was_changed_is_not_trusted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    write_manifest(tmp_path, ["a.txt"], {"made_by": "test"})
    assert read_manifest(tmp_path)["made_by"] == "test"
    (tmp_path / "a.txt").write_text("b")
    with mistake("changed", tmp_path / "a.txt"):
        read_manifest(tmp_path)


def test_a_manifest_cannot_lead_out_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"files": {"../secret": "00"}}')
    with mistake("unsafe", tmp_path / "manifest.json"):
        read_manifest(tmp_path)


def test_a_row_of_another_length_is_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("a\tb\n1\t2\n1\n")
    with mistake("format", f"{path}:3"):
        list(read_tsv(path))


def test_a_table_for_people_is_aligned_also_with_wide_and_combining_letters() -> None:
    rows: list[Row] = [{"word": "漢字", "n": 1}, {"word": "e\u0301", "n": 22}]
    assert to_table(frame(rows)).splitlines() == ["word   n", "漢字   1", "e\u0301     22"]


def test_a_number_that_is_nearly_nothing_is_not_told_as_nothing() -> None:
    rows: list[Row] = [{"p": each} for each in (0.0, 0.0005, 0.0002, -1e-9, 1e-300, 0.25)]
    shown = [line.strip() for line in to_table(frame(rows)).splitlines()[1:]]
    assert shown == ["0.000", "0.001", "2e-04", "-1e-09", "1e-300", "0.250"]
