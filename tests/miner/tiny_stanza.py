"""A small Stanza parser, trained here in a minute.

`train` makes bare models (tokenize, mwt, pos, lemma, depparse) of the treebank's first sentences
with Stanza's own training programs: no pretrained vectors, no character language model, so that
nothing is downloaded.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from colorless_green.miner import read, to_conllu


@dataclass(frozen=True, slots=True)
class Size:
    """How large the networks are and how long they train. A step of the tokenizer is a batch of
    characters, of the tagger a batch of sentences, of the parser one of words."""

    hidden: int
    embedding: int
    tokenizer_steps: int
    tagger_steps: int
    parser_steps: int
    parser_batch: int  # words


WHOLE = Size(64, 32, 200, 300, 200, 1_000)
HALVED = Size(64, 32, 100, 140, 60, 500)
PARAGRAPH = 4  # sentences: the tokenizer learns sentence ends from what follows on one line


def train(
    train_file: Path, dev_file: Path, folder: Path, language: str, size: Size, n: int
) -> None:
    """Models of the first `n` sentences in `folder`, one program of Stanza after another."""
    from stanza.models import lemmatizer, mwt_expander, parser, tagger, tokenizer

    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as temporary:
        work = Path(temporary)
        for name, path in (("train", train_file), ("dev", dev_file)):
            prepare(path, work, name, n if name == "train" else n // 4)
        trained, held_out = str(work / "train.conllu"), str(work / "dev.conllu")
        files = ["--train_file", trained, "--eval_file", held_out]
        common = ["--shorthand", f"{language}_bench", "--save_dir", str(folder), "--cpu"]
        for name, program, arguments in (
            ("tokenize", tokenizer.main, ["--lang", language, *tokenizer_options(work, size)]),
            ("mwt", mwt_expander.main, [*files, "--gold_file", held_out, "--dict_only"]),
            ("pos", tagger.main, ["--lang", language, *files, *tagger_options(size)]),
            ("lemma", lemmatizer.main, [*files, "--dict_only"]),
            ("depparse", parser.main, ["--lang", language, *files, *parser_options(size)]),
        ):
            if name != "mwt" or has_ranges(work / "train.conllu"):
                program([*common, "--save_name", f"{name}.pt", *arguments])


def prepare(path: Path, work: Path, name: str, n: int) -> None:
    """The first `n` sentences, as CoNLL-U and as the characters and labels of the tokenizer."""
    from stanza.utils.datasets import prepare_tokenizer_data

    sentences = list(islice(read(path), n))
    conllu, text = work / f"{name}.conllu", work / f"{name}.txt"
    conllu.write_text("".join(map(to_conllu, sentences)), encoding="utf-8")
    lines = [str(sentence.comment("text")) for sentence in sentences]
    paragraphs = (" ".join(lines[at : at + PARAGRAPH]) for at in range(0, len(lines), PARAGRAPH))
    text.write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    labels, words = work / f"{name}.labels", work / f"{name}.json"
    prepare_tokenizer_data.main([str(text), str(conllu), "-o", str(labels), "-m", str(words)])


def has_ranges(path: Path) -> bool:
    return any(sentence.ranges for sentence in read(path))


def tokenizer_options(work: Path, size: Size) -> Iterator[str]:
    for prefix, name in (("", "train"), ("dev_", "dev")):
        yield from (f"--{prefix}txt_file", str(work / f"{name}.txt"))
        yield from (f"--{prefix}label_file", str(work / f"{name}.labels"))
    yield from ("--dev_conll_gold", str(work / "dev.conllu"))
    yield from ("--mwt_json_file", str(work / "train.json"))
    yield from ("--hidden_dim", str(size.hidden // 2), "--emb_dim", str(size.embedding // 2))
    yield from ("--steps", str(size.tokenizer_steps), "--max_seqlen", "200")
    yield from ("--eval_steps", str(size.tokenizer_steps // 2))


def network_options(size: Size, steps: int) -> Iterator[str]:
    for name in ("hidden_dim", "deep_biaff_hidden_dim", "transformed_dim"):
        yield from (f"--{name}", str(size.hidden))
    for name in ("word_emb_dim", "char_emb_dim", "tag_emb_dim"):
        yield from (f"--{name}", str(size.embedding))
    yield from ("--char_hidden_dim", str(size.hidden), "--num_layers", "1", "--no_pretrain")
    yield from ("--word_cutoff", "2", "--max_steps", str(steps), "--eval_interval", str(steps // 2))


def tagger_options(size: Size) -> Iterator[str]:
    yield from network_options(size, size.tagger_steps)
    yield from ("--composite_deep_biaff_hidden_dim", str(size.embedding), "--batch_size", "50")


def parser_options(size: Size) -> Iterator[str]:
    yield from network_options(size, size.parser_steps)
    yield from ("--deep_biaff_output_dim", str(size.hidden // 2), "--no_checkpoint")
    yield from ("--batch_size", str(size.parser_batch), "--optim", "adam", "--lr", "0.003")
    yield "--no_second_optim"
