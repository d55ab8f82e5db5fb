"""Component oracle: what BLiMP's quick test calls plain is so when all columns are compared."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats.blimp import BLIMP
from colorless_green.nonce.formats.columns import read

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
