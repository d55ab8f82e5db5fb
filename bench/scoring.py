"""What scoring pairs costs, beside minicons and lm-evaluation-harness: same model, same pairs, one
run, two threads. Ratios of CPU seconds, since seconds do not travel.

    python -m bench.scoring [--pairs N] [--rounds N] [--sets a,b,…] [CONLLU…]

The model has GPT-2-small size and random weights. Set a: sentences of the treebank files named
(without one: an invented text), one word at 70 % of them against another; b: all pairs of two
template conditions, whose words are one subword each, as in a vocabulary of GPT-2's size; c: BLiMP
files, and d: the paper's Hebrew items, where `--published` names the folder of published sets; of
c and d a seeded sample. "target" is the word given what
stands before it, "whole" the whole sentence. Peers are asked as they are meant to be used, 32
sequences a call, and conditioned on what they condition on: harness target and minicons without
BOS, harness whole with one. Peers are left out where they are not installed
(`bench/requirements.txt`).
"""

import argparse
import json
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

from bench.measure import read_conllu, read_lines
from colorless_green.data.formats import format_named
from colorless_green.scoring.models.backends.causal import Causal, load
from colorless_green.scoring.models.origin import quiet
from colorless_green.scoring.questions.query import LoadOptions, Query
from colorless_green.scoring.training.causal import byte_pairs

N_SUBWORDS, SHARE, SEED, BATCH = 8_000, 0.7, 0, 32
LN_2 = 0.6931471805599453


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences that differ in one word."""

    prefix: str
    right: str  # with the blank before it
    wrong: str
    rest: str

    def sentences(self) -> tuple[str, str]:
        return self.prefix + self.right + self.rest, self.prefix + self.wrong + self.rest


def sentences_of(paths: Sequence[Path]) -> Iterator[tuple[str, ...]]:
    """The words of CoNLL-U files, or an invented text with Zipf's frequencies."""
    if not paths:
        rng = random.Random(SEED)
        syllables = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]
        types = ["".join(each) for each in islice(product(syllables, repeat=3), 9_000)]
        rng.shuffle(types)  # words of letters alone, which can be one subword each
        weights = [1 / (rank + 3) for rank in range(9_000)]
        for _ in range(2_000):
            yield tuple(rng.choices(types, weights, k=rng.randint(8, 40)))
    yield from chain.from_iterable(map(read_conllu, paths))


def treebank_pairs(text: Sequence[tuple[str, ...]], cutter: Any, n: int) -> list[Pair]:
    """Set a: both words are one subword each, so that the harness can share the prefix."""
    words = sorted({word for sentence in text for word in sentence if word.isalnum()})
    single = [word for word in words if len(cutter(" " + word)["input_ids"]) == 1]
    rng = random.Random(SEED)
    found: list[Pair] = []
    for sentence in rng.sample(list(text), len(text)):
        at = int(SHARE * len(sentence))
        if len(sentence) >= 8 and sentence[at] in single and len(found) < n:
            wrong = rng.choice([each for each in single if each != sentence[at]])
            rest = "".join(f" {word}" for word in sentence[at + 1 :])
            found.append(Pair(" ".join(sentence[:at]), f" {sentence[at]}", f" {wrong}", rest))
    return found


def template_pairs(n: int) -> list[Pair]:
    """Set b: agreement across a prepositional phrase and across an object relative, after the
    templates of Marvin & Linzen (2018), with their seven short verbs."""
    heads = ("author", "pilot", "surgeon", "farmer", "manager", "customer", "officer", "teacher")
    others = ("skater", "dancer", "minister", "guard", "clerk", "parent", "chef", "architect")
    short = (("laughs", "laugh"), ("swims", "swim"), ("smiles", "smile"))
    verbs = short + tuple(
        (f"is {each}", f"are {each}") for each in ("tall", "old", "young", "short")
    )
    links = ("near the {0}", "behind the {0}", "that the {0} {1}")
    likes = {"": ("likes", "admires"), "s": ("like", "admire")}
    found = [
        Pair(f"The {head} {link.format(other + end, like)}", f" {right}", f" {wrong}", " .")
        for link in links
        for head in heads
        for other in others
        for end in ("", "s")
        for like in (likes[end] if "{1}" in link else ("",))
        for right, wrong in verbs
    ]
    return found[:n]


def blimp_pairs(folder: Path, n: int) -> list[Pair]:
    """Set c: what two sentences share at their start is the prefix."""
    lines = list(map(json.loads, read_lines(folder)))
    found = []
    for line in random.Random(SEED).sample(lines, min(n, len(lines))):
        good, bad = line["sentence_good"].split(" "), line["sentence_bad"].split(" ")
        at = next((i for i, pair in enumerate(zip(good, bad, strict=False)) if len({*pair}) > 1), 0)
        prefix = " ".join(good[:at])
        blank = " " if at else ""
        rights = [blank + " ".join(words[at:]) for words in (good, bad)]
        found.append(Pair(prefix, rights[0], rights[1], ""))
    return found


def hebrew_pairs(folder: Path, n: int) -> list[Pair]:
    """Set d: originals and nonce items of Gulordava et al. (2018), in long sentences."""
    (path,) = (folder / "Hebrew").glob("generated.tab*")
    suite = format_named("tab").read(path)
    found = []
    for item in random.Random(SEED).sample(suite.items, min(n, len(suite.items))):
        (right,), (wrong,) = item.conditions["right"], item.conditions["wrong"]
        prefix, target, rest = (region.text for region in right)
        found.append(Pair(prefix, target, wrong[1].text, rest))
    return found


def seconds(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """CPU and wall seconds of one run, and what it returns."""
    cpu, wall = time.process_time(), time.perf_counter()
    found = work()
    return time.process_time() - cpu, time.perf_counter() - wall, found


def ours(scorer: Causal, queries: Sequence[Query]) -> list[float]:
    """ln p of every continuation, in order."""
    return [
        -LN_2 * sum(answer.bits)
        for score in scorer.score(queries)
        for answer in score.continuations
    ]


def harness(model: Any, cutter: Any, requests: Sequence[tuple[str, str]]) -> list[float]:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    lm = HFLM(pretrained=model, tokenizer=cutter, backend="causal", batch_size=BATCH)
    instances = [
        Instance(request_type="loglikelihood", doc={}, arguments=each, idx=0) for each in requests
    ]
    return [value for value, _ in lm.loglikelihood(instances, disable_tqdm=True)]


def minicons(model: Any, cutter: Any, requests: Sequence[tuple[str, str]]) -> list[float]:
    from minicons.scorer import IncrementalLMScorer

    lm = IncrementalLMScorer(model, "cpu", tokenizer=cutter)
    found: list[float] = []
    for start in range(0, len(requests), BATCH):
        some = requests[start : start + BATCH]
        if all(prefix for prefix, _ in some):
            prefixes, targets = [list(each) for each in zip(*some, strict=True)]
            bare = [each.removeprefix(" ") for each in targets]
            found += lm.conditional_score(prefixes, bare, reduction=lambda x: x.sum(0).item())
        else:
            texts = [text for _, text in some]
            found += lm.sequence_score(texts, reduction=lambda x: x.sum(0).item())
    return found


def ceiling(model: Any, n_nodes: int, n_rows: int) -> float:
    """CPU seconds of the bare matrix products: all layers for `n_nodes`, the head for `n_rows`."""
    n = 1_024
    weights = [value for name, value in model.transformer.h.named_parameters() if value.dim() == 2]
    inputs = {value.shape[0]: torch.randn(n, value.shape[0]) for value in weights}
    head, states = model.lm_head.weight, torch.randn(512, model.config.n_embd)
    out = torch.empty(512, len(head))

    def body() -> None:
        for weight in weights:
            torch.mm(inputs[weight.shape[0]], weight)

    with torch.inference_mode():
        a_node = min(seconds(body)[0] for _ in range(2)) / n
        a_row = min(seconds(lambda: torch.mm(states, head.T, out=out))[0] for _ in range(2)) / 512
    return n_nodes * a_node + n_rows * a_row


def work_of(scorer: Causal, cutter: Any, queries: Sequence[Query]) -> tuple[int, int]:
    """(ids that must be read, rows that must be projected), each distinct beginning once."""
    read: set[tuple[int, ...]] = set()
    rows: set[tuple[int, ...]] = set()
    for query in queries:
        for continuation in query.continuations:
            ids = (*scorer.lead, *cutter(f"{query.prefix}{continuation}")["input_ids"])
            first = len(scorer.lead) + len(cutter(query.prefix)["input_ids"])
            read.update(ids[:n] for n in range(1, len(ids)))
            rows.update(ids[:n] for n in range(max(first, 1), len(ids)))
    return len(read), len(rows)


def compare(
    name: str,
    pairs: Sequence[Pair],
    method: str,
    folder: Path,
    model: Any,
    cutter: Any,
    rounds: int,
) -> None:
    """Prints one table: each peer and each way of conditioning beside ours."""
    if method == "target":
        queries = [Query(each.prefix, (each.right, each.wrong)) for each in pairs if each.prefix]
        requests = [(str(q.prefix), str(form)) for q in queries for form in q.continuations]
        peers = {"minicons": (minicons, "none"), "harness": (harness, "none")}
    else:
        queries = [Query("", each.sentences()) for each in pairs]
        requests = [("", str(form)) for q in queries for form in q.continuations]
        peers = {"minicons": (minicons, "auto"), "harness": (harness, "auto")}
    if not queries:
        raise SystemExit(f"{name} {method}: no pair; name a longer text, or more --pairs")
    installed = {"minicons": "minicons", "harness": "lm_eval"}
    peers = {name: peer for name, peer in peers.items() if find_spec(installed[name])}
    scorers = {
        bos: load(str(folder), LoadOptions(device="cpu", bos=bos))
        for bos in sorted({bos for _, bos in peers.values()} or {"auto"})
    }
    runs: dict[str, list[tuple[float, float, Any]]] = {}
    scorer = next(iter(scorers.values()))
    floors = []
    for _ in range(rounds):
        runs.setdefault("ours", []).append(seconds(lambda: ours(scorer, queries)))
        floors.append(ceiling(model, *work_of(scorer, cutter, queries)))
        for peer, (ask, _) in peers.items():
            runs.setdefault(peer, []).append(seconds(partial(ask, model, cutter, requests)))
    best = {peer: min(each)[:2] for peer, each in runs.items()}
    work = work_of(scorer, cutter, queries)
    print(f"\n{name} {method}: {len(queries)} pairs, {work} (read, projected)")
    for peer, (cpu, wall) in best.items():
        print(
            f"  {peer:9} {len(queries) / cpu:7.1f} pairs/CPU-s {len(queries) / wall:7.1f} pairs/s"
            f"   ours is {cpu / best['ours'][0]:5.2f} times as fast"
        )
    print(f"  of the bare matrix products: {min(floors) / best['ours'][0]:.0%}")
    print_agreement(runs, method)


def print_agreement(runs: Mapping[str, Sequence[tuple[float, float, Any]]], method: str) -> None:
    """Return how far the peers' numbers are from ours where they condition on the same."""
    mine = runs["ours"][0][2]
    for peer, found in runs.items():
        if peer == "ours" or (peer == "minicons" and method == "whole"):
            continue  # minicons leaves out the first subword of a sentence
        far = max(abs(a - b) for a, b in zip(mine, found[0][2], strict=True))
        print(f"  {peer}: largest difference of a score {far / LN_2:.1e} bits")


def main() -> None:
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
    templates = [each for pair in template_pairs(1 << 20) for each in pair.sentences()]
    cutter = byte_pairs([*(" ".join(words) for words in text), *templates], N_SUBWORDS)
    with TemporaryDirectory() as name, quiet():
        folder = Path(name)
        torch.manual_seed(SEED)
        config = transformers.GPT2Config(bos_token_id=0, eos_token_id=0)
        auto: Any = transformers.AutoModelForCausalLM
        auto.from_config(config).save_pretrained(folder)
        cutter.save_pretrained(folder)
        model = auto.from_pretrained(folder).eval()
        sets = {
            "a": lambda: treebank_pairs(text, cutter, options.pairs),
            "b": lambda: template_pairs(8 * options.pairs),
            "c": lambda: blimp_pairs(options.published / "blimp", options.pairs),
            "d": lambda: hebrew_pairs(options.published / "colorless/agreement", options.pairs),
        }
        for each in options.sets.split(","):
            for method in options.methods.split(","):
                compare(each, sets[each](), method, folder, model, cutter, options.rounds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\npeak memory of this run, all peers in it: {peak:.0f} MB")


if __name__ == "__main__":
    main()
