"""A small Stanza parser, trained here in a minute.

`train` makes bare models (tokenize, mwt, pos, lemma, depparse) of the treebank's first sentences
with Stanza's own training programs: no pretrained vectors, no character language model, so that
nothing is downloaded.
"""

from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from colorless_green.miner import read, to_conllu

PARAGRAPH = 4  # sentences: the tokenizer learns sentence ends from what follows on one line
TOKENIZER = "--hidden_dim 32 --emb_dim 16 --steps 100 --max_seqlen 200 --eval_steps 50"
NETWORK = (
    "--hidden_dim 64 --deep_biaff_hidden_dim 64 --transformed_dim 64 --word_emb_dim 32 "
    "--char_emb_dim 32 --tag_emb_dim 32 --char_hidden_dim 64 --num_layers 1 --no_pretrain "
    "--word_cutoff 2"
)
TAGGER = (
    f"{NETWORK} --max_steps 140 --eval_interval 70 --composite_deep_biaff_hidden_dim 32 "
    "--batch_size 50"
)
PARSER = (
    f"{NETWORK} --max_steps 60 --eval_interval 30 --deep_biaff_output_dim 32 --no_checkpoint "
    "--batch_size 500 --optim adam --lr 0.003 --no_second_optim"
)


def train(train_file: Path, dev_file: Path, folder: Path, language: str, n: int) -> None:
    """Models of the first `n` sentences in `folder`, one program of Stanza after another."""
    from stanza.models import lemmatizer, mwt_expander, parser, tagger, tokenizer

    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as temporary:
        work = Path(temporary)
        prepare(train_file, work, "train", n)
        prepare(dev_file, work, "dev", n // 4)
        held_out = f"{work}/dev.conllu"
        texts = (
            f"--txt_file {work}/train.txt --label_file {work}/train.labels "
            f"--dev_txt_file {work}/dev.txt --dev_label_file {work}/dev.labels "
            f"--dev_conll_gold {held_out} --mwt_json_file {work}/train.json"
        )
        files = f"--train_file {work}/train.conllu --eval_file {held_out}"
        for name, program, arguments in (
            ("tokenize", tokenizer.main, f"--lang {language} {texts} {TOKENIZER}"),
            ("mwt", mwt_expander.main, f"{files} --gold_file {held_out} --dict_only"),
            ("pos", tagger.main, f"--lang {language} {files} {TAGGER}"),
            ("lemma", lemmatizer.main, f"{files} --dict_only"),
            ("depparse", parser.main, f"--lang {language} {files} {PARSER}"),
        ):
            common = f"--shorthand {language}_bench --save_dir {folder} --cpu --save_name {name}.pt"
            program([*common.split(), *arguments.split()])


def prepare(path: Path, work: Path, name: str, n: int) -> None:
    """Write the first `n` sentences, as CoNLL-U and as the characters and labels of the
    tokenizer."""
    from stanza.utils.datasets import prepare_tokenizer_data

    sentences = list(islice(read(path), n))
    conllu, text = work / f"{name}.conllu", work / f"{name}.txt"
    conllu.write_text("".join(map(to_conllu, sentences)), encoding="utf-8")
    lines = [str(sentence.comment("text")) for sentence in sentences]
    paragraphs = (" ".join(lines[at : at + PARAGRAPH]) for at in range(0, len(lines), PARAGRAPH))
    text.write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    labels, words = work / f"{name}.labels", work / f"{name}.json"
    prepare_tokenizer_data.main([str(text), str(conllu), "-o", str(labels), "-m", str(words)])
