"""What a pair is, what of it BLiMP's format holds, and which words a text has."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from colorless_green.data import Suite, Wording, pair_of, penn, read_suite, write_suite
from colorless_green.data.errors import ErrorKind, InputError
from tests.nonce.format_material import again, holds_not, pair, pair_suites, texts

ONE, TWO = "one_prefix", "two_prefix"


@given(pair_suites())
def test_parts_are_the_sentence_and_blimps_format_keeps_them(
    tmp_path_factory: pytest.TempPathFactory, suite: Suite
) -> None:
    found = again(suite, "blimp", tmp_path_factory.mktemp("p") / "x.jsonl")
    assert [item.item_id for item in found.items] == [item.item_id for item in suite.items]
    for item, other in zip(suite.items, found.items, strict=True):
        one = pair_of(item)
        for sentence, parts in zip((one.right, one.wrong), one.parts or (), strict=False):
            assert parts.prefix + parts.gap + parts.word + parts.rest == sentence
            assert parts.word == parts.word.strip() != ""
        assert pair_of(other) == (one if one.method else one._replace(parts=None))


def test_one_prefix_two_prefixes_or_neither() -> None:
    assert pair_of(pair(1, "The keys", " are", " is", ".")).method == ONE
    assert pair_of(pair(1, "The keys", " are", " are", ".", other="The key")).method == TWO
    assert pair_of(pair(1, "a", " b", " c", ".", other="an")).method == ""
    assert pair_of(pair(1, "a", " b", " b", ".")).method == ONE


@pytest.mark.parametrize(
    ("conditions", "kind"),
    [
        ({"third": ()}, "unsupported"),
        ({"wrong": ((), ())}, "unsupported"),
        ({"wrong": ((),)}, "format"),
    ],
)
def test_what_is_no_pair_is_refused(
    tmp_path: Path, conditions: dict[str, tuple[Wording, ...]], kind: ErrorKind
) -> None:
    item = pair(1, "The keys", " are", " is", ".")
    suite = Suite("s", (replace(item, conditions={**item.conditions, **conditions}),))
    holds_not(kind, f"item {item.item_id}", suite, tmp_path / "x.jsonl", "blimp")


@given(texts)
def test_words_are_the_text_without_its_blanks(text: str) -> None:
    assert "".join(penn(text)) == "".join(text.split())
    assert all(penn(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A niece hasn't descended.", "A niece has n't descended ."),
        ("The author's (old) key, isn't it?", "The author 's ( old ) key , is n't it ?"),
        ("“We’re here,” J. said.", "“ We ’re here , ” J. said ."),
        ("The author 's key has n't turned .", "The author 's key has n't turned ."),
        ("in the U.S.", "in the U.S."),
        ("older than I.", "older than I ."),
        ("हिन्दी में।", "हिन्दी में ।"),
        ("well-known 3.5 % of it", "well-known 3.5 % of it"),
        ("l'auteur", "l'auteur"),
        ("", ""),
    ],
)
def test_words_are_cut_as_the_penn_treebank_cuts_them(text: str, expected: str) -> None:
    assert " ".join(penn(text)) == expected


def named(folder: Path, labels: list[str]) -> dict[str, str]:
    """Return the file of each construction of a folder in BLiMP's format."""
    plain = pair(1, "The keys", " are", " is", ".")
    items = (
        replace(plain, item_id=str(n), facts={"construction": label})
        for n, label in enumerate(labels)
    )
    write_suite(Suite("s", tuple(items)), folder, "blimp")
    found = {}
    for path in folder.glob("*.jsonl"):
        for line in path.read_text("utf-8").split("\n")[:-1]:
            found[labels[int(json.loads(line)["colorless"]["item_id"])]] = path.stem
    return found


@given(st.lists(texts, min_size=1, max_size=6))
def test_names_for_files_are_distinct_plain_and_stay(
    tmp_path_factory: pytest.TempPathFactory, labels: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("n")
    names = named(folder / "first", labels)
    assert names.keys() == set(labels)
    assert len({name.casefold() for name in names.values()}) == len(names)
    assert all(re.fullmatch("[A-Za-z0-9_]{1,120}", name) for name in names.values())
    assert set(named(folder / "second", sorted(names.values())).values()) == set(names.values())


@given(st.lists(texts, min_size=1, max_size=6, unique=True))
@example(["l__NOUN", "L__NOUN"])
@example(["a_b", "a-b", "a_b_2"])
def test_names_for_files_do_not_depend_on_the_order_of_items(
    tmp_path_factory: pytest.TempPathFactory, labels: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("n")
    assert named(folder / "first", labels) == named(folder / "second", labels[::-1])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["L__NOUN|[erg]/ü", ""], {"L__NOUN_erg_", "items"}),
        (["x" * 200, "x" * 300, "X" * 200], {"X" * 120, "x" * 118 + "_2", "x" * 118 + "_3"}),
    ],
)
def test_names_for_files_are_short_and_plain(
    tmp_path: Path, labels: list[str], expected: set[str]
) -> None:
    assert set(named(tmp_path / "set", labels).values()) == expected


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


OF_THE_FORMAT = {
    "UID", "cell", "cluster_id", "field", "item_id", "kind", "language", "lexically_identical",
    "licence", "linguistics_term", "methods", "one_prefix_method", "one_prefix_prefix",
    "one_prefix_word_bad", "one_prefix_word_good", "pairID", "pair_id", "phenomenon",
    "sentence_bad", "sentence_good", "set_id", "simple_LM_method", "source", "two_prefix_method",
    "two_prefix_prefix_bad", "two_prefix_prefix_good", "two_prefix_word", "uid",
}  # fmt: skip


@given(
    st.dictionaries(texts.filter(lambda each: each not in OF_THE_FORMAT), json_values, max_size=4)
)
def test_values_of_unknown_keys_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, object]
) -> None:
    folder = tmp_path_factory.mktemp("v")
    record = {**values, "sentence_good": "a b", "sentence_bad": "a c"}
    (folder / "x.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    suite = read_suite(folder / "x.jsonl", "blimp")
    assert all(isinstance(each, str) for each in suite.items[0].facts.values())
    write_suite(suite, folder / "y.jsonl", "blimp")
    found = json.loads((folder / "y.jsonl").read_text("utf-8"))
    assert {name: found[name] for name in record} == record


LINE: dict[str, object] = {
    "sentence_good": "The keys are here.", "sentence_bad": "The keys is here.",
    "one_prefix_prefix": "The keys", "one_prefix_word_good": "are", "one_prefix_word_bad": "is",
    "field": "syntax", "linguistics_term": "t", "UID": "u", "simple_LM_method": True,
    "one_prefix_method": True, "two_prefix_method": False, "lexically_identical": False,
    "pairID": "0",
}  # fmt: skip
odd = st.sampled_from(("", " ", "a/b", "a b", "7", "u"))


@st.composite
def lines_of_others(draw: st.DrawFn) -> dict[str, object]:
    """Return a line whose keys are in any order, of which some are missing, odd or of another
    make."""
    told = st.dictionaries(st.sampled_from(("UID", "field", "linguistics_term", "pairID")), odd)
    words = st.dictionaries(
        st.sampled_from(("one_prefix_word_good", "sentence_bad")),
        st.sampled_from(("are", " are", "are ")),
    )
    values = odd | st.sampled_from((True, None, 1, 1.0, [1]))
    marks = st.dictionaries(
        st.sampled_from(("lexically_identical", "one_prefix_method", "published", "uid", "x")),
        values,
    )
    line = LINE | draw(told) | draw(words) | draw(marks)
    kept = draw(st.permutations(sorted(line)) if draw(st.booleans()) else st.just(list(line)))
    gone = draw(st.sets(st.sampled_from(("UID", "field", "linguistics_term", "pairID"))))
    return {name: line[name] for name in kept if name not in gone}


@pytest.mark.slow
@given(st.lists(lines_of_others(), min_size=1, max_size=2))
def test_a_line_of_blimps_format_comes_back_value_for_value_in_its_order(
    tmp_path_factory: pytest.TempPathFactory, lines: list[dict[str, object]]
) -> None:
    folder = tmp_path_factory.mktemp("l")
    written = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "u.jsonl").write_text(written, "utf-8")
    try:
        suite = read_suite(folder / "u.jsonl", "blimp")
    except InputError:
        assume(False)
    again(suite, "blimp", folder / "v.jsonl")
    found = list(map(json.loads, (folder / "v.jsonl").read_text("utf-8").splitlines()))
    for line in found:
        line.pop("colorless", None)
    assert "".join(json.dumps(line) + "\n" for line in found) == written
