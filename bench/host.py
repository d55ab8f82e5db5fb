"""What scoring costs besides the model: CPU microseconds a sentence, by step, on one core.

    OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false python -m bench.host BLIMP [--sentences N]

A causal model of two layers of width 64 with random weights reads sentences of BLiMP files (the
folder `BLIMP`), whole or as what two of a pair do not share. Everything but its forward pass, the
head in it, and the tokenizer's own work is ours; the measure for that is what `tokenizers` alone
takes for the distinct texts and prefixes. The best of several rounds.
"""

import argparse
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import torch
import transformers

from colorless_green.data.files import numbered_lines
from colorless_green.scoring.models import _causal_reader as causal_reader
from colorless_green.scoring.models import _subwords as subwords
from colorless_green.scoring.models.backends import causal
from colorless_green.scoring.models.origin import quiet
from colorless_green.scoring.questions.answer_columns import Questions
from colorless_green.scoring.questions.query import LoadOptions
from colorless_green.scoring.training.causal import byte_pairs

SEED, ROUNDS, N_SUBWORDS = 0, 5, 8_000


def pairs_of(folder: Path, n: int) -> list[tuple[str, str]]:
    lines = [
        json.loads(line)
        for path in sorted(folder.glob("**/*.jsonl*"))
        for _, line in numbered_lines(path)
    ]
    some = random.Random(SEED).sample(lines, n)
    return [(each["sentence_good"], each["sentence_bad"]) for each in some]


def targets(pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """(what a pair shares at its start, what follows) of each sentence."""
    for good, bad in pairs:
        words = good.split(" "), bad.split(" ")
        at = next((n for n, two in enumerate(zip(*words, strict=False)) if len({*two}) > 1), 0)
        for each in words:
            yield " ".join(each[:at]), (" " if at else "") + " ".join(each[at:])


@contextmanager
def clocked(spent: defaultdict[str, float], where: Any, name: str, step: str) -> Iterator[None]:
    """Within it the CPU seconds of a function go to `step`, less those of steps within."""
    work = getattr(where, name)

    def measured(*given: Any, **named: Any) -> Any:
        inner, start = sum(spent.values()), time.thread_time()
        found = work(*given, **named)
        spent[step] += time.thread_time() - start - (sum(spent.values()) - inner)
        return found

    with patch.object(where, name, measured):
        yield


def steps(scorer: Any, asked: Sequence[Questions]) -> defaultdict[str, float]:
    """CPU seconds of each step, one after the other."""
    spent: defaultdict[str, float] = defaultdict(float)

    class Clocked:
        """The tokenizer, with a clock."""

        def __init__(self, own: Any) -> None:
            self.full = own

        def __getattr__(self, name: str) -> Any:
            found = getattr(self.full, name)
            if not name.startswith("encode_batch"):
                return found

            def measured(*given: Any, **named: Any) -> Any:
                start = time.thread_time()
                back = found(*given, **named)
                spent["tokenizers"] += time.thread_time() - start
                return back

            return measured

    places = (
        (subwords.SubwordTokenizer, "__call__", "ids and characters"),
        (causal, "shared_prefix_lengths", "prefixes compared"),
        (causal_reader, "_sorted", "sorted"),
        (causal_reader, "packed_rows", "tries"),
        (causal, "prepared", "distinct questions"),
        (causal.Causal, "_prepared", "texts and questions"),
        (causal_reader, "body_output", "model"),
        (causal_reader, "projected", "model"),
        (causal_reader, "states", "batches"),
        (causal, "read", "loop"),
        (causal.Causal, "_answered", "answers"),
    )
    own = scorer.cutter._own
    with patch.object(scorer.cutter, "_own", Clocked(own)), ExitStack() as clocks:
        for place in places:
            clocks.enter_context(clocked(spent, *place))
        for questions in asked:
            chunk = scorer._prepared(questions)
            read = causal.read  # type: ignore[attr-defined]  # as measured
            scorer._answered(chunk, read(scorer.reader, chunk.reading))
    return spent


def best(work: Callable[[], Any]) -> float:
    """The least CPU seconds of some rounds."""
    found = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def measure(name: str, scorer: Any, asked: Sequence[tuple[str, str]]) -> None:
    """Prints the cost of one way to ask."""
    prefixes, rest = map(list, zip(*asked, strict=True))
    texts = list(dict.fromkeys(map("".join, asked)))
    chunks = [
        Questions(prefixes[n : n + scorer.chunk], rest[n : n + scorer.chunk])
        for n in range(0, len(asked), scorer.chunk)
    ]
    own, bare = scorer.cutter._own, [each for each in dict.fromkeys(prefixes) if each]

    def tokenised(some: Sequence[str]) -> list[list[int]]:
        return [each.ids for each in own.encode_batch_fast(some, add_special_tokens=False)]

    alone = best(lambda: tokenised(texts)) + best(lambda: tokenised(bare))
    list(scorer.answers(chunks))
    rounds = [steps(scorer, chunks) for _ in range(ROUNDS)]
    least = {step: min(each[step] for each in rounds) for step in rounds[0]}
    host = min(
        sum(v for k, v in each.items() if k not in ("model", "tokenizers")) for each in rounds
    )
    scale = 1e6 / len(asked)
    print(f"\n{name}: {len(asked)} sentences, {len(texts)} texts, {len(bare)} prefixes")
    for step, spent in sorted(least.items(), key=lambda each: -each[1]):
        print(f"  {scale * spent:7.2f} us  {step}")
    print(f"  {scale * host:7.2f} us  all but model and tokenizers: {host / alone:.2f} times")
    print(f"  {scale * alone:7.2f} us  tokenizers alone, to ids")
    print(f"  {scale * best(lambda: list(scorer.answers(chunks))):7.2f} us  end to end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("blimp", type=Path)
    parser.add_argument("--sentences", type=int, default=10_000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    pairs = pairs_of(options.blimp, options.sentences // 2)
    made = byte_pairs([each for pair in pairs for each in pair], N_SUBWORDS)
    shape = transformers.GPT2Config(
        vocab_size=len(made), n_embd=64, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0
    )
    with TemporaryDirectory() as name, quiet():
        auto: Any = transformers.AutoModelForCausalLM
        auto.from_config(shape).save_pretrained(name)
        made.save_pretrained(name)
        scorer = causal.loaded(name, LoadOptions(device="cpu"))
        measure("whole", scorer, [("", each) for pair in pairs for each in pair])
        measure("target", scorer, list(targets(pairs)))


if __name__ == "__main__":
    main()
