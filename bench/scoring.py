"""Compare the cost of scoring pairs with that of minicons and lm-evaluation-harness.

All get the same model and pairs, in one run with two threads. Figures are ratios of CPU seconds,
since seconds differ between machines.

    python -m bench.scoring [--pairs N] [--rounds N] [--sets a,b,…] [CONLLU…]

The model has the size of GPT-2 small and random weights. The sets of pairs are

- a: sentences from the given treebank files (without files: an invented text), with the word at
  70 % of the sentence against another word;
- b: all pairs of two template conditions, whose words are one subword each, as in a vocabulary of
  GPT-2's size;
- c: BLiMP's files, and d: the paper's Hebrew items; `--published` names the folder of published
  sets, from which a seeded sample is drawn.

Method "target" scores the word given the text before it, "whole" the whole sentence. The *peers*
(the two other programs) are called as they are meant to be used, with 32 sequences per call, and
we condition as they do: on a BOS for the harness's whole sentences, else on none. Peers that are
not installed are left out (`bench/requirements.txt`).
"""

import argparse
import json
import math
import random
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import chain, islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import transformers

from bench.measure import cpu_seconds, read_conllu, read_lines
from colorless_green.data.formats import format_named
from colorless_green.scoring.models.backends.causal import Causal, load
from colorless_green.scoring.models.origin import quiet
from colorless_green.scoring.questions.query import LoadOptions, Query
from colorless_green.scoring.training.causal import byte_pairs

N_SUBWORDS, SEED = 8_000, 0
TARGET_PLACE = 0.7  # of the sentence, in set a
BATCH = 32  # sequences per call
LN_2 = math.log(2)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences that differ in one word, as four texts."""

    prefix: str
    right: str  # with the blank before it
    wrong: str
    rest: str

    def sentences(self) -> tuple[str, str]:
        """Return the right and the wrong sentence."""
        return self.prefix + self.right + self.rest, self.prefix + self.wrong + self.rest


def sentences_of(paths: Sequence[Path]) -> Iterator[tuple[str, ...]]:
    """Yield the words of each sentence of CoNLL-U files; without files, of an invented text whose
    word frequencies follow Zipf's law."""
    if not paths:
        rng = random.Random(SEED)
        syllables = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
        types = ["".join(triple) for triple in islice(product(syllables, repeat=3), 9_000)]
        rng.shuffle(types)  # all are letters, so that each can be one subword
        weights = [1 / (rank + 3) for rank in range(9_000)]
        for _ in range(2_000):
            yield tuple(rng.choices(types, weights, k=rng.randint(8, 40)))
    yield from chain.from_iterable(map(read_conllu, paths))


def treebank_pairs(text: Sequence[tuple[str, ...]], tokenizer: Any, n: int) -> list[Pair]:
    """Make the `n` pairs of set a.

    Both words are one subword each, so that the harness can share the prefix.
    """
    words = sorted({word for sentence in text for word in sentence if word.isalnum()})
    whole_words = [word for word in words if len(tokenizer(" " + word)["input_ids"]) == 1]
    rng = random.Random(SEED)
    pairs: list[Pair] = []
    for sentence in rng.sample(list(text), len(text)):
        index = int(TARGET_PLACE * len(sentence))
        right = sentence[index] if len(sentence) >= 8 else ""
        if right in whole_words and len(pairs) < n:
            wrong = rng.choice([word for word in whole_words if word != right])
            rest = "".join(f" {word}" for word in sentence[index + 1 :])
            pairs.append(Pair(" ".join(sentence[:index]), f" {right}", f" {wrong}", rest))
    return pairs


def template_pairs(n: int) -> list[Pair]:
    """Make the first `n` pairs of set b: agreement across a prepositional phrase and across an
    object relative clause, by the templates of Marvin & Linzen (2018) with seven short verbs."""
    heads = ("author", "pilot", "surgeon", "farmer", "manager", "customer", "officer", "teacher")
    others = ("skater", "dancer", "minister", "guard", "clerk", "parent", "chef", "architect")
    short = (("laughs", "laugh"), ("swims", "swim"), ("smiles", "smile"))
    adjectives = ("tall", "old", "young", "short")
    verbs = short + tuple((f"is {adjective}", f"are {adjective}") for adjective in adjectives)
    links = ("near the {0}", "behind the {0}", "that the {0} {1}")
    likes = {"": ("likes", "admires"), "s": ("like", "admire")}
    pairs = [
        Pair(f"The {head} {link.format(other + end, like)}", f" {right}", f" {wrong}", " .")
        for link in links
        for head in heads
        for other in others
        for end in ("", "s")
        for like in (likes[end] if "{1}" in link else ("",))
        for right, wrong in verbs
    ]
    return pairs[:n]


def blimp_pairs(folder: Path, n: int) -> list[Pair]:
    """Draw `n` pairs of set c from BLiMP's files; their prefix is the beginning that both sentences
    share."""
    lines = list(map(json.loads, read_lines(folder)))
    pairs = []
    for line in random.Random(SEED).sample(lines, min(n, len(lines))):
        good, bad = line["sentence_good"].split(" "), line["sentence_bad"].split(" ")
        words_of_both = enumerate(zip(good, bad, strict=False))
        start = next((index for index, (a, b) in words_of_both if a != b), 0)
        blank = " " if start else ""
        right, wrong = (blank + " ".join(words[start:]) for words in (good, bad))
        pairs.append(Pair(" ".join(good[:start]), right, wrong, ""))
    return pairs


def hebrew_pairs(folder: Path, n: int) -> list[Pair]:
    """Draw `n` pairs of set d: Hebrew originals and nonce items of Gulordava et al. (2018), which
    have long sentences."""
    (path,) = (folder / "Hebrew").glob("generated.tab*")
    suite = format_named("tab").read(path)
    pairs = []
    for item in random.Random(SEED).sample(suite.items, min(n, len(suite.items))):
        (right,), (wrong,) = item.conditions["right"], item.conditions["wrong"]
        prefix, right_form, rest = (region.text for region in right)
        _, wrong_form, _ = (region.text for region in wrong)
        pairs.append(Pair(prefix, right_form, wrong_form, rest))
    return pairs


def timed(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """Call a function; return (CPU seconds, wall seconds, its result)."""
    cpu, wall = time.process_time(), time.perf_counter()
    result = work()
    return time.process_time() - cpu, time.perf_counter() - wall, result


def our_scores(scorer: Causal, queries: Sequence[Query]) -> list[float]:
    """Return ln p of every continuation in order, by this package."""
    return [
        -LN_2 * sum(answer.bits)
        for score in scorer.score(queries)
        for answer in score.continuations
    ]


def harness_scores(model: Any, tokenizer: Any, requests: Sequence[tuple[str, str]]) -> list[float]:
    """Return ln p of every (prefix, continuation) in order, by lm-evaluation-harness."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    lm = HFLM(pretrained=model, tokenizer=tokenizer, backend="causal", batch_size=BATCH)
    instances = [
        Instance(request_type="loglikelihood", doc={}, arguments=request, idx=0)
        for request in requests
    ]
    return [value for value, _ in lm.loglikelihood(instances, disable_tqdm=True)]


def minicons_scores(model: Any, tokenizer: Any, requests: Sequence[tuple[str, str]]) -> list[float]:
    """Return ln p of every (prefix, continuation) in order, by minicons."""
    from minicons.scorer import IncrementalLMScorer

    lm = IncrementalLMScorer(model, "cpu", tokenizer=tokenizer)
    scores: list[float] = []
    for start in range(0, len(requests), BATCH):
        batch = requests[start : start + BATCH]
        if all(prefix for prefix, _ in batch):
            prefixes, targets = map(list, zip(*batch, strict=True))
            bare = [target.removeprefix(" ") for target in targets]
            scores += lm.conditional_score(prefixes, bare, reduction=lambda x: x.sum(0).item())
        else:
            texts = [text for _, text in batch]
            scores += lm.sequence_score(texts, reduction=lambda x: x.sum(0).item())
    return scores


PEERS: Mapping[str, tuple[str, Callable[..., list[float]]]] = {
    "minicons": ("minicons", minicons_scores),
    "harness": ("lm_eval", harness_scores),
}
"""peer → (package that it needs, function that scores)"""


def matrix_seconds(model: Any, n_nodes: int, n_rows: int) -> float:
    """Estimate the CPU seconds of the matrix products alone, the least that scoring can cost: all
    layers for `n_nodes` subwords, the output layer for `n_rows`."""
    nodes_at_once, rows_at_once = 1_024, 512
    weights = [weight for weight in model.transformer.h.parameters() if weight.dim() == 2]
    inputs = {len(weight): torch.randn(nodes_at_once, len(weight)) for weight in weights}
    head, states = model.lm_head.weight, torch.randn(rows_at_once, model.config.n_embd)
    out = torch.empty(rows_at_once, len(head))

    def multiply_layers() -> None:
        """Do the matrix products of all layers."""
        for weight in weights:
            torch.mm(inputs[len(weight)], weight)

    def multiply_head() -> None:
        """Do the matrix product of the output layer."""
        torch.mm(states, head.T, out=out)

    with torch.inference_mode():
        per_node = cpu_seconds(multiply_layers, rounds=2) / nodes_at_once
        per_row = cpu_seconds(multiply_head, rounds=2) / rows_at_once
    return n_nodes * per_node + n_rows * per_row


def work_of(scorer: Causal, tokenizer: Any, queries: Sequence[Query]) -> tuple[int, int]:
    """Return (subwords that the model must read, subwords whose prediction it must compute) for
    these queries, if each distinct beginning is processed once."""
    read: set[tuple[int, ...]] = set()  # beginnings, as ids of subwords
    predicted: set[tuple[int, ...]] = set()  # beginnings after which a prediction is needed
    for query in queries:
        for continuation in query.continuations:
            ids = (*scorer.lead, *tokenizer(f"{query.prefix}{continuation}")["input_ids"])
            first = len(scorer.lead) + len(tokenizer(query.prefix)["input_ids"])
            read.update(ids[:n] for n in range(1, len(ids)))
            predicted.update(ids[:n] for n in range(max(first, 1), len(ids)))
    return len(read), len(predicted)


def compare(
    name: str,
    pairs: Sequence[Pair],
    method: str,
    folder: Path,
    model: Any,
    tokenizer: Any,
    rounds: int,
) -> None:
    """Print the table of one set and method: pairs per second, ours and the peers'."""
    if method == "target":
        queries = [Query(pair.prefix, (pair.right, pair.wrong)) for pair in pairs if pair.prefix]
    else:
        queries = [Query("", pair.sentences()) for pair in pairs]
    if not queries:
        raise SystemExit(f"{name} {method}: no pair; name a longer text, or more --pairs")
    requests = [(str(query.prefix), str(form)) for query in queries for form in query.continuations]
    bos = "none" if method == "target" else "auto"  # as the peers
    scorer = load(str(folder), LoadOptions(device="cpu", bos=bos))
    runs: dict[str, list[tuple[float, float, Any]]] = {}
    work = work_of(scorer, tokenizer, queries)
    matrix_costs = []
    for _ in range(rounds):
        runs.setdefault("ours", []).append(timed(lambda: our_scores(scorer, queries)))
        matrix_costs.append(matrix_seconds(model, *work))
        for peer, (package, scores_by) in PEERS.items():
            if find_spec(package):
                work_of_peer = partial(scores_by, model, tokenizer, requests)
                runs.setdefault(peer, []).append(timed(work_of_peer))
    best = {peer: min((cpu, wall) for cpu, wall, _ in of_peer) for peer, of_peer in runs.items()}
    our_cpu, _ = best["ours"]
    print(f"\n{name} {method}: {len(queries)} pairs, {work} (read, projected)")
    for peer, (cpu, wall) in best.items():
        print(
            f"  {peer:9} {len(queries) / cpu:7.1f} pairs/CPU-s {len(queries) / wall:7.1f} pairs/s"
            f"   ours is {cpu / our_cpu:5.2f} times as fast"
        )
    print(f"  of the bare matrix products: {min(matrix_costs) / our_cpu:.0%}")
    print_agreement(runs, method)


def print_agreement(runs: Mapping[str, Sequence[tuple[float, float, Any]]], method: str) -> None:
    """Print the largest difference between a peer's scores and ours, where both condition alike."""
    (_, _, own_scores), *_ = runs["ours"]
    for peer, peer_runs in runs.items():
        if peer == "ours" or (peer == "minicons" and method == "whole"):
            continue  # minicons leaves out the first subword of a sentence
        (_, _, scores), *_ = peer_runs
        largest = max(abs(own - other) for own, other in zip(own_scores, scores, strict=True))
        print(f"  {peer}: largest difference of a score {largest / LN_2:.1e} bits")


def main() -> None:
    """Print a table for each set of pairs and method, then the peak memory."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("conllu", nargs="*", type=Path)
    parser.add_argument("--pairs", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--sets", default="a,b")
    parser.add_argument("--methods", default="target,whole")
    parser.add_argument("--published", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(2)
    text = list(sentences_of(options.conllu))
    templates = [text for pair in template_pairs(1 << 20) for text in pair.sentences()]
    tokenizer = byte_pairs([*(" ".join(words) for words in text), *templates], N_SUBWORDS)
    with TemporaryDirectory() as name, quiet():
        folder = Path(name)
        torch.manual_seed(SEED)
        config = transformers.GPT2Config(bos_token_id=0, eos_token_id=0)
        auto: Any = transformers.AutoModelForCausalLM
        auto.from_config(config).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        model = auto.from_pretrained(folder).eval()
        sets = {
            "a": lambda: treebank_pairs(text, tokenizer, options.pairs),
            "b": lambda: template_pairs(8 * options.pairs),
            "c": lambda: blimp_pairs(options.published / "blimp", options.pairs),
            "d": lambda: hebrew_pairs(options.published / "colorless/agreement", options.pairs),
        }
        for letter in options.sets.split(","):
            for method in options.methods.split(","):
                compare(letter, sets[letter](), method, folder, model, tokenizer, options.rounds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\npeak memory of this run, all peers in it: {peak:.0f} MB")


if __name__ == "__main__":
    main()
