"""A parse beside gold: the shared task's measures, and what is mined from both."""

import gzip
import random
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colorless_green.data.result import Result
from colorless_green.data.sample import treebank as sample
from colorless_green.data.seeds import choose, shuffled
from colorless_green.data.tables import Row
from colorless_green.miner import MineRequest, compare_parse, parse_into, survey
from tests.builders import conllu, few_examples, mistake, shared, write_conllu
from tests.miner.fake_parser import knowing


def sample_of(language: str) -> Path:
    return Path(str(sample(language)))


def shares(rows: Sequence[Row]) -> dict[str, tuple[object, ...]]:
    return {str(row["measure"]): (row["precision"], row["recall"], row["f1"]) for row in rows}


def told(result: Result) -> set[str]:
    """The words of the messages."""
    return set(" ".join(result.messages).lower().replace(";", "").split())


def counts(gold: Path, parse: Path) -> dict[str, tuple[object, ...]]:
    """Of each measure of the shared task: how many are the same, in gold, in the parse."""
    rows = compare_parse([parse], [gold]).rows[:7]
    return {str(row["measure"]): (row["n_same"], row["n_gold"], row["n_parsed"]) for row in rows}


@pytest.mark.parametrize("language", ["en", "it"])
def test_a_parser_that_gives_the_gold_annotation_is_right_in_everything(
    tmp_path: Path, language: str
) -> None:
    gold = sample_of(language)
    out = tmp_path / f"{language}.conllu"
    parse_into(out, survey([gold]), knowing(gold), batch=3)
    result = compare_parse([out], [gold])
    assert "fake 1 en" in result.messages[0].lower()
    assert len(result.rows) == 11
    assert all(row["n_gold"] for row in result.rows)
    assert set(shares(result.rows).values()) == {(1, 1, 1)}


def test_values_constructions_and_originals_of_a_parse_are_looked_for_in_gold(
    tmp_path: Path,
) -> None:
    gold = sample_of("en")
    text = gold.read_text(encoding="utf-8")
    parse = tmp_path / "parse.conllu"
    parse.write_text(text.replace("Number=Sing", "Number=Plur"), encoding="utf-8")
    found = {str(row["measure"]): row for row in compare_parse([parse], [gold]).rows}
    assert (found["las"]["f1"], found["instances"]["f1"]) == (1, 1)
    assert 0 < float(found["instances, same values"]["recall"] or 0) < 1
    assert (found["constructions"]["n_parsed"], found["originals"]["precision"]) == (0, None)
    assert found["originals"]["recall"] == 0


def test_a_parse_in_several_files_is_one_in_their_order(tmp_path: Path) -> None:
    blocks = [conllu(f"{word}/X/-/0", sent_id=word) for word in ("One", "two")]
    gold = write_conllu(tmp_path / "gold.conllu", *blocks)
    parts = [write_conllu(tmp_path / f"{n}.conllu", block) for n, block in enumerate(blocks)]
    assert shares(compare_parse(parts, [gold]).rows)["sentences"] == (1, 1, 1)


@pytest.mark.slow
def test_what_is_asked_of_the_miner_is_asked_of_both(tmp_path: Path) -> None:
    gold = sample_of("it")
    request = MineRequest(features=("Gender",), rule="strict")
    result = compare_parse([gold], [gold], request)
    assert {"strict", "none"} <= told(result)
    assert shares(result.rows)["originals"] == (1, 1, 1)


def test_the_repair_that_gold_needs_is_done_to_the_parse_too(tmp_path: Path) -> None:
    present = "Mood=Ind|Tense=Pres|VerbForm=Fin"
    between = ["of/ADP/-/4", "the/DET/-/4", "cabinets/NOUN/Plur/1"]
    gold = write_conllu(
        tmp_path / "en_toy-ud-test.conllu",
        conllu("key/NOUN/Sing/5", *between, f"opens/VERB/Number=Sing|{present}/0"),
        conllu("keys/NOUN/Plur/5", *between, f"open/VERB/{present}/0", sent_id="s2"),
        conllu(f"rust/VERB/{present}/0", sent_id="s3"),
    )
    block = gold.read_text(encoding="utf-8")
    as_parsed = block.replace(f"rust\tVERB\t_\t{present}", f"rust\tVERB\t_\tNumber=Plur|{present}")
    assert as_parsed != block
    parse = write_conllu(tmp_path / "parse.conllu", as_parsed)
    result = compare_parse([parse], [gold])
    assert {"released", "ewt-2.0"} <= told(result)
    found = {str(row["measure"]): row for row in result.rows}
    both_verbs = {"n_gold": 2, "n_parsed": 2, "n_same": 2}
    assert found["instances, same values"].items() >= both_verbs.items()


def both(folder: Path, one: str, other: str) -> tuple[Path, Path]:
    return write_conllu(folder / "one.conllu", one), write_conllu(folder / "other.conllu", other)


def test_the_measures_by_hand(tmp_path: Path) -> None:
    """The sentences `ab cd` and `e`, which the parser takes for one."""
    e = conllu("e/INTJ/-/0", sent_id="s2")
    gold = conllu("1-2 ab", "a/DET/-/2", "b/NOUN/Number=Sing|Typo=Yes/3", "cd/VERB/Plur/0") + e
    parse = conllu("a/DET/-/3", "b/NOUN/Sing/3", "cd/VERB/Sing/0", "e/X/-/3")
    assert counts(*both(tmp_path, gold, parse)) == {  # same, gold, parsed
        "tokens": (2, 3, 4),  # cd, e
        "sentences": (0, 2, 1),
        "words": (4, 4, 4),  # a and b inside the multiword token by their forms
        "upos": (3, 4, 4),  # not e
        "ufeats": (3, 4, 4),  # not cd; Typo is no universal feature
        "uas": (2, 4, 4),  # b, cd: e is a root in gold
        "las": (2, 4, 4),
    }


@pytest.mark.parametrize(
    ("gold", "parse", "words"),
    [
        # overlapping multiword tokens are one stretch
        (["1-2 ab", "a", "b", "3-4 cd", "c", "d"], ["a", "2-3 bc", "B", "C", "d"], (4, 4, 4)),
        # words that stick out of a multiword token correspond to none
        (["x", "2-3 abc", "ab", "c", "de"], ["xa", "b", "cd", "e"], (0, 4, 4)),
        # blanks inside words are no difference
        (["1 000"], ["1\u00a0000"], (1, 1, 1)),
    ],
)
def test_words_correspond_by_their_place_in_the_text(
    tmp_path: Path, gold: list[str], parse: list[str], words: tuple[int, int, int]
) -> None:
    assert counts(*both(tmp_path, flat(gold), flat(parse)))["words"] == words


def flat(forms: list[str], sent_id: str = "s1") -> str:
    """A sentence whose words hang on its first."""
    root = next(each for each in forms if each[1:2] != "-")
    rows = (each if each[1:2] == "-" else f"{each}/X/-/{int(each != root)}" for each in forms)
    return conllu(*rows, sent_id=sent_id)


Token = tuple[str, tuple[str, ...]]  # surface form and the words in it


def tokens(rng: random.Random, text: str, kind: str) -> list[Token]:
    """`text` as tokens: "one" range, some "ranges", or some "words"."""
    result: list[Token] = []
    while text:
        length = len(text) if kind == "one" else 1 + int(rng.random() * 3)
        form, text = text[:length], text[length:]
        if kind == "words":
            result.append((form, (form,)))
        else:
            n_words = 2 + int(rng.random() * 2)
            result.append((form, tuple(choose(rng, ("x", "Y", "yz")) for _ in range(n_words))))
    return result


def annotated(rng: random.Random, found: Sequence[Token], sent_id: str) -> str:
    """One sentence with these tokens; tags are drawn, and each head from the words before."""
    rows, n_words = list[str](), 0
    for form, words in found:
        if len(words) > 1:
            rows.append(f"{n_words + 1}-{n_words + len(words)} {form}")
        for word in words:
            head = 1 + int(rng.random() * n_words) if n_words else 0
            feats = choose(rng, ("-", "Sing", "Number=Plur|Typo=Yes", "Case=Nom|Number=Sing"))
            rows.append(f"{word}/{choose(rng, ('NOUN', 'VERB'))}/{feats}/{head}")
            n_words += 1
    return conllu(*rows, sent_id=sent_id)


@st.composite
def treebanks(draw: st.DrawFn) -> str:
    """CoNLL-U of the text `xyzxyzxyz`, split in some way into tokens and two sentences."""
    rng = random.Random(draw(st.integers(0, 10_000)))
    kinds = [draw(st.sampled_from(["one", "ranges", "words"])) for _ in range(3)]
    found = [token for kind in kinds for token in tokens(rng, "xyz", kind)]
    at = draw(st.integers(1, len(found) - 1))
    return annotated(rng, found[:at], "s1") + annotated(rng, found[at:], "s2")


@given(treebanks(), treebanks())
def test_no_measure_finds_more_than_there_is_and_each_part_less_than_the_whole(
    tmp_path_factory: pytest.TempPathFactory, one: str, other: str
) -> None:
    found = counts(*both(tmp_path_factory.mktemp("c"), one, other))
    n_same = {name: int(str(cells[0])) for name, cells in found.items()}
    assert all(int(str(same)) <= min(int(str(n)) for n in rest) for same, *rest in found.values())
    assert n_same["las"] <= n_same["uas"] <= n_same["words"]
    assert max(n_same["upos"], n_same["ufeats"]) <= n_same["words"]


@few_examples
@given(treebanks(), treebanks())
def test_tokens_and_sentences_have_no_direction(
    tmp_path_factory: pytest.TempPathFactory, one: str, other: str
) -> None:
    paths = both(tmp_path_factory.mktemp("c"), one, other)
    forth, back = counts(*paths), counts(*reversed(paths))
    for name in ("tokens", "sentences", "words"):
        assert forth[name][0] == back[name][0]


FORMS = st.lists(st.sampled_from("ab"), min_size=2, max_size=6)


@given(FORMS, FORMS)
def test_inside_a_multiword_token_as_many_words_correspond_as_can_in_order(
    tmp_path_factory: pytest.TempPathFactory, one: list[str], other: list[str]
) -> None:
    def longest(i: int, j: int) -> int:
        if i == len(one) or j == len(other):
            return 0
        same = 1 + longest(i + 1, j + 1) if one[i] == other[j] else 0
        return max(same, longest(i + 1, j), longest(i, j + 1))

    gold, parse = (
        conllu(f"1-{len(forms)} x", f"{forms[0]}/X/-/0", *[f"{each}/X/-/1" for each in forms[1:]])
        for forms in (one, other)
    )
    found = counts(*both(tmp_path_factory.mktemp("c"), gold, parse))
    assert found["words"] == (longest(0, 0), len(one), len(other))
    assert found["upos"][0] == found["words"][0]  # all have one tag: no word corresponds twice


NAMES = {"UPOS": "upos", "UFeats": "ufeats", "UAS": "uas", "LAS": "las"}


def by_udeval(gold: Path, parse: Path) -> dict[str, tuple[int, ...]]:
    """What the evaluation of the Universal Dependencies tools says; run as the program it is."""
    if find_spec("udtools") is None:
        pytest.skip("needs udtools, which comes with stanza")
    code = "import sys; from udtools.cli import main_eval; sys.exit(main_eval())"
    done = subprocess.run(
        [sys.executable, "-c", code, "--counts", str(gold), str(parse)],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [[cell.strip() for cell in line.split("|")] for line in done.stdout.splitlines()]
    return {
        NAMES.get(cells[0], cells[0].lower()): tuple(map(int, cells[1:4]))
        for cells in lines
        if len(cells) > 3 and cells[1].isdecimal()
    }


@pytest.mark.slow
def test_counts_are_those_of_the_ud_tools_on_random_treebanks(tmp_path: Path) -> None:
    """No token sticks out of a range, and one that both sides have stands before each: elsewhere
    the tool's code lets words beside a range into it, against its own description."""
    rng = random.Random(0)
    sides = [list[Token](), list[Token]()]
    for _ in range(2_000):
        kinds = ["words", "words"]
        if rng.random() < 0.5:
            kinds = shuffled(rng, ["one", choose(rng, ("one", "ranges", "words"))])
        text = "".join(choose(rng, "xyz") for _ in range(4))
        for side, kind in zip(sides, kinds, strict=True):
            side += [*tokens(rng, text, kind), ("-", ("-",))]
    texts = [
        "".join(
            annotated(rng, side[start : start + length], f"s{start}")
            for start in range(0, len(side), length)
        )
        for side, length in zip(sides, (7, 9), strict=True)
    ]
    gold, parse = both(tmp_path, *texts)
    expected = by_udeval(gold, parse)
    found = counts(gold, parse)
    assert found == {name: expected[name] for name in found}
    assert expected["words"][0] > expected["tokens"][0] > expected["las"][0] > 100


@pytest.mark.shared
def test_counts_are_those_of_the_ud_tools_on_a_worsened_treebank(tmp_path: Path) -> None:
    """UD English EWT, test: multiword tokens taken apart, heads, relations and tags changed."""
    packed = shared("treebanks", "UD_English-EWT", "en_ewt-ud-test.conllu.gz")
    text = gzip.decompress(packed.read_bytes()).decode()
    gold, parse = both(tmp_path, text, worsened(random.Random(1), text))
    expected = by_udeval(gold, parse)
    found = counts(gold, parse)
    assert found == {name: expected[name] for name in found}
    assert expected["words"][0] > expected["uas"][0] == expected["las"][0] > expected["upos"][0] / 2
    assert expected["tokens"][2] > expected["tokens"][1]


def worsened(rng: random.Random, text: str) -> str:
    """CoNLL-U with some annotation changed, and some ranges gone whose words spell them. A word
    that hangs on another is hung on the root: so no loops arise."""
    blocks = []
    for block in text.rstrip("\n").split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n")]
        root = next(row[0] for row in rows if len(row) == 10 and row[6] == "0")
        kept = []
        for index, row in enumerate(rows):
            if len(row) == 10 and "-" in row[0] and rng.random() < 0.3:
                first, last = map(int, row[0].split("-"))
                words = rows[index + 1 : index + last - first + 2]
                if "".join(word[1] for word in words) == row[1]:
                    continue
            if len(row) == 10 and row[0].isdecimal():
                row[3] = "X" if rng.random() < 0.1 else row[3]
                row[5] = "Number=Sing" if rng.random() < 0.1 else row[5]
                row[6] = root if row[6] != "0" and rng.random() < 0.1 else row[6]
                row[7] = f"{row[7]}:x" if rng.random() < 0.5 else row[7]
            kept.append("\t".join(row))
        blocks.append("\n".join(kept) + "\n\n")
    return "".join(blocks)


@pytest.mark.parametrize(("parse", "line"), [(["Two"], ":4"), (["Too", "three"], ":4"), ([], ":1")])
def test_texts_that_differ_are_told_where_they_part(
    tmp_path: Path, parse: list[str], line: str
) -> None:
    gold, other = both(tmp_path, flat(["One"]) + flat(["Two", "three"], "s2"), flat(["One"]))
    if parse:
        write_conllu(other, flat(["One"]), flat(parse, "s2"))
    with mistake("format", f"other.conllu{line}"):
        compare_parse([other], [gold])


def test_a_share_of_nothing_is_empty(tmp_path: Path) -> None:
    found = shares(
        compare_parse([gold := write_conllu(tmp_path / "x.conllu", flat(["a"]))], [gold]).rows
    )
    assert found["instances"] == (None, None, None)
    gold, parse = both(tmp_path, flat(["a", "bc"]), flat(["a", "b", "c"]))
    found = shares(compare_parse([parse], [gold]).rows)
    assert (found["tokens"], found["sentences"]) == ((1 / 3, 1 / 2, 2 / 5), (1, 1, 1))
