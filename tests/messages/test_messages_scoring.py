"""What models and trainings tell users who are mistaken, word for word: the messages met most."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import colorless_green as cg
from colorless_green import Method, Training, convert, load_model
from colorless_green.data.errors import InputError
from colorless_green.scoring import Line, Query, seeds_of, split_lines

LINES = [f"the key{n} is near the door ." for n in range(60)]


def load(spec: str, **options: Any) -> None:
    load_model(spec, **{"device": "cpu", **options})


def train(kind: str, *, text: str = "text.txt", **options: Any) -> None:
    cg.train(kind, text or None, out="model", **options)


def train_twice() -> None:
    train("ngram", order=3)
    train("ngram", order=4)


def changed_by_hand() -> None:
    train("unigram")
    Path("model", "counts.tsv").write_text("word\tcount\n", "utf-8")
    load("model")


def ask_a_table() -> None:
    header = "sentence_id\ttoken_id\ttoken\tsurprisal\n"
    Path("t.tsv").write_text(f"{header}1\t1\tThe\t1.5\n1\t2\tkey\t2.5\n", "utf-8")
    scorer = load_model("table:t.tsv").scorer
    list(scorer.score([Query("The", (" keys",), "")]))


MESSAGES: list[tuple[Callable[[], object], str]] = [
    (
        lambda: load("text.txt"),
        "text.txt: its files do not say what kind of model it is; KIND:text.txt with KIND one of "
        "api, causal, gguf, masked, ngram, package, recurrent, seq2seq, table, uniform, unigram",
    ),
    (
        lambda: load("wrds.txt"),
        "wrds.txt: there is no such file or folder; perhaps words.txt",
    ),
    (
        lambda: load("causal:./none"),
        "./none: there is no such file or folder; give a folder with config.json, weights "
        "(*.safetensors) and tokenizer.json, or NAME@REVISION on the hub",
    ),
    (
        lambda: load("unigram:none"),
        "none: there is no such file or folder; give a folder made by colorless train unigram",
    ),
    (
        lambda: load("ngram:none", dtype="float16"),
        "dtype: 'float16' for an n-gram model, which has no choice of it; float32",
    ),
    (
        lambda: load("causal:.", device="gpu"),
        "device: no such device 'gpu'; auto, cpu, cuda or cuda:N",
    ),
    (
        lambda: load("package:gpt9"),
        "--model package: no such name 'gpt9'; give one of smollm2",
    ),
    (
        changed_by_hand,
        "model/counts.tsv: is missing or was changed; write the folder again",
    ),
    (
        ask_a_table,
        "t.tsv: no sentence of it is 'The keys'; give a table of all sentences of the suite",
    ),
    (
        lambda: train("recurrent", training="huge"),
        "training: no training 'huge'; give one of base, gulordava2018, gulordava2018-5gram, "
        "gulordava2018-srnn, medium, paper, small, tiny, or a TOML file",
    ),
    (
        lambda: train("causal", training="paper"),
        "training: colorless train causal has no 'paper'; give one of tiny, small, medium, base",
    ),
    (
        lambda: train("unigram", order=3),
        "order: colorless train unigram has no such setting; order with ngram, recurrent",
    ),
    (lambda: train("ngram", order=9), "order: 9; 2 to 6, which KenLM reads"),
    (
        lambda: train("causal", training=Training(mixed=True)),
        "mixed: there is no gain of it on cpu; device cuda",
    ),
    (
        lambda: train("ngram", text=""),
        "text: no text is named, and the store has no mining; "
        "name text files, or run `colorless mine` first (in Python: give store=)",
    ),
    (
        train_twice,
        "model/model.json: this folder holds another model; give another folder",
    ),
    (
        lambda: split_lines([Line(("a",), "a")], "text"),
        "text: 1 sentence of text; about forty different ones or more",
    ),
    (
        lambda: seeds_of("five"),
        "seeds: 'five'; give a number of seeds, or whole numbers with commas between them",
    ),
    (
        lambda: Method(extends="slor").demand_unigrams(),
        "unigrams: the measure slor needs word frequencies, and no text was named; "
        "give a text, one "
        "sentence a line",
    ),
    (
        lambda: Method(premise="So"),
        "Method: premise: the measure target does not use it; measure pmi",
    ),
    (
        lambda: Method(eos="maybe"),  # type: ignore[arg-type]
        "Method: eos: 'maybe'; 'none', 'sentence' or 'region'",
    ),
    (
        lambda: convert("none.pt", vocabulary="words.txt", out="out"),
        "none.pt: cannot be read (No such file or directory); "
        "give a whole model that torch.save wrote, "
        "as in PyTorch's word_language_model",
    ),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES)
def test_a_mistake_is_told_in_these_words(
    call: Callable[[], object], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("".join(f"{line}\n" for line in LINES), "utf-8")
    Path("words.txt").write_text("<unk>\n<eos>\n", "utf-8")
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message
