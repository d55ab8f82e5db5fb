"""SyntaxGym scores out of outcomes by item (Hu et al. 2020; `sg_results` and `perplexity.csv`).

Columns `model,suite,item,correct`; a model is `name_corpus_seed`, an item counts from 0. The rules
are those of the authors' analysis (suite facts §1.6):

- accuracy of a suite: mean over items of prediction 0, for each model;
- what the paper calls a model is the mean over its (corpus, seed) models; the SG score over these
  and the suites; a circuit's over these and its suites;
- n-gram models were run many times with other draws at ties: an item is right if more than half of
  the runs have it right, and then they are one model;
- suites that the analysis drops are dropped: `^fgd-embed[34]|^gardenpath|^nn-nv`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.result import Result
from colorless_green.data.tables import Row
from colorless_green.nonce.circuits import circuit, modifier_of
from colorless_green.nonce.formats.records import table

COLUMNS = ("figure", "model", "corpus", "name", "n_models", "n_items", "accuracy")
PERPLEXITY_COLUMNS = ("model", "corpus", "n_models", "perplexity")
MODEL = re.compile(r"(?P<name>.+)_(?P<corpus>[^_]*)_(?P<seed>[^_]+)")
DROPPED = re.compile("fgd-embed[34]|gardenpath|nn-nv")
LABELS = {  # a star: off the shelf, as in the paper's figures
    "gpt-2": "GPT-2",
    "gpt-2-pretrained": "GPT-2*",
    "gpt-2-xl-pretrained": "GPT-2-XL*",
    "grnn": "GRNN*",
    "jrnn": "JRNN*",
    "ngram": "n-gram",
    "ordered-neurons": "ON-LSTM",
    "rnng": "RNNG",
    "transformer-xl": "Transformer-XL*",
    "vanilla": "LSTM",
}
VOTING = "ngram"  # the models whose runs are one model together
CORPORA = ("bllip-xs", "bllip-sm", "bllip-md", "bllip-lg")
SUBWORDS = "-gptbpe"  # Table 4 has GPT-2 on the corpora so called, all others on the plain ones


@dataclass(frozen=True, slots=True)
class Trained:
    """One model, or the runs that are one together: its outcomes, and its accuracy by suite."""

    label: str
    corpus: str
    correct: Mapping[str, Mapping[int, bool]]  # suite → item → whether it is right

    def accuracy(self, suite: str) -> float:
        items = self.correct[suite].values()
        return sum(items) / len(items)


def recomputed(files: Sequence[Path]) -> Result:
    """Rows by `figure`: `suite` (model by suite), `circuit`, `modifier` (`without`, `with`, over
    the pairs of suites that are there), `corpus` (SG score by training corpus) and `score`.

    A file with fewer runs of an n-gram model than another (`ngram-single`) is left out, and a
    message says so. Raises `InputError` for a model that is in two files, for an outcome that
    comes twice, and for models of different suites.
    """
    read = {file: _runs(file) for file in files}
    kept, messages = _without_single(read)
    runs: dict[str, dict[str, dict[int, bool]]] = {}
    for file in kept:
        for model, correct in read[file].items():
            if model in runs:
                wrong = f"the model {model!r} is in another file too"
                raise InputError(str(file), wrong, "each model once", kind="conflict")
            runs[model] = correct
    models = list(_trained(runs))
    suites = [name for name in models[0].correct if DROPPED.match(name) is None]
    for each in models:
        if set(each.correct) != set(models[0].correct):
            wrong = f"{each.label} has other suites than {models[0].label}"
            raise InputError(str(files[0]), wrong, "results on the same suites", kind="conflict")
    if not suites:
        raise InputError(
            str(files[0]), "no suite that the analysis keeps", "other suites", kind="empty"
        )
    rows = tuple(_rows(models, sorted(suites)))
    dropped = len(models[0].correct) - len(suites)
    note = f"{len(suites)} suites, {dropped} of which the analysis drops left out"
    return Result(rows, COLUMNS, (*messages, note))


def _runs(file: Path) -> dict[str, dict[str, dict[int, bool]]]:
    """model id → suite → item → whether it is right."""
    found: dict[str, dict[str, dict[int, bool]]] = {}
    for place, row in table(file, ",", ("model", "suite", "item", "correct")):
        if row["correct"] not in ("True", "False"):
            raise InputError(
                place, f"correct is {row['correct']!r:.20}", "True or False", kind="format"
            )
        if not (row["item"].isascii() and row["item"].isdigit() and len(row["item"]) < 10):
            raise InputError(place, f"item is {row['item']!r:.20}", "a whole number", kind="format")
        own = found.setdefault(row["model"], {}).setdefault(row["suite"], {})
        if int(row["item"]) in own:
            raise InputError(
                place, "this outcome comes twice", "one row for each item", kind="conflict"
            )
        own[int(row["item"])] = row["correct"] == "True"
    if not found:
        raise InputError(str(file), "no outcome in it", "a row for each item", kind="empty")
    return found


def _without_single(
    read: Mapping[Path, Mapping[str, object]],
) -> tuple[list[Path], tuple[str, ...]]:
    """The files less those with runs of an n-gram model that another has more of: a single run,
    released beside the fifty, is no vote. And what to say of it."""
    n_runs = {file: Counter(_voting(model) for model in own) for file, own in read.items()}
    left_out = [
        file
        for file, own in n_runs.items()
        if any(
            voting and n < other[voting]
            for voting, n in own.items()
            for each, other in n_runs.items()
            if each != file
        )
    ]
    kept = [file for file in read if file not in left_out]
    names = ", ".join(file.name for file in left_out)
    return kept, (f"left out for files with more runs: {names}",) if names else ()


def _voting(model: str) -> str:
    """Name and corpus of a model whose runs vote; "" for any other."""
    name = model.rpartition("_")[0]
    return name if name.partition("_")[0] == VOTING else ""


def _trained(runs: Mapping[str, dict[str, dict[int, bool]]]) -> Iterator[Trained]:
    votes: dict[str, list[dict[str, dict[int, bool]]]] = {}
    for model, correct in runs.items():
        match = MODEL.fullmatch(model)
        if match is None:
            raise InputError(
                f"model {model!r}", "its name has no corpus and seed", "a_b_0, say", kind="format"
            )
        name, corpus = match["name"], match["corpus"]
        if name == VOTING:
            votes.setdefault(corpus, []).append(correct)
        else:
            yield Trained(LABELS.get(name, name), corpus, correct)
    for corpus, members in votes.items():
        yield Trained(LABELS[VOTING], corpus, _majority(members))


def _majority(members: Sequence[Mapping[str, Mapping[int, bool]]]) -> dict[str, dict[int, bool]]:
    """An item is right where more than half of the runs have it right; half of them is not."""
    first = members[0]
    if any({s: set(i) for s, i in each.items()} != {s: set(i) for s, i in first.items()}
           for each in members):  # fmt: skip
        raise InputError(
            "n-gram runs", "they have different items", "runs on the same suites", kind="conflict"
        )
    return {
        suite: {item: 2 * sum(each[suite][item] for each in members) > len(members)
                for item in items}
        for suite, items in first.items()
    }  # fmt: skip


def _rows(models: Sequence[Trained], suites: Sequence[str]) -> Iterator[Row]:
    pairs = modifier_of(suites)
    sides = {"without": [base for base, _ in pairs], "with": [other for _, other in pairs]}
    circuits: dict[str, list[str]] = {}
    for suite in suites:
        circuits.setdefault(circuit(suite), []).append(suite)
    for label in dict.fromkeys(each.label for each in models):
        own = [each for each in models if each.label == label]
        for suite in suites:
            yield _row("suite", label, "", suite, own, [suite])
        for name in sorted(circuits):
            yield _row("circuit", label, "", name, own, circuits[name])
        for name, members in sides.items():
            if members:
                yield _row("modifier", label, "", name, own, members)
        for corpus in dict.fromkeys(each.corpus for each in own):
            trained = [each for each in own if each.corpus == corpus]
            yield _row("corpus", label, corpus, "", trained, suites)
        yield _row("score", label, "", "", own, suites)


def _row(
    figure: str,
    label: str,
    corpus: str,
    name: str,
    models: Sequence[Trained],
    suites: Sequence[str],
) -> Row:
    values = [each.accuracy(suite) for each in models for suite in suites]
    return {
        "figure": figure,
        "model": label,
        "corpus": corpus,
        "name": name,
        "n_models": len(models),
        "n_items": sum(len(models[0].correct[suite]) for suite in suites),
        "accuracy": sum(values) / len(values),
    }


def perplexities(files: Sequence[Path]) -> Result:
    """Table 4 of the paper: mean test perplexity over seeds, by model and corpus.

    Of GPT-2 on corpora cut into its own subwords, of all others on the plain corpora; other rows
    of the file are counted in a message. Raises `InputError` for a perplexity that is no number.
    """
    found: dict[tuple[str, str], list[float]] = {}
    n_others = 0
    for file in files:
        for place, row in table(file, ",", ("model", "corpus", "seed", "test_ppl")):
            own = SUBWORDS if row["model"] == "gpt-2" else ""
            corpus = row["corpus"].removesuffix(own)
            label = LABELS.get(row["model"])
            if label is None or corpus not in CORPORA or row["corpus"] != corpus + own:
                n_others += 1
                continue
            found.setdefault((label, corpus), []).append(_positive(row["test_ppl"], place))
    rows: list[Row] = [
        {
            "model": label,
            "corpus": corpus,
            "n_models": len(values),
            "perplexity": sum(values) / len(values),
        }
        for (label, corpus), values in found.items()
    ]
    return Result(rows, PERPLEXITY_COLUMNS, (f"{n_others} rows are not in the paper's table",))


def _positive(cell: str, place: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = 0.0
    if not 1.0 <= value < float("inf"):
        raise InputError(
            place, f"test_ppl is {cell!r:.20}", "a perplexity, 1 or more", kind="format"
        )
    return value
