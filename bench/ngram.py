"""Measure the cost of the n-gram model: training speed against a minimum, estimation with arrays
against counting with dictionaries, queries together against one by one. Figures are ratios, since
seconds differ between machines.

    python -m bench.ngram [CONLLU…]     train on these files, or on an invented text
    python -m bench.ngram --large TEXT  train on a text file (from `bench.grown`) and write an ARPA
                                        file, in a process of its own
"""

import random
import sys
from collections import Counter
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import cost, cpu_seconds, read_conllu
from colorless_green.scoring.models import arpa
from colorless_green.scoring.models.backends.ngram import load
from colorless_green.scoring.models.training_text import plain_lines
from colorless_green.scoring.questions.query import LoadOptions, Query
from colorless_green.scoring.training._kneser_ney import estimate

ORDER, ROUNDS = 5, 3
MIN_WORDS_PER_MINUTE = 1_000_000  # words per minute and core that training must reach
Text = list[tuple[str, ...]]


def invented_text(n_sentences: int = 12_000, n_types: int = 30_000) -> Text:
    """Return random sentences of 18 words whose frequencies follow Zipf's law."""
    rng = random.Random(0)
    types = [f"w{i}" for i in range(n_types)]
    weights = [1 / (rank + 3) for rank in range(n_types)]
    words = iter(rng.choices(types, weights, k=n_sentences * 18))
    return [tuple(next(words) for _ in range(18)) for _ in range(n_sentences)]


def count_tuples(text: Text) -> None:
    """Count the n-grams of a text with a dictionary: the first step of a simple estimator."""
    counts: Counter[tuple[str, ...]] = Counter()
    for words in text:
        padded = ("<s>", *words, "</s>")
        for n in range(1, ORDER + 1):
            counts.update(zip(*(padded[start:] for start in range(n)), strict=False))


def read_or_train(kind: str, text: Path, out: Path) -> None:
    """Train on a text file and write an ARPA file (`kind`: `model`), or only `read` the text."""
    sentences = (line.words for _, line in plain_lines(text))
    if kind == "read":
        Counter(chain.from_iterable(sentences))
    else:
        model = estimate(sentences, ORDER)
        arpa.write(out, model.vocabulary, model.sections)


def measure_large(text: Path) -> None:
    """Print CPU seconds, words per minute and peak memory of reading a text and of training."""
    n_words = sum(len(line.words) for _, line in plain_lines(text))
    with TemporaryDirectory() as folder:
        out = Path(folder) / "model.arpa"
        for kind in ("read", "model"):
            command = [sys.executable, "-m", "bench.ngram", "--one", kind, str(text), str(out)]
            spent, peak = cost(command)
            print(f"{kind:>6}: {spent:.1f} s, {60 * n_words / spent:,.0f} words, {peak:.0f} MB")
        n_grams = sum(arpa.read_counts(out))
    print(f"order {ORDER}, {n_words:,} words, {n_grams:,} n-grams", end="; ")
    print(f"{MIN_WORDS_PER_MINUTE:,} words a minute wanted")


def main() -> None:
    """Print the ratios, or run the mode that the arguments name."""
    if sys.argv[1:2] == ["--one"]:
        return read_or_train(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    if sys.argv[1:2] == ["--large"]:
        return measure_large(Path(sys.argv[2]))
    paths = [Path(name) for name in sys.argv[1:]]
    text = [sentence for path in paths for sentence in read_conllu(path)] or invented_text()
    n_words = sum(map(len, text))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.arpa"

        def train() -> None:
            """Train a model and write its file."""
            model = estimate(text, ORDER)
            arpa.write(path, model.vocabulary, model.sections)

        training = cpu_seconds(train, ROUNDS)
        estimating = cpu_seconds(lambda: estimate(text, ORDER), ROUNDS)
        counting = cpu_seconds(lambda: count_tuples(text), ROUNDS)
        share = 60 * n_words / training / MIN_WORDS_PER_MINUTE
        print(f"words a minute / {MIN_WORDS_PER_MINUTE:,}: {share:.0f}")
        print(f"estimating with arrays / only counting with tuples: {estimating / counting:.1f}")
        print(f"writing the file / estimating: {(training - estimating) / estimating:.1f}")
        scorer = load(str(path), LoadOptions())
        queries = [
            Query(words[:index], ((words[index],), ("w0",)))
            for words in text[:1000]
            for index in range(len(words))
        ]
        together = cpu_seconds(lambda: list(scorer.score(queries)), ROUNDS)
        alone = cpu_seconds(lambda: [next(scorer.score([query])) for query in queries], ROUNDS)
        print(f"queries together / one by one: {together / alone:.1f}")
    print(f"order {ORDER}, {n_words:,} words, {len(queries):,} queries")


if __name__ == "__main__":
    main()
