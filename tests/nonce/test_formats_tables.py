"""Tables as people have them: any delimiter and encoding, blank lines, headers that come again."""

import codecs
import gzip
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data import pair_of, read_suite, read_suites, sentence_text
from colorless_green.data.errors import ErrorKind, InputError
from tests.builders import colorless, shared
from tests.nonce.format_material import refuses, words

PAIRS = (
    ("The keys are here; so is he.", "The keys is here; so is he."),
    ("The key, I think, is here.", "The key, I think, are here."),
    ('She | he says "yes".', 'She | he say "yes".'),
)
DELIMITERS = (",", ";", "\t", "|")
UTF16 = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE}


def encoded(text: str, encoding: str) -> bytes:
    """Return the bytes of a text, in UTF-16 behind a byte order mark."""
    return UTF16.get(encoding, b"") + text.encode(encoding)


def line_of(cells: Sequence[str], delimiter: str, *, quoted: bool = True) -> str:
    """One line of a table; in quotes, or not, if no cell needs them."""
    marks = [cell.replace('"', '""') for cell in cells]
    return delimiter.join(f'"{cell}"' if quoted and cell else cell for cell in marks)


def pairs_in(path: Path, form: str = "") -> list[tuple[str, str]]:
    return [(pair_of(item).right, pair_of(item).wrong) for item in read_suite(path, form).items]


SENTENCE = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=6)


@given(
    pairs=st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=4),
    header=st.sampled_from([("good", "bad"), ("Right", "Wrong"), ("correct", "incorrect")]),
    delimiter=st.sampled_from(DELIMITERS),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", *UTF16]),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    named=st.booleans(),
    quoted=st.booleans(),
    again=st.integers(0, 4),
    n_trailing=st.integers(0, 3),
    blank=st.sampled_from(["", " ", "cells"]),
    packed=st.booleans(),
)  # fmt: skip
def test_a_table_of_pairs_gives_back_its_pairs_however_it_was_saved(
    tmp_path_factory: pytest.TempPathFactory,
    pairs: list[tuple[str, str]],
    header: tuple[str, str],
    delimiter: str,
    encoding: str,
    end: str,
    named: bool,
    quoted: bool,
    again: int,
    n_trailing: int,
    blank: str,
    packed: bool,
) -> None:
    trailing = [""] * n_trailing
    heading = line_of((*header, *trailing), delimiter, quoted=quoted)
    rows = [line_of((*pair, *trailing), delimiter) for pair in pairs]
    if again <= len(rows):
        rows.insert(again, heading)
    empty = delimiter * (n_trailing + 1) if blank == "cells" else blank
    lines = [f"sep={delimiter}"] if named else []
    for row in (heading, *rows):
        lines += [row, empty]
    content = encoded("".join(line + end for line in lines), encoding)
    path = tmp_path_factory.mktemp("t") / "pairs.csv"
    path.write_bytes(gzip.compress(content) if packed else content)
    assert pairs_in(path) == pairs


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("between", DELIMITERS)
def test_a_header_may_hold_what_separates_other_tables(
    tmp_path: Path, delimiter: str, between: str
) -> None:
    header = ("good", "bad", f"note{between} source")
    path = tmp_path / "pairs.csv"
    rows = [line_of((*pair, "x"), delimiter) for pair in PAIRS]
    path.write_text("\n".join([line_of(header, delimiter), *rows]), "utf-8")
    assert pairs_in(path) == list(PAIRS)
    assert {item.facts[header[-1]] for item in read_suite(path).items} == {"x"}


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("good,bad,note,note\na b,a c,x,y\n", "conflict", 1),
        ("good,bad,good\na b,a c,x\n", "conflict", 1),
        ("good,bad,Good\na b,a c,x\n", "conflict", 1),
        (",,good,bad\nx,y,a b,a c\n", "conflict", 1),
        ("good,bad\na b,a c\n\nbad,good\na c,a b\n", "format", 4),
        ("good,bad,\na b,a c,x\n", "format", 2),
        ("good,bad\na, b,a, c\n", "format", 2),
        ("good,bad,note\na b,a c\n", "format", 2),
        ("sep=;\nfirst;second\na b;a c\n", "missing", 1),
    ],
)
def test_a_table_that_could_be_misread_is_refused_with_its_line(
    tmp_path: Path, text: str, kind: ErrorKind, line: int
) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(text, "utf-8", newline="")
    refuses(kind, f"{path}:{line}", path)


@pytest.mark.parametrize("content", [b"\xff\xfeg\x00o", b"\xfe\xff\xd8\x00", b"\xff\xfe\x00"])
def test_text_that_is_cut_off_within_utf_16_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "pairs.csv"
    path.write_bytes(content + b"\x00" if len(content) % 2 == 0 else content)
    for form in ("", "pair_table", "blimp", "jsonl", "clams"):
        refuses("unreadable", path, path, form)


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_a_table_of_regions_is_read_between_any_marks(tmp_path: Path, delimiter: str) -> None:
    header = ("item_number", "condition_name", "region_number", "region_name", "content")
    rows = [("1", name, "1", "all", f"the {name}, here; there") for name in ("match", "mismatch")]
    lines = ["", *(line_of(row, delimiter) for row in (header, *rows, header)), ""]
    path = tmp_path / "x.csv"
    path.write_text("\n".join(lines), "utf-8")
    (item,) = read_suite(path).items
    assert {name: texts[0][0].text for name, texts in item.conditions.items()} == {
        name: f"the {name}, here; there" for name in ("match", "mismatch")
    }


@pytest.mark.shared
@pytest.mark.parametrize(("name", "n"), [("pt_dup", 4), ("pt_sep", 2), ("pt_blank", 2)])
def test_the_tables_of_others_are_read(name: str, n: int) -> None:
    found = pairs_in(shared("cases", f"{name}.csv"))
    assert len(found) == n
    assert all(right.replace(" are ", " is ") == wrong or right.replace(" is ", " are ") == wrong
               for right, wrong in found)  # fmt: skip


MULTI = (
    "sen", "wrong_sen", "prefix", "head", "swap_head", "child_features", "head_features",
    "metadata", "attractors", "phenomenon", "lang",
)  # fmt: skip
LANGUAGES = {
    "deu": ("de", ("Die Schlüssel sind da.", "Die Schlüssel ist da.", "Die Schlüssel", "sind",
                   "ist")),
    "hbo": ("hbo", ("a b c", "a d c", "a", "b", "d")),
    "nld": ("nl", ("De sleutels zijn hier.", "De sleutels is hier.", "De sleutels", "zijn", "is")),
}  # fmt: skip


def multiblimp(path: Path, code: str, delimiter: str = "\t") -> None:
    """Write a table of MultiBLiMP with one pair, which names no treebank."""
    row = (*LANGUAGES[code][1], "{}", "{}", "{}", "[]", "SV-#", code)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(line_of(cells, delimiter, quoted=False) + "\n" for cells in (MULTI, row))
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


@pytest.mark.parametrize("layout", ["{}/data.tsv", "{}/data.tsv.gz", "{}.tsv", "{}.tsv.gz"])
def test_a_folder_as_multiblimp_is_published_is_a_suite_a_language(
    tmp_path: Path, layout: str
) -> None:
    folder = tmp_path / "multi"
    for code in LANGUAGES:
        multiblimp(folder / layout.format(code), code)
    (folder / "README.md").write_text("What this is.", "utf-8")
    (folder / "figures").mkdir()
    multiblimp(folder / ".checkpoints" / "data.tsv", "nld")  # an editor's own
    for format_name in ("", "multiblimp"):
        suites = read_suites(folder, format_name)
        assert {suite.name: [item.language for item in suite.items] for suite in suites} == {
            code: [language] for code, (language, _) in LANGUAGES.items()
        }
    with pytest.raises(InputError) as caught:
        read_suite(folder)
    assert caught.value.kind == "conflict"
    done = colorless("import multi --json", cwd=tmp_path)
    assert [f'"suite": "{code}"' in done.stdout for code in LANGUAGES] == [True] * 3
    table = folder / layout.format("nld")
    for path in {table, table.parent if table.parent != folder else table}:
        (suite,) = read_suites(path)
        assert (suite.name, pairs_in(path)) == ("nld", [LANGUAGES["nld"][1][:2]])


def test_a_table_that_is_not_of_its_folders_languages_is_told(tmp_path: Path) -> None:
    multiblimp(tmp_path / "nld.tsv", "nld")
    (tmp_path / "notes.tsv").write_text("a\tb\n1\t2\n", "utf-8")
    refuses("format", tmp_path / "notes.tsv", tmp_path)


@pytest.mark.shared
def test_the_published_languages_are_a_suite_each() -> None:
    suites = read_suites(shared("published", "multiblimp"))
    assert [(suite.name, len(suite.items)) for suite in suites] == [
        ("ell", 1_096), ("eng", 770), ("nld", 2_331)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "form", "kind", "place"),
    [
        ('{"a": 1}\n', "", "format", ""),
        ("[1]\n", "", "format", ""),
        ("id\ttoken\n1\tThe\n", "", "format", ""),
        ("\n", "", "format", ""),
        ("good,bad\na,\n", "pair_table", "format", ":2"),
        ("good,bad\na,b,c\n", "pair_table", "format", ":2"),
        ("good,bad\n", "pair_table", "empty", ""),
        ("one,two\na,b\n", "pair_table", "missing", ":1"),
    ],
)
def test_what_is_no_pair_is_told(
    tmp_path: Path, content: str, form: str, kind: ErrorKind, place: str
) -> None:
    path = tmp_path / "x.txt"
    path.write_text(content, "utf-8")
    refuses(kind, f"{path}{place}", path, form)


@pytest.mark.parametrize(
    ("right", "wrong", "parts"),
    [
        ("the keys here are lost", "the keys there is lost",
         (("the keys", " here are", " lost"), ("the keys", " there is", " lost"))),
        ("a b", "a b", None),
        ("a b", "a b c", None),
    ],
)  # fmt: skip
def test_sentences_are_parted_at_their_first_and_last_difference(
    tmp_path: Path, right: str, wrong: str, parts: tuple[tuple[str, ...], ...] | None
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"good,bad\n{right},{wrong}\n", "utf-8")
    (item,) = read_suite(path).items
    expected = parts or ((right,), (wrong,))
    for (wording,), texts in zip(item.conditions.values(), expected, strict=True):
        assert tuple(region.text for region in wording) == texts


odd = st.lists(words, min_size=1, max_size=5).map(" ".join).map(str.strip)


@given(odd, odd)
def test_a_parted_pair_differs_in_its_target_alone(
    tmp_path_factory: pytest.TempPathFactory, right: str, wrong: str
) -> None:
    path = tmp_path_factory.mktemp("t") / "x.tsv"
    cells = ['"' + text.replace('"', '""') + '"' for text in (right, wrong)]
    path.write_text("good\tbad\n" + "\t".join(cells) + "\n", "utf-8", newline="\n")
    (item,) = read_suite(path, "pair_table").items
    found = [wordings[0] for wordings in item.conditions.values()]
    assert [sentence_text(wording) for wording in found] == [right, wrong]
    if len(found[0]) == 3:
        (prefix, one, rest), (other_prefix, other, other_rest) = found
        assert (prefix, rest) == (other_prefix, other_rest)
        assert one.text != other.text
        assert one.text.strip()
        assert other.text.strip()
