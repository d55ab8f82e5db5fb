"""What the miner says to those who use it, word for word. No other test looks at the wording."""

from collections.abc import Callable
from pathlib import Path

import pytest

from colorless_green import mine, parse
from colorless_green.data.errors import InputError
from colorless_green.miner import (
    Rule,
    mine_treebank,
    parse_patterns,
    read_unimorph,
    treebank,
)
from tests.builders import conllu, write_conllu

GOOD = conllu("a/NOUN/Sing/2", "b/VERB/Sing/0")


def mined(text: str | bytes, **options: object) -> Callable[[Path], object]:
    """MinedTreebank a file `x.conllu` with this content."""

    def call(folder: Path) -> object:
        path = folder / "x.conllu"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        settings = {name: value for name, value in options.items() if name != "features"}
        features = options.get("features", ("Number",))
        return mine_treebank(
            treebank([path]),
            Rule(**settings),  # type: ignore[arg-type]
            features=features,  # type: ignore[arg-type]
        )

    return call


def of_patterns(text: str) -> Callable[[Path], object]:
    return lambda folder: parse_patterns(text, "p.toml")


def of_words(line: str) -> Callable[[Path], object]:
    def call(folder: Path) -> object:
        path = folder / "words.tsv"
        path.write_text(line + "\n", encoding="utf-8")
        return read_unimorph(path)

    return call


def of_texts(*names: str) -> Callable[[Path], object]:
    def call(folder: Path) -> object:
        paths = [folder / name for name in names]
        for path in paths:
            path.write_text(" \n" if len(paths) == 1 else "A.")
        return parse(paths, language="en")

    return call


def unnamed(folder: Path) -> object:
    write_conllu(folder / "x.conllu", GOOD)
    return parse([folder / "x.conllu"], language="", write=print)


ROW = "2\tb\tb\tVERB\t_\tNumber=Sing\t0\troot\t_\t_"
UPOS = "ADJ, ADP, ADV, AUX, CCONJ, DET, INTJ, NOUN, NUM, PART, PRON, PROPN, PUNCT, SCONJ, SYM, VERB"

MESSAGES: list[tuple[Callable[[Path], object], str]] = [
    (mined(""), "x.conllu: no sentence in it; give a CoNLL-U file"),
    (mined("<html>"), "x.conllu:1: this looks like HTML or XML; give a CoNLL-U file"),
    (
        mined(GOOD.encode().replace(b"\tb\t", b"\t\xff\t")),
        "x.conllu:3: byte 0xff is not UTF-8; give a file saved as UTF-8",
    ),
    (
        mined(GOOD.replace(ROW, ROW.replace("\t_\t_", ""))),
        "x.conllu:3: 8 columns; give a CoNLL-U file, with 10 columns separated by tabs",
    ),
    (
        mined(GOOD.replace("\t0\t", "\t7\t")),
        "x.conllu:3: HEAD is 7, but there is no such word; 0 to 2",
    ),
    (
        mined(GOOD.replace("\t0\t", "\tx\t")),
        "x.conllu:3: HEAD is 'x'; give a word number, or 0 for the root",
    ),
    (
        mined(GOOD.replace("\t0\t", "\t1\t")),
        "x.conllu:2: no root: its heads run in a cycle; heads that lead to a word with HEAD 0",
    ),
    (
        mined(GOOD.replace("Number=Sing", "Plur")),
        "x.conllu:2: 'Plur' in FEATS; "
        "write Name=Value joined by | without blanks, each name once, or _",
    ),
    (
        lambda folder: mine("x.conllu", rule="x"),
        "rule: no rule 'x'; give one of released, strict, tested, or a TOML file",
    ),
    (
        mined(GOOD, features=("number",)),
        "feature: 'number'; did you mean 'Number'? one name, as Number or Number[psor]; "
        "repeat the option for several",
    ),
    (mined(GOOD, by="size"), "Rule: by: 'size'; 'pos', 'deprel' or 'coarse'"),
    (mined(GOOD, max_gap=2), "Rule: max_gap: 2, smaller than the minimum gap; at least 3, or 0"),
    (mined(GOOD, floor=1.5), "Rule: floor: 1.5; at most 1"),
    (
        of_patterns('[[pattern]]\nname = "a"\npath = ["nsubj"]'),
        'p.toml: a: a step of the path is \'nsubj\'; "<nsubj", ">aux|cop", ">*"',
    ),
    (
        of_patterns('[[pattern]]\nname = "a"\npath = ["<x"]\ncontroller = { upos = ["NOMEN"] }'),
        f"p.toml: a: controller: upos is 'NOMEN'; did you mean 'NOUN'? one of {UPOS}, X, _",
    ),
    (
        of_words("a b N"),
        "words.tsv:1: the line is 'a b N'; lemma, form and bundle, separated by tabs",
    ),
    (
        of_words("a\tb\tN;;SG"),
        "words.tsv:1: bundle 'N;;SG': an empty value; values separated by ';', as in V;PRS;3;SG",
    ),
    (of_texts("a.txt"), "a.txt: no text in it; plain text in UTF-8"),
    (
        of_texts("a_b.txt", "a b.md"),
        "a_b.txt: two texts of one run are called a_b; give other names",
    ),
    (unnamed, "language: no language was named; give the text's, such as it for Italian"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=[text for _, text in MESSAGES])
def test_a_mistake_is_told_in_these_words(
    tmp_path: Path, call: Callable[[Path], object], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        call(tmp_path)
    assert str(caught.value).removeprefix(f"{tmp_path}/") == message
