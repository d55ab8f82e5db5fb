"""The files that a training writes: its learning curve, with the accuracy on a suite after every
epoch, and the files that complete a model folder."""

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from math import exp
from pathlib import Path
from statistics import fmean
from typing import Any

from ...data import schema
from ...data.errors import InputError
from ...data.files import write_manifest, write_whole, write_whole_bytes
from ...data.items.suite import Suite, checked
from ...data.store import Store
from ...data.stored_suites import find_suite
from ...data.tables import Row, frame, read_tsv, write_table
from ..models.backends.unigram import from_counts
from ..models.model_folder import FINGERPRINTS, MADE_BY, MODEL_CARD, ModelFolder
from ..models.training_text import TrainingText, fingerprints
from ..models.words import entry_word
from ..outcomes.evaluate import JudgingRules, outcomes_of
from ..questions.plan import answer_plan, plan_suite
from ..questions.query import Scorer, looks_ahead
from ..questions.region_surprisals import surprisal_of

SENTENCE_END = ""  # counted as a word, which no other word is


def toy_facts(
    text: TrainingText, card: Mapping[str, Any], vocabulary: Container[str] | None = None
) -> dict[str, object]:
    """Return two card entries: the held-out perplexity of a unigram model of the same text, and
    whether the model is a toy, that is, whether its own perplexity is not below that.

    Both are measured on the same words (those in `vocabulary`; None: all) and sentence ends. All
    unknown words together have a count of one, as in every unigram model. This is harder
    on subword models, which must spell them; but a text where it matters is too small for these.
    """
    counts = Counter(chain.from_iterable(line.words for line in text.train))
    counts[SENTENCE_END] = len(text.train)
    model = from_counts(counts, signature="")
    measured_words = [
        word
        for word in chain.from_iterable(line.words for line in text.held_out)
        if vocabulary is None or entry_word(word) in vocabulary
    ]
    measured = [*measured_words, *[SENTENCE_END] * len(text.held_out)]
    unigram = 2 ** fmean(model.bits.get(word, model.unknown_bits) for word in measured)
    own = card["held_out_perplexity"]
    return {"unigram_perplexity": unigram, "toy": own is None or own >= unigram}


def finish_model(
    folder: Path,
    kind: str,
    card: Mapping[str, Any],
    files: Iterable[str],
    learned: TrainingText,
    *,
    made_by: str = MADE_BY,
) -> ModelFolder:
    """Complete a model folder, to which the trainer has written `files`, and return it.

    Writes `model.json` with the card, the fingerprints of the sentences of the training text
    `learned`, and last the manifest, which names `made_by` as the maker.
    """
    with write_whole_bytes(folder / FINGERPRINTS) as stream:
        stream.write(fingerprints(chain(learned.train, learned.held_out)))
    with write_whole(folder / MODEL_CARD) as text:
        json.dump({"kind": kind, **card}, text, ensure_ascii=False, indent=1)
        text.write("\n")
    write_manifest(folder, [*files, FINGERPRINTS, MODEL_CARD], {"made_by": made_by})
    return ModelFolder(folder, kind, {"kind": kind, **card})


def is_trained_on(model: ModelFolder, text: TrainingText) -> bool:
    """Return whether a model was trained on this text. It was if the numbers of sentences and words
    on its card and the fingerprints of its training sentences are those of the text."""
    n_words = sum(len(line.words) for line in text.train)
    if (model.card.get("n_sentences"), model.card.get("n_words")) != (len(text.train), n_words):
        return False
    recorded = (model.path / FINGERPRINTS).read_bytes()
    return recorded == fingerprints(chain(text.train, text.held_out))


CURVE = "curve.tsv"


@dataclass(frozen=True, slots=True)
class Epoch:
    """A row of the learning curve: what is recorded after an epoch.

    Attributes:
        epoch: its number, from 1.
        step: batches learned from since the start.
        lr: the learning rate at its last batch.
        train_loss: mean nats per unit of the epoch's batches, as they were learned from.
        valid_loss: mean nats per unit of the held-out text, after it.
        accuracy: of the model after the epoch, on `suite`, 0 to 1; `None` if no item counts.
        suite: name of the suite that was scored; "" if none was.
        seconds: time that the epoch took, scoring included.
    """

    epoch: int
    step: int
    lr: float
    train_loss: float
    valid_loss: float
    accuracy: float | None
    suite: str
    seconds: float

    def row(self) -> Row:
        """Return the epoch as a table row, with the held-out perplexity added."""
        return {**asdict(self), "valid_perplexity": exp(self.valid_loss)}


@dataclass(frozen=True, slots=True)
class EpochSuite:
    """A suite that is scored with the model after every epoch.

    Attributes:
        suite: its name.
        accuracy: function from a scorer to its accuracy, 0 to 1; `None` if no item counts.
    """

    suite: str
    accuracy: Callable[[Scorer], float | None]


def write_curve(path: Path, epochs: Sequence[Epoch]) -> None:
    """Write the table of all epochs so far."""
    write_table(path, frame((epoch.row() for epoch in epochs), schema.CURVE))


def write_curves(path: Path, curves: Mapping[int, Sequence[Epoch]]) -> None:
    """Write the learning curves of several trainings as one table.

    Args:
        path: the file; its ending says the format.
        curves: seed → epochs.

    >>> write_curves(Path("curves.tsv"), {7: [Epoch(1, 40, 0.01, 4.5, 4.2, None, "", 2.5)]})
    >>> Path("curves.tsv").read_text().split("\\n")[0].split("\\t")[:4]
    ['seed', 'epoch', 'step', 'lr']
    """
    rows = ({"seed": seed, **epoch.row()} for seed, epochs in curves.items() for epoch in epochs)
    write_table(path, frame(rows, {"seed": int, **schema.CURVE}))


def read_curve(path: Path) -> tuple[Epoch, ...]:
    """Read the learning curve of one training.

    Args:
        path: the file that `write_curve` wrote.

    Returns:
        Its epochs, in order; empty if there is no such file.

    Raises:
        InputError: the file is not a learning curve.

    >>> write_curve(Path("curve.tsv"), [Epoch(1, 40, 0.01, 4.5, 4.2, None, "", 2.5)])
    >>> read_curve(Path("curve.tsv"))[0].valid_loss
    4.2
    """
    if not path.is_file():
        return ()
    types: dict[str, Any] = {**schema.CURVE}
    del types["valid_perplexity"]  # which `Epoch` does not store
    curve = []
    if_empty = {"accuracy": None, "suite": ""}
    try:
        for row in read_tsv(path, schema.CURVE):
            values = {name: type_(row[name]) for name, type_ in types.items() if row[name]}
            curve.append(Epoch(**{**if_empty, **values}))
    except (ValueError, TypeError):
        wrong, right = "a cell is no number", f"a {CURVE} of colorless train"
        raise InputError(str(path), wrong, right, kind="format") from None
    return tuple(curve)


def best_accuracy(epochs: Sequence[Epoch], suite: str) -> float | None:
    """Return the accuracy (0–1) on `suite` after the epoch whose weights are kept, that of the
    lowest held-out loss; None if there are no epochs, or another suite or none was scored."""
    if not epochs:
        return None
    best = epochs[best_epoch_of([epoch.valid_loss for epoch in epochs])]
    return best.accuracy if best.suite == suite else None


def best_epoch_of(losses: Sequence[float]) -> int:
    """Return the index of the epoch with the lowest loss, the first of equal ones."""
    return min(range(len(losses)), key=lambda epoch: losses[epoch])


def find_quiz(store: Store, suite: str) -> EpochSuite | None:
    """Return the suite to score after every epoch, with a function that computes a model's accuracy
    on it. `suite` is its file or its name in the store; the result is None if `suite` is ""."""
    if not suite:
        return None
    quiz, _ = find_suite(store, suite)
    checked(quiz, quiz.name)
    return EpochSuite(quiz.name, partial(accuracy_of, quiz))


def accuracy_of(suite: Suite, scorer: Scorer) -> float | None:
    """Return the accuracy (0–1) of a model on a suite: the mean credit of items under the suite's
    first prediction.

    Ties share the credit. Items with an unknown target are left out; None if none is left.
    """
    with_one_prediction = replace(suite, predictions=suite.predictions[:1])
    plan = plan_suite(with_one_prediction, scorer.unit, looks_ahead=looks_ahead(scorer))
    surprisal = surprisal_of(plan, answer_plan(scorer, plan), suite.metric)
    outcomes = outcomes_of(
        with_one_prediction, plan, surprisal, JudgingRules(scorer.unit == "words")
    )
    credits = outcomes["credit"].drop_nulls().to_list()
    return fmean(credits) if credits else None
