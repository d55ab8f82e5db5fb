"""UniMorph files: reading them, looking words up, and their other forms."""

import gzip
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.errors import ErrorKind
from colorless_green.miner import UniMorph, alternates, read_unimorph
from tests.builders import mistake, shared

CASES = {"Nom": "NOM", "Acc": "ACC", "Ine": "IN+ESS"}
NUMBERS = {"Sing": "SG", "Plur": "PL"}
OTHER = {"Sing": "Plur", "Plur": "Sing"}
CELLS = tuple(product(CASES, NUMBERS))
FORMS = st.sampled_from(["a", "b", "c", "d", "e"])
PARADIGMS = st.fixed_dictionaries({cell: st.lists(FORMS, min_size=1, max_size=2) for cell in CELLS})


def listed(rows: Iterable[str], language: str = "") -> UniMorph:
    """Return the word list of rows `lemma form bundle`; blanks part the columns, `_` is a blank."""
    text = "".join("\t".join(row.split(" ")).replace("_", " ") + "\n" for row in rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.tsv"
        path.write_text(text, encoding="utf-8", newline="\n")
        return read_unimorph(path, language=language)


def paradigm(
    cells: dict[tuple[str, str], list[str]], order: Callable[[list[str]], list[str]] = list
) -> list[str]:
    """Rows of a noun `l` with its forms in each cell of case and number, cell by cell."""
    return [
        f"l {form} {';'.join(order(['N', CASES[case], NUMBERS[number]]))}"
        for (case, number), forms in cells.items()
        for form in forms
    ]


def noun(case: str, number: str) -> str:
    return f"Case={case}|Number={number}"


@given(PARADIGMS, st.sampled_from(CELLS), st.sets(FORMS, max_size=2))
def test_the_alternates_are_the_cell_with_the_other_value_without_forms_that_have_the_old_one(
    cells: dict[tuple[str, str], list[str]], cell: tuple[str, str], vague: set[str]
) -> None:
    words = listed([*paradigm(cells), *(f"l {form} N" for form in sorted(vague))])
    case, number = cell
    theirs = cells[case, OTHER[number]]
    expected = dict.fromkeys(each for each in theirs if each not in {*cells[cell], *vague})
    for form in cells[cell]:
        found = alternates(words, form, "l", "NOUN", noun(*cell), "Number", OTHER[number])
        assert found == tuple(expected)


@given(PARADIGMS, st.sampled_from(CELLS), st.dictionaries(FORMS, st.integers(0, 3)))
def test_the_more_frequent_form_comes_first_and_ties_keep_the_order_of_the_file(
    cells: dict[tuple[str, str], list[str]], cell: tuple[str, str], counts: dict[str, int]
) -> None:
    words = listed(paradigm(cells))
    word = (cells[cell][0], "l", "NOUN", noun(*cell), "Number", OTHER[cell[1]])
    plain, counted = alternates(words, *word), alternates(words, *word, counts=counts)
    assert counted == tuple(sorted(plain, key=lambda form: -counts.get(form, 0)))


def cases() -> Iterator[tuple[str, list[str], str, list[str], list[str]]]:
    """Yield the words of alternates.txt: claim, list, language, word, and what is found."""
    rows: list[str] = []
    text = Path(__file__).with_name("alternates.txt").read_text(encoding="utf-8")
    for block in text.split("\n\n")[1:]:
        head, *lines = block.strip().split("\n")
        claim, _, language = head.removeprefix("# ").partition(" | ")
        rows = [line for line in lines if not line.startswith("?")] or rows
        for line in lines:
            if line.startswith("? "):
                *word, change, expected = line[2:].split(" ", 5)
                forms = [] if expected == "none" else expected.split(" ")
                yield claim, rows, language, [*word, *change.split("=")], forms


@pytest.mark.parametrize(("claim", "rows", "language", "word", "expected"), list(cases()))
def test_the_forms_of_a_word_are_those_of_the_table(
    claim: str, rows: list[str], language: str, word: list[str], expected: list[str]
) -> None:
    form, lemma, upos, feats, feature, value = word
    words = listed(rows, language)
    found = alternates(words, form, lemma, upos, feats, feature, value)
    assert found == tuple(expected), claim


def test_other_marks_of_latin_stay_and_those_of_arabic_go() -> None:
    assert listed(["café cafè V;3"], "la").lemmas_of("cafè") == ["café"]
    assert listed(["كَتَبَ أَكْتُبُ V;1;SG"], "ar").lemmas_of("أكتب") == ["كتب"]


ROWS = st.lists(
    st.tuples(
        st.sampled_from(["l", "m", "plumless"]),
        st.sampled_from(["a", "b", "a b", "plumless", "buckeroo"]),
        st.sampled_from(["N;SG", "N;PL", "PL;N", "V;{1/2}", "N;PSS(2,SG,MASC);LGSPEC1"]),
    ),
    min_size=1,
)


@given(ROWS)
def test_a_word_list_gives_back_its_rows(rows: list[tuple[str, str, str]]) -> None:
    words = listed(" ".join(each.replace(" ", "_") for each in row) for row in rows)
    for lemma in {lemma for lemma, _, _ in rows}:
        assert words.paradigm(lemma) == [row[1:] for row in rows if row[0] == lemma]
    assert words.paradigm("nowhere") == []
    assert pickle.loads(pickle.dumps(words)) == words
    for form in ("a", "b", "a b", "plumless", "buckeroo", "nowhere"):
        having = {lemma for lemma, other, _ in rows if other == form}
        assert words.lemmas_of(form) == [each for each in words.paradigms if each in having]


def test_words_with_one_checksum_are_told_apart() -> None:
    assert crc32(b"plumless") == crc32(b"buckeroo")
    words = listed(["l plumless N", "m buckeroo N", "n plumless N"])
    assert words.lemmas_of("plumless") == ["l", "n"]
    assert words.lemmas_of("buckeroo") == ["m"]


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("\na\tb\n", "format", ":2"),
        ("\na b N\n", "format", ":2"),
        ("\na\tb\tN\tx\ty\n", "format", ":2"),
        ("\na\t \tN\n", "format", ":2"),
        ("\na\tb\tN;;SG\n", "format", ":2"),
        ("\n \n", "empty", ""),
    ],
)
def test_what_is_no_row_is_an_error_with_its_place(
    tmp_path: Path, text: str, kind: ErrorKind, line: str
) -> None:
    path = tmp_path / "words.tsv"
    path.write_text(text, encoding="utf-8")
    with mistake(kind, f"{path}{line}"):
        read_unimorph(path)


def test_crlf_byte_order_mark_gzip_and_segmentation_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv.gz"
    text = "\ufeffeat\teating\tV|V.PTCP;PRS\teat|ing\r\n\r\neat\teat\tV;NFIN\t-\r\n"
    path.write_bytes(gzip.compress(text.encode()))
    rows = [("eating", "V|V.PTCP;PRS"), ("eat", "V;NFIN")]
    assert read_unimorph(path).paradigm("eat") == rows


def rows_of(words: UniMorph) -> list[tuple[str, str, frozenset[str]]]:
    """(lemma, form, values of the bundle) of every row."""
    return [
        (lemma, form, frozenset(bundle.split(";")))
        for lemma in words.paradigms
        for form, bundle in words.paradigm(lemma)
    ]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "n_rows", "n_lemmas", "n_partners", "n_singular", "n_blank"),
    [  # counted by hand on the files
        ("nld_nld", 55_467, 4_993, 6_447, 26_369, 9),
        ("heb_heb", 33_177, 1_176, 14_115, 16_226, 1),
        ("heb_from_UD_unvoc", 14_454, 7_194, 2_535, 7_614, 0),
    ],
)
def test_the_published_files_have_the_rows_and_exact_partners_counted_in_them(
    name: str, n_rows: int, n_lemmas: int, n_partners: int, n_singular: int, n_blank: int
) -> None:
    words = read_unimorph(shared("published", "unimorph", f"{name}.tsv.gz"))
    cells = {(lemma, bundle) for lemma, _, bundle in rows_of(words)}
    singular = [(lemma, bundle) for lemma, bundle in cells if "SG" in bundle]
    partners = [(lemma, bundle - {"SG"} | {"PL"}) for lemma, bundle in singular]
    assert (len(rows_of(words)), len(words.paradigms)) == (n_rows, n_lemmas)
    assert (len(cells.intersection(partners)), len(singular)) == (n_partners, n_singular)
    assert sum(" " in form for _, form, _ in rows_of(words)) == n_blank


DUTCH = {  # what UD calls the values of Dutch singulars
    "SG": "Number=Sing",
    "1": "Person=1",
    "2": "Person=2",
    "3": "Person=3",
    "NEUT": "Gender=Neut",
    "PRS": "Tense=Pres",
    "PST": "Tense=Past",
    "IND": "Mood=Ind",
    "IMP": "Mood=Imp",
    "SBJV": "Mood=Sub",
    "INDF": "Definite=Ind",
    "CMPR": "Degree=Cmp",
    "SPRL": "Degree=Sup",
}


@pytest.mark.shared
def test_nearly_all_dutch_singulars_have_a_plural_though_a_quarter_has_an_exact_partner() -> None:
    """Each singular row is asked for as UD would state it. In this file the plural is the same
    bundle without person and gender, so that a dictionary gives the answer."""
    words = read_unimorph(shared("published", "unimorph", "nld_nld.tsv.gz"))
    forms = {(lemma, bundle): form for lemma, form, bundle in rows_of(words)}
    n_found = 0
    for (lemma, bundle), form in forms.items():
        if "SG" in bundle:
            upos = "VERB" if "V" in bundle else "ADJ"
            entries = [DUTCH[value] for value in bundle - {"V", "ADJ"}]
            entries += ["Degree=Pos"] * (upos == "ADJ" and not bundle & {"CMPR", "SPRL"})
            feats = "|".join(sorted(entries))
            found = alternates(words, form, lemma, upos, feats, "Number", "Plur")
            plural = forms[lemma, bundle - {"SG", "1", "2", "3", "NEUT"} | {"PL"}]
            assert found == (() if plural == form or " " in plural else (plural,))
            n_found += bool(found)
    assert n_found == 25_942
