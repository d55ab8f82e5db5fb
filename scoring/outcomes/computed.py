"""Read results of other programs as runs: samples of lm-evaluation-harness, predictions of BabyLM's
pipeline, tables of sentence scores (such as minicons'); also the outcomes that `score` wrote.

A file is recognised by its content. Its results are joined to the items of suites by their texts,
our own outcomes by item_id. Nothing is computed again: the numbers are the other program's.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ...data.errors import InputError
from ...data.files import numbered_lines, read_text, sha256_file, user_path
from ...data.formats.pair_formats import SentencePair, pair_of
from ...data.formula.expression import TIE_BITS
from ...data.items.item import is_pair
from ...data.items.suite import Suite
from ...data.opening import head_of, head_text
from ...data.records import headers, json_lines, table
from ...data.store import Store, now
from ...data.tables import read_tsv
from .asking import method_suite_of
from .evaluate import Outcome, outcomes_frame
from .method import Method
from .run import COMPUTED_PREFIX, Run, keep_model, save_run

HARNESS, BABYLM = "lm-evaluation-harness", "BabyLM's pipeline"
TABLE, OWN = "a table of sentence scores", "colorless score"
SENTENCE, TARGET = "sentence", "target"
PREFIX = "prefix"  # name of the prediction about the first words in which two sentences differ
BITS_PER = {"bits": 1.0, "e": 1 / math.log(2), "10": math.log2(10)}  # by base of the logarithm
OUTCOME_COLUMNS = {"item_id", "prediction", "credit"}  # by which our own outcomes are recognised
TEXT_COLUMNS, SCORE_STARTS = ("sentence", "text"), ("score", "logprob", "log_prob", "surprisal")
UNIT_ENDING = re.compile(r"(bits|nats?|log10|ln)$")  # at the end of the name of a column
BASES = {"bits": "bits", "nat": "e", "nats": "e", "ln": "e", "log10": "10"}
SAMPLES, RESULTS = "samples_*.jsonl", "results_*.json"  # files in a folder of the harness
Rows: TypeAlias = Iterable[tuple[str, Mapping[str, Any]]]
"""Rows of a table, each with its location for messages"""
N_SHOWN = 60  # characters of a text in a message
EXPECTED = (
    "samples of lm-evaluation-harness (--log_samples), BabyLM's predictions, our outcomes.tsv, or a"
    " table of sentences and scores"
)


class Text(NamedTuple):
    """A text that a model was asked about: a form after a context, which is "" for a whole
    sentence."""

    context: str
    form: str


@dataclass
class Computed:
    """The results of one model in a file.

    Attributes:
        program: the program that computed them.
        model: the name of the model; "" if the file does not say it.
        bits: text → its surprisal in bits.
        preferred: the sentences that the model prefers to the other of their pair, in a file that
            has no surprisals.
        right: the sentences that the file calls right.
        credits: item_id → credit and margin in bits, in a file of our own outcomes.
        conventions: remarks on the way in which the model was asked.
        files: the files that were read from a folder.
    """

    program: str
    model: str = ""
    bits: dict[Text, float] = field(default_factory=dict)
    preferred: set[Text] = field(default_factory=set)
    right: set[Text] = field(default_factory=set)
    credits: dict[str, tuple[float | None, float | None]] = field(default_factory=dict)
    conventions: set[str] = field(default_factory=set)
    files: Sequence[Path] = ()

    @property
    def n_results(self) -> int:
        """The number of texts, or of items, whose results the file has."""
        return len(self.bits) + len(self.preferred) + len(self.credits)

    def keep(self, text: Text, bits: float, location: str) -> None:
        """Record the surprisal of a text in bits. Raises `InputError` if the text was recorded with
        a different surprisal before; the location of the text is for this message."""
        known = self.bits.setdefault(text, bits)
        if not math.isclose(known, bits, rel_tol=1e-4, abs_tol=1e-2):
            shown = " ".join(text).strip()[:N_SHOWN]
            wrong = f"{shown!r} has two surprisals, {known:.2f} and {bits:.2f} bits"
            raise InputError(location, wrong, "each text once, of one model", kind="conflict")


def normalized(text: str) -> str:
    """Return a text for comparison: without blanks at its ends, and with single blanks between
    words."""
    return " ".join(text.split())


def read_computed(path: Path, base: str = "") -> list[Computed]:
    """Read the results in a file.

    Args:
        path: the file; or the folder of a run of lm-evaluation-harness, with results of one model.
        base: the base of the logarithms in a table: bits, e or 10; "" if its header says it.

    Returns:
        One record for each model.

    Raises:
        InputError: for a file that is not recognised, for numbers that are not log-probabilities,
            and for a text with two surprisals.

    >>> _ = Path("scores.csv").write_text("text,score_nats\\nthe keys are,-2\\nthe keys is,-3\\n")
    >>> [found] = read_computed(Path("scores.csv"))
    >>> round(found.bits[Text("", "the keys are")], 3)
    2.885
    """
    if path.is_dir():
        return [_read_samples(*_newest_samples(path))]
    first_line = next((line for _, line in numbered_lines(path) if line.strip()), "")
    if not first_line:
        raise InputError(str(path), "it is empty", EXPECTED, kind="empty")
    if first_line.lstrip().startswith("{"):
        try:
            row = json.loads(first_line)
        except ValueError:
            row = None
        if isinstance(row, dict) and "filtered_resps" in row:
            return [_read_samples(path)]
        if row is None or not isinstance(row, dict) or "sentence" not in row:
            return [_read_predictions(path)]
        return _read_table(path, json_lines(path), base)
    # `score` writes its outcomes without quotes
    if {*first_line.rstrip("\r\n").split("\t")} >= OUTCOME_COLUMNS:
        return _read_outcomes((str(path), row) for row in read_tsv(path))
    names = max(headers(head_text(head_of(path))).values(), key=len, default=[])
    rows = table(path, list(filter(None, names)))
    return _read_outcomes(rows) if {*names} >= OUTCOME_COLUMNS else _read_table(path, rows, base)


def _read_outcomes(rows: Rows) -> list[Computed]:
    """Read outcomes that `colorless score` wrote: return one record for each model, with credits
    and margins. If an item has several predictions, the first counts."""
    by_model: dict[str, Computed] = {}
    for location, row in rows:
        model = str(row.get("model") or "")
        found = by_model.setdefault(model, Computed(OWN, model))
        credit, margin = (
            None if row.get(name) in ("", None) else _finite_score(row[name], location)
            for name in ("credit", "margin_bits")
        )
        found.credits.setdefault(str(row["item_id"]), (credit, margin))
    return list(by_model.values())


def _finite_score(value: Any, location: str) -> float:
    """Return a score as a number. Raises `InputError` for text, NaN and infinity."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        wrong, right = f"the score is {str(value)[:N_SHOWN]!r}", "a number"
        raise InputError(location, wrong, right, kind="format")
    return number


def _newest_samples(folder: Path) -> list[Path]:
    """Find the files of samples in a folder of lm-evaluation-harness, and return the newest one of
    each task. Raises `InputError` if there are none."""
    # file names end with the date, so that the last one of a task is the newest
    newest = {path.name.rpartition("_")[0]: path for path in sorted(folder.glob(SAMPLES))}
    if not newest:
        raise InputError(str(folder), f"no {SAMPLES} is in it", EXPECTED, kind="missing")
    return list(newest.values())


def _read_samples(*paths: Path) -> Computed:
    """Read samples that lm-evaluation-harness logged for one model: for each item the
    log-probabilities of two choices, and which choice is right. Raises `InputError` for a file of
    another form."""
    found = Computed(HARNESS, _model_beside(paths[-1]), files=paths)
    for location, row in chain.from_iterable(map(json_lines, paths)):
        try:
            answers = row["filtered_resps"]
            requests = [row["arguments"][f"gen_args_{n}"] for n in range(len(answers))]
            choices = [(str(request["arg_0"]), str(request["arg_1"])) for request in requests]
            log_probabilities = [_finite_score(answer[0], location) for answer in answers]
            gold = int(row["target"])
        except (KeyError, TypeError, ValueError, IndexError):
            wrong = "this is no sample of a task with choices"
            raise InputError(
                location, wrong, "--log_samples of two choices", kind="format"
            ) from None
        if len(choices) != 2 or gold not in (0, 1) or max(log_probabilities) > 0:
            wrong = f"its number of choices is {len(choices)}, and the right one is {gold}"
            raise InputError(location, wrong, "two choices, 0 or 1 right", kind="unsupported")
        for n, ((context, form), nats) in enumerate(zip(choices, log_probabilities, strict=True)):
            bits = -nats * BITS_PER["e"]
            if context.strip():
                found.keep(Text(normalized(context), normalized(form)), bits, location)
            else:
                found.keep(Text("", normalized(form)), bits, location)
                found.conventions.add("a blank before each text" if form[:1] == " " else "")
            if n == gold:
                found.right.add(Text("", normalized(f"{context} {form}")))
    return found


def _model_beside(path: Path) -> str:
    """Return the name of the model whose samples are in a file. The harness writes it into a file
    of results beside that one; without such a file the folder's name is returned."""
    date = path.stem.rpartition("_")[2]
    for file in sorted(path.parent.glob(RESULTS)):
        if date in file.name:
            try:
                name = json.loads(read_text(file)).get("model_name")
            except ValueError:
                continue
            if isinstance(name, str) and name:
                return Path(name).name if name.startswith(("/", ".")) else name
    return path.parent.name


def _read_predictions(path: Path) -> Computed:
    """Read predictions of BabyLM's pipeline: for each item the sentence that the model prefers.
    Raises `InputError` for a file without any."""
    found = Computed(BABYLM)
    try:
        content = json.loads(read_text(path))
    except ValueError:
        raise InputError(
            str(path), "this is none of the files it reads", EXPECTED, kind="format"
        ) from None
    for prediction in _predictions_in(content):
        found.preferred.add(Text("", normalized(str(prediction["pred"]))))
    if not found.preferred:
        wrong = "its content is none of the results that are known"
        raise InputError(str(path), wrong, EXPECTED, kind="format")
    return found


def _predictions_in(content: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of JSON that have the keys `id` and `pred`, which are predictions of
    BabyLM's pipeline, at any depth of the content."""
    if isinstance(content, dict) and {"id", "pred"} <= content.keys():
        yield content
    elif isinstance(content, dict | list):
        for part in content.values() if isinstance(content, dict) else content:
            yield from _predictions_in(part)


def _read_table(path: Path, rows: Rows, base: str) -> list[Computed]:
    """Read a table of sentences and their scores, which are log-probabilities, or surprisals if all
    are positive. Return one record for each model, with surprisals in bits.

    Args:
        path: the file.
        rows: its rows with their locations.
        base: the base of the logarithms; "" if the name of the column says it.
    """
    by_model: dict[str, Computed] = {}
    scores: list[tuple[str, str, str, float]] = []
    for location, row in rows:
        text = next((name for name in TEXT_COLUMNS if name in row), "")
        score = next((name for name in row if name and name.lower().startswith(SCORE_STARTS)), "")
        if not text or not score:
            wrong = f"its columns are {', '.join(filter(None, map(str, row)))[: 2 * N_SHOWN]}"
            raise InputError(str(path), wrong, EXPECTED, kind="format")
        unit = UNIT_ENDING.search(score.lower())
        base_of_column = BASES[unit[1]] if unit else ""
        if base and base_of_column and base != base_of_column:
            wrong = f"its logarithms are said to be of another base than {score!r} says"
            raise InputError(str(path), wrong, f"{path} alone", kind="conflict")
        base = base or base_of_column
        if base not in BITS_PER:
            wrong = f"nothing says of which base the logarithms in {score!r} are"
            right = f"{path}?base=e (or 2, 10), or a column score_nats, score_bits, score_log10"
            raise InputError(str(path), wrong, right, kind="missing")
        model = str(row.get("model") or "")
        scores.append((location, model, str(row[text]), _finite_score(row[score], location)))
    signs = {number > 0 for *_, number in scores if number}
    if len(signs) > 1:
        wrong = "scores above and below 0"
        right = "log-probabilities, or surprisals of whole sentences"
        raise InputError(str(path), wrong, right, kind="format")
    for location, model, sentence, number in scores:
        found = by_model.setdefault(model, Computed(TABLE, model))
        found.keep(Text("", normalized(sentence)), abs(number) * BITS_PER[base], location)
    if not by_model:
        raise InputError(str(path), "no score in it", EXPECTED, kind="empty")
    return list(by_model.values())


@dataclass(frozen=True, slots=True)
class Joined:
    """The outcomes of a suite's items that follow from a file, by one method.

    Attributes:
        outcomes: the outcomes of the items that are in the file.
        found: the texts of the file that items have; for our own outcomes their item_ids.
    """

    outcomes: list[Outcome] = field(default_factory=list)
    found: set[Text | str] = field(default_factory=set)


def join(found: Computed, suite: Suite, predictions: Mapping[str, str]) -> dict[str, Joined]:
    """Join the results in a file to the items of a suite, by their texts or ids.

    Args:
        found: the results.
        suite: the suite; only pairs can be found by their texts.
        predictions: method → the prediction that its outcomes are under.

    Returns:
        Method, `sentence` or `target` → the outcomes of the items that are in the file.

    Raises:
        InputError: for a sentence that the file calls right and the suite wrong.
    """
    joined: dict[str, Joined] = {}
    for item in suite.items:
        if item.item_id in found.credits:
            credit, margin = found.credits[item.item_id]
            by_id = joined.setdefault(TARGET, Joined())
            by_id.found.add(item.item_id)
            by_id.outcomes.append(_outcome(item.item_id, predictions[TARGET], credit, margin))
            continue
        for method, (right, wrong) in _texts_of(pair_of(item), found) if is_pair(item) else ():
            if wrong in found.right and right not in found.right:
                fault = f"the file has {wrong.form[:N_SHOWN]!r} as right, the suite as wrong"
                raise InputError(item.item_id, fault, "results of this suite", kind="conflict")
            by_text = joined.setdefault(method, Joined())
            by_text.found.update((right, wrong))
            credit, margin = float(right in found.preferred), None
            if {right, wrong} <= found.bits.keys():
                margin = found.bits[wrong] - found.bits[right]
                credit = 0.5 if abs(margin) <= TIE_BITS else float(margin > 0)
            by_text.outcomes.append(_outcome(item.item_id, predictions[method], credit, margin))
    return joined


def _outcome(
    item_id: str, prediction: str, credit: float | None, margin_bits: float | None
) -> Outcome:
    """Make the outcome of one item from its credit and margin. It is a tie if the margin is 0 up to
    rounding."""
    is_tie = margin_bits is not None and abs(margin_bits) <= TIE_BITS
    return Outcome(item_id, prediction, credit, margin_bits, is_tie, oov=False)


def _texts_of(pair: SentencePair, found: Computed) -> Iterator[tuple[str, tuple[Text, Text]]]:
    """Yield the methods (`sentence`, `target`) for which a file has results on a pair, each with
    the right and the wrong text whose results count: sentences, or targets after contexts."""
    right, wrong = (Text("", normalized(text)) for text in (pair.right, pair.wrong))
    is_preferred = [text in found.preferred for text in (right, wrong)]
    if {right, wrong} <= found.bits.keys() or any(is_preferred) != all(is_preferred):
        yield SENTENCE, (right, wrong)
    if pair.parts is not None:
        right, wrong = (Text(normalized(part.prefix), normalized(part.word)) for part in pair.parts)
        if right.context and {right, wrong} <= found.bits.keys():
            yield TARGET, (right, wrong)


def computed_runs(
    store: Store, suites: Sequence[tuple[Suite, int]], files: Sequence[str], name: str = ""
) -> tuple[list[Run], list[str]]:
    """Return the results in files as runs, which are kept in the store; and remarks, such as how
    many texts and items were not found.

    Args:
        store: where runs are kept.
        suites: the suites, with their numbers in the store.
        files: paths; a table that does not say its unit is followed by `?base=e`, `2` or `10`.
        name: the name of the model; "" for the name in the file.

    Raises:
        InputError: for a file that cannot be read or that has nothing about any of the suites.
    """
    runs: list[Run] = []
    remarks: list[str] = []
    for file in files:
        text, _, option = file.partition("?")
        base = option.removeprefix("base=").replace("2", "bits")
        if option and base not in BITS_PER:
            right = f"{text}?base=e, 2 or 10"
            raise InputError(file, f"no such option {option!r}", right, kind="unknown")
        path = user_path(text)
        for found in read_computed(path, base):
            found.model = name or found.model or path.stem
            new_runs, n_used = _runs_of(store, suites, found, path, len(runs))
            if not new_runs:
                names = ", ".join(suite.name for suite, _ in suites)
                wrong = f"none of its texts ({found.n_results:,}) is in {names}"
                raise InputError(text, wrong, "results of these suites", kind="empty")
            runs += new_runs
            remarks.append(f"{found.model}: as computed by {found.program}")
            remarks += [f"{found.model}: {note}" for note in sorted(found.conventions - {""})]
            if n_unused := found.n_results - n_used:
                remarks.append(f"{path}: {n_unused:,} of {found.n_results:,} texts are in no suite")
            for suite, _ in suites:
                its_runs = [run for run in new_runs if run.suite == suite.name]
                n_found = max((len(run.outcomes) for run in its_runs), default=0)
                if n_missing := len(suite.items) - n_found:
                    n = f"{n_missing:,} of {len(suite.items):,} items"
                    remarks.append(f"{suite.name}: {n} are not in {path}")
    return runs, remarks


def _runs_of(
    store: Store, suites: Sequence[tuple[Suite, int]], found: Computed, path: Path, n_before: int
) -> tuple[list[Run], int]:
    """Make runs from one model's results in a file, and keep them in the store. `n_before` is the
    number of runs that come before these in tables.

    Returns a run for each suite and method (`sentence`, `target`) that the file has results for,
    then the number of the file's texts that occur in an item.
    """
    runs: list[Run] = []
    used: set[Text | str] = set()
    for suite, suite_id in suites:
        names = [
            prediction.name for prediction in method_suite_of(suite, Method()).suite.predictions
        ]
        of_targets = PREFIX if PREFIX in names else names[0]
        of_sentences = method_suite_of(suite, Method(measure="sentence")).suite.predictions[0].name
        predictions = {SENTENCE: of_sentences, TARGET: of_targets}
        for method, joined in join(found, suite, predictions).items():
            used |= joined.found
            outcomes = outcomes_frame(joined.outcomes)
            signature = _signature(found, path, method)
            facts = {**dict.fromkeys(("spec", "group", "device"), ""), "about": "{}"}
            options = {"prediction": predictions[method], "oov": "keep", "ties": "share"}
            with store.transaction():
                model_id, model = keep_model(store, signature, found.model, facts)
                run_id = save_run(
                    store,
                    model_id=model_id,
                    suite_id=suite_id,
                    method=method,
                    options=options,
                    exposed=None,
                    outcomes=outcomes,
                    now=now(),
                )
            runs.append(
                Run(
                    model=model,
                    outcomes=outcomes,
                    run_id=run_id,
                    number=str(n_before + len(runs) + 1),
                    suite_id=suite_id,
                    suite=suite.name,
                    method=method,
                    policy=f"by {found.program}",
                    prediction=predictions[method],
                    signature=signature,
                    items=suite.items,
                )
            )
    return runs, len(used)


def _signature(found: Computed, path: Path, method: str) -> str:
    """Return the signature, which identifies a model in the store, of a model whose numbers come
    from a file. It depends on the file's content."""
    digests = [sha256_file(file) for file in found.files or [path]]
    digest = digests[0] if len(digests) == 1 else sha256("".join(digests).encode()).hexdigest()
    parts = [f"{COMPUTED_PREFIX}{found.program}", f"model:{found.model}", f"method:{method}"]
    return "|".join([*parts, f"file:{path.name}", f"sha256:{digest[:16]}"])
