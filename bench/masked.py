"""Pseudo-log-likelihoods beside minicons: the same model, sentences and variant, in turns.

    python -m bench.masked [PAIRS.jsonl[.gz]…] [--pairs 24] [--threads 2] [--rounds 3] [--width 768]

PAIRS are files with `sentence_good` and `sentence_bad` on each line, as BLiMP's; without them
invented ones. The model is a BERT of base size with random weights and 30,522 subwords. Whole
sentences (S) and, where a pair differs in one word, that word given both sides (T). Ratios of CPU
time, the best round of each; and the largest difference of two sums, in nats. minicons, where it is
not installed, is left out.
"""

import json
import math
import random
import re
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from colorless_green.data.files import numbered_lines
from colorless_green.scoring.models.backends.masked import Masked, load
from colorless_green.scoring.models.origin import quiet
from colorless_green.scoring.questions.query import LoadOptions, Query

NAMES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
THEIRS = {"original": "original", "word-l2r": "within_word_l2r"}
SENTENCES_A_CALL = (8, 32)  # of minicons, which makes one batch of them: its best counts
N_IDS = 30_522
Pair = tuple[str, str]


def invented(n_pairs: int) -> list[Pair]:
    """Pairs of a noun phrase with attractors, and a verb in two forms."""
    rng = random.Random(0)
    nouns = [
        a + b + c for a in ("bar", "til", "som") for b in ("en", "ock") for c in ("", "er", "y")
    ]
    found = []
    for _ in range(n_pairs):
        phrases = " near the ".join(rng.choices(nouns, k=rng.randint(1, 4)))
        rest = " and the ".join(rng.choices(nouns, k=rng.randint(1, 3)))
        found.append(
            (f"The {phrases} was with the {rest}.", f"The {phrases} were with the {rest}.")
        )
    return found


def read_pairs(paths: Sequence[Path], n_pairs: int) -> list[Pair]:
    """A seeded sample of the pairs of all files, less those with marks within words, where what a
    word is differs (minicons: "don", "'" and "t")."""
    records = [json.loads(line) for path in paths for _, line in numbered_lines(path)]
    every = [(str(each["sentence_good"]), str(each["sentence_bad"])) for each in records]
    pairs = [pair for pair in every if not re.search(r"\w[^\w\s]\w", " ".join(pair))]
    return random.Random(0).sample(pairs, min(n_pairs, len(pairs)))


def save_model(folder: Path, pairs: Sequence[Pair], width: int) -> None:
    """A BERT with random weights, and a WordPiece tokenizer that splits rarer words of `pairs`."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=600, special_tokens=NAMES, show_progress=False)
    made.train_from_iterator([text for pair in pairs for text in pair], trainer)
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    wrap: Any = transformers.PreTrainedTokenizerFast
    wrap(
        tokenizer_object=made, pad_token=NAMES[0], unk_token=NAMES[1], cls_token=NAMES[2],
        sep_token=NAMES[3], mask_token=NAMES[4],
    ).save_pretrained(folder)  # fmt: skip
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=N_IDS, hidden_size=width, intermediate_size=4 * width,
        num_attention_heads=width // 64,
    )  # fmt: skip
    auto: Any = transformers.AutoModelForMaskedLM
    with quiet():
        auto.from_config(config).save_pretrained(folder)


def target(pair: Pair) -> tuple[str, str, str, str] | None:
    """(prefix, one form, other form, suffix) of a pair that differs in one word, with blanks."""
    one, other = (text.split(" ") for text in pair)
    places = [n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
    if len(one) != len(other) or len(places) != 1 or places[0] in (0, len(one) - 1):
        return None
    at = places[0]
    return " ".join(one[:at]), f" {one[at]}", f" {other[at]}", " " + " ".join(one[at + 1 :])


def ours(scorer: Masked, queries: Sequence[Query]) -> list[float]:
    """ln p of every continuation."""
    return [
        -sum(answer.bits) * math.log(2)
        for score in scorer.score(queries)
        for answer in score.continuations
    ]


def theirs(scorer: Masked) -> Any:
    """minicons over the same model and tokenizer, or None."""
    try:
        from minicons.scorer import MaskedLMScorer
    except ImportError:
        return None
    tokenizer: Any = scorer.cutter._tokenizer
    tokenizer.batch_encode_plus = tokenizer.__call__  # its name before Transformers 5
    return MaskedLMScorer(scorer.reader.model, "cpu", tokenizer=tokenizer)


def summed(nats: torch.Tensor) -> float:
    return float(nats.sum().item())


def minicons_whole(peer: Any, texts: Sequence[str], variant: str, n: int) -> list[float]:
    """The sums of whole sentences, `n` at a call."""
    return [
        each
        for start in range(0, len(texts), n)
        for each in peer.sequence_score(
            list(texts[start : start + n]), reduction=summed, PLL_metric=THEIRS[variant]
        )
    ]


def minicons_target(
    peer: Any, parts: Sequence[tuple[str, str, str, str]], variant: str, n: int
) -> list[float]:
    """The sums of targets, `n` at a call."""
    rows = [(before, form, behind) for before, *forms, behind in parts for form in forms]
    found: list[float] = []
    for start in range(0, len(rows), n):
        prefix, form, suffix = (
            [each.strip() for each in column]
            for column in zip(*rows[start : start + n], strict=True)
        )
        found += peer.conditional_score(
            prefix, form, suffix, reduction=summed, PLL_metric=THEIRS[variant]
        )
    return found


def timed(work: Callable[[], list[float]]) -> tuple[float, list[float]]:
    """CPU seconds of a call, and what it says."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def compared(
    what: str, n_pairs: int, rounds: int, mine: Callable[[], list[float]],
    peers: Mapping[str, Callable[[], list[float]]],
) -> None:  # fmt: skip
    """Prints pairs per CPU second, and ours in terms of the peer's best."""
    runs = [
        {name: timed(work) for name, work in {"ours": mine, **peers}.items()} for _ in range(rounds)
    ]
    best = {name: min(run[name][0] for run in runs) for name in runs[0]}
    line = f"{what}: {n_pairs / best['ours']:.2f} pairs per CPU second"
    if peers:
        fastest = min(peers, key=lambda name: best[name])
        pairs = zip(runs[0]["ours"][1], runs[0][fastest][1], strict=True)
        apart = max(abs(one - other) for one, other in pairs)
        line += f"; {best[fastest] / best['ours']:.2f} times {fastest}; {apart:.1e} nats apart"
    print(line, flush=True)


def variant_beside(scorer: Masked, pairs: Sequence[Pair], rounds: int) -> None:
    """One line for whole sentences, one for targets."""
    parts = [part for part in map(target, pairs) if part is not None]
    whole = [Query("", pair, "") for pair in pairs]
    only = [Query(before, (one, other), behind) for before, one, other, behind in parts]
    texts = [text for pair in pairs for text in pair]
    peer = theirs(scorer)
    calls = SENTENCES_A_CALL if peer is not None else ()
    their_whole = {
        f"minicons, {n} a call": partial(minicons_whole, peer, texts, scorer.variant, n)
        for n in calls
    }
    their_only = {
        f"minicons, {n} a call": partial(minicons_target, peer, parts, scorer.variant, n)
        for n in calls
    }
    compared(f"S {scorer.variant}", len(pairs), rounds, partial(ours, scorer, whole), their_whole)
    compared(f"T {scorer.variant}", len(parts), rounds, partial(ours, scorer, only), their_only)


def main() -> None:
    """Prints one line for each variant and kind of request."""
    options = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    options.add_argument("files", nargs="*", type=Path)
    options.add_argument("--pairs", type=int, default=24)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--width", type=int, default=768)
    asked = options.parse_args()
    torch.set_num_threads(asked.threads)
    pairs = read_pairs(asked.files, asked.pairs) if asked.files else invented(asked.pairs)
    with TemporaryDirectory() as name:
        save_model(Path(name), pairs, asked.width)
        for variant in THEIRS:
            scorer = load(f"{name}?pll={variant}", LoadOptions(device="cpu"))
            variant_beside(scorer, pairs, asked.rounds)
    texts = [text for pair in pairs for text in pair]
    n_words = sum(len(text.split()) for text in texts) / len(texts)
    print(f"{len(pairs)} pairs of {n_words:.1f} words a sentence, {asked.threads} threads")


if __name__ == "__main__":
    main()
