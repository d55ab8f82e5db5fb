"""export ∘ import ∘ export = export, byte for byte, for every format and the oddest of suites."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.nonce import FORMATS, Suite, format_told
from colorless_green.nonce.formats.blimp import BLIMP
from colorless_green.nonce.formats.columns import read
from tests.nonce.format_material import SUITES, again, content, holds_not, rare_suite, twice

LOSSLESS = ("harness", "huggingface", "syntaxgym")


@pytest.mark.parametrize("name", SUITES)
@given(data=st.data())
@settings(max_examples=25)
def test_what_was_read_is_exported_as_it_was_and_tells_its_format(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    first, second = twice(data.draw(SUITES[name]), name, tmp_path_factory.mktemp("f"))
    assert content(second) == content(first)
    if name != "lines":  # whatever tells nothing else
        assert format_told(first) == name.partition(" ")[0]


@pytest.mark.parametrize("name", LOSSLESS)
@given(data=st.data())
@settings(max_examples=40)
def test_folders_and_syntaxgym_lose_nothing(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    suite: Suite = data.draw(SUITES[name])
    assert again(suite, name, tmp_path_factory.mktemp("f") / "suite") == suite


def test_every_format_that_is_written_keeps_the_law() -> None:
    assert {name.partition(" ")[0] for name in SUITES} == set(FORMATS)


def test_a_name_that_does_not_tell_its_format_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    holds_not("format", str(path), rare_suite(), path)


LINE = {
    "sentence_good": "The keys are here.", "sentence_bad": "The keys is here.",
    "one_prefix_prefix": "The keys", "one_prefix_word_good": "are", "one_prefix_word_bad": "is",
    "field": "syntax", "linguistics_term": "t", "UID": "u", "simple_LM_method": True,
    "one_prefix_method": True, "two_prefix_method": False, "lexically_identical": False,
    "pairID": "0",
}  # fmt: skip


@given(
    st.dictionaries(st.sampled_from(sorted(LINE)), st.sampled_from([True, False, 0, 1, None])),
    st.dictionaries(
        st.sampled_from(("field", "linguistics_term", "one_prefix_word_good", "pairID")),
        st.sampled_from(("", "a/b", " are", "are ", "are")),
    ),
    st.permutations(sorted(LINE)),
    st.booleans(),
)
def test_a_line_that_is_found_plain_at_a_glance_is_so_when_all_is_compared(
    values: dict[str, object], texts: dict[str, str], order: list[str], in_order: bool
) -> None:
    record = {**LINE, **values, **texts}
    record = record if in_order else {name: record[name] for name in order}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "u.jsonl"
        path.write_text(json.dumps(record) + "\n", "utf-8")
        try:
            found = read(BLIMP, path)
        except InputError:
            return
        compared = read(replace(BLIMP, is_plain=lambda record, entry: False), path)
    assert found == compared
