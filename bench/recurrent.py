"""What carrying states down shared prefixes saves over the protocol of the paper's script.

    python bench/recurrent.py [TREEBANK…] [--pairs 4096] [--protocol 150] [--threads 1]

Both sides score one target a sentence with the same network (2 × 650 LSTM, 50,001 types, random
weights, float32) in one process, in turn; CPU seconds, best of three. The protocol reads whole
sentences as one stream, batch 1, twenty words a call, projects every word onto the vocabulary and
writes the whole row of each target as text (colorlessgreenRNNs, src/language_models/
evaluate_target_word.py); it is timed on fewer sentences and compared by pairs a CPU second.
"""

import argparse
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch.nn.functional import cross_entropy

from colorless_green.miner.treebank.treebank import sentences, treebank
from colorless_green.scoring.models.backends.recurrent import Recurrent
from colorless_green.scoring.models.recurrent.network import EOS, Network, NetworkConfig, State
from colorless_green.scoring.questions.query import Query
from colorless_green.scoring.training.recurrent import initial

SHAPE = NetworkConfig("LSTM", 50_001, 650, 650, 2, 0.2, False)
WHERE = 0.75  # share of a sentence before its target
CHUNK = 20
ROUNDS = 3

Text = list[tuple[str, ...]]


def read(paths: Sequence[Path], most: int) -> Text:
    """Sentences of two words or more, drawn with seed 0."""
    found = [each.forms for _, each in sentences(treebank(paths))]
    longer = [tuple(words) for words in found if len(words) > 1]
    return random.Random(0).sample(longer, min(most, len(longer)))


def templates() -> Text:
    """Every sentence of a template with an attractor: 12,000 pairs of 1,200 prefixes."""
    rng = random.Random(0)
    nouns = [f"noun{n}" for n in range(40)]
    places = [f"place{n}" for n in range(30)]
    verbs = [f"verb{n}" for n in range(10)]
    text = [("the", a, "near", "the", b, v, ".") for a in nouns for b in places for v in verbs]
    return rng.sample(text, len(text))


def scorer(text: Text) -> Recurrent:
    """Random weights; the words of the text are spread over the vocabulary."""
    torch.manual_seed(0)
    network = initial(Network(SHAPE)).eval()
    words = sorted({word for words in text for word in words})
    places = random.Random(0).sample(range(2, SHAPE.ntoken), len(words))
    ids = {"<unk>": 0, EOS: 1, **dict(zip(words, places, strict=True))}
    return Recurrent(network, SHAPE, ids, torch.device("cpu"), signature="")


def together(text: Text) -> list[Query]:
    """Each prefix once with all its targets and a form beside them, as the planner asks."""
    asked: dict[tuple[str, ...], dict[tuple[str, ...], None]] = {}
    for words in text:
        index = int(WHERE * len(words))
        asked.setdefault(words[:index], {("<unk>",): None})[words[index : index + 1]] = None
    return [Query(prefix, tuple(targets)) for prefix, targets in asked.items()]


def protocol(model: Recurrent, text: Text, out: Path) -> None:
    """The published script's way, word for word."""
    ids = [model.ids[word] for words in text for word in (*words, EOS)]
    targets = set()
    start = 0
    for words in text:
        targets.add(start + int(WHERE * len(words)))
        start += len(words) + 1
    state: State | None = None
    with torch.no_grad(), out.open("w") as stream:
        for begin in range(0, len(ids) - 1, CHUNK):
            read = torch.tensor(ids[begin : min(begin + CHUNK, len(ids) - 1)]).unsqueeze(1)
            hidden, state = model.network(read, state)
            logits = model.network.decoder(hidden[:, 0])
            cross_entropy(logits, torch.tensor(ids[begin + 1 : begin + 1 + len(logits)]))
            rows = logits.log_softmax(-1).numpy()
            for nth, row in enumerate(rows):
                if begin + nth + 1 in targets:
                    stream.write("\t".join(str(each) for each in row) + "\n")


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("treebanks", nargs="*", type=Path, help="without: template sentences")
    asked.add_argument("--pairs", type=int, default=4_096)
    asked.add_argument("--protocol", type=int, default=150)
    asked.add_argument("--threads", type=int, default=1)
    options = asked.parse_args()
    torch.set_num_threads(options.threads)
    text = read(options.treebanks, options.pairs) if options.treebanks else templates()
    model, few = scorer(text), text[: options.protocol]
    queries = together(text)
    with TemporaryDirectory() as folder:
        theirs, ours = [], []
        for _ in range(ROUNDS):
            theirs.append(seconds(lambda: protocol(model, few, Path(folder) / "rows.tab")))
            ours.append(seconds(lambda: list(model.score(queries))))
    slow, fast = len(few) / min(theirs), len(text) / min(ours)
    n_words = sum(int(WHERE * len(words)) for words in text) / len(text)
    print(f"{len(text):,} pairs of {len(queries):,} prefixes, {n_words:.1f} words before a target")
    print(
        f"protocol: {slow:.2f} pairs a CPU second; colorless: {fast:.1f}; ratio {fast / slow:.0f}"
    )


if __name__ == "__main__":
    main()
