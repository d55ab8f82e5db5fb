"""Read files with results of other programs: samples of lm-evaluation-harness, predictions of
BabyLM's pipeline, tables of sentence scores (such as minicons'); also the outcomes that `score`
wrote. A file is recognised by its content.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ...data.errors import InputError
from ...data.files import numbered_lines, read_text
from ...data.opening import head_of, head_text
from ...data.records import headers, json_lines, table
from ...data.tables import read_tsv

# programs, as they are named to people
HARNESS, BABYLM = "lm-evaluation-harness", "BabyLM's pipeline"
TABLE, OWN = "a table of sentence scores", "colorless score"
SENTENCE, TARGET = "sentence", "target"  # names of methods
BITS_PER = {"bits": 1.0, "e": 1 / math.log(2), "10": math.log2(10)}  # by base of the logarithm
OUTCOME_COLUMNS = {"item_id", "prediction", "credit"}  # by which our own outcomes are recognised
TEXT_COLUMNS = ("sentence", "text")
SCORE_STARTS = ("score", "logprob", "log_prob", "surprisal")  # of names of columns with scores
UNIT_ENDING = re.compile(r"(bits|nats?|log10|ln)$")  # at the end of the name of a column
BASE_OF_UNIT = {"bits": "bits", "nat": "e", "nats": "e", "ln": "e", "log10": "10"}
SAMPLES, RESULTS = "samples_*.jsonl", "results_*.json"  # files in a folder of the harness
Rows: TypeAlias = Iterable[tuple[str, Mapping[str, Any]]]
"""Rows of a table, each with its location for messages"""
MAX_SHOWN_LETTERS = 60  # characters of a text in a message
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
class ComputedResults:
    """The results of one model in a file.

    Attributes:
        program: the program that computed them.
        model: the name of the model; "" if the file does not say it.
        method: the method of our own outcomes, as they name it; "" for other programs.
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
    method: str = ""
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
            shown = " ".join(text).strip()[:MAX_SHOWN_LETTERS]
            wrong = f"{shown!r} has two surprisals, {known:.2f} and {bits:.2f} bits"
            raise InputError(location, wrong, "each text once, of one model", kind="conflict")


def normalized(text: str) -> str:
    """Return a text for comparison: without blanks at its ends, and with single blanks between
    words."""
    return " ".join(text.split())


def read_computed(path: Path, base: str = "") -> list[ComputedResults]:
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
    names_without_quotes = first_line.rstrip("\r\n").split("\t")
    if set(names_without_quotes) >= OUTCOME_COLUMNS:
        return _read_outcomes((str(path), row) for row in read_tsv(path))
    # of the headers that the possible separators give, the one with most columns
    names = max(headers(head_text(head_of(path))).values(), key=len, default=[])
    rows = table(path, list(filter(None, names)))
    has_outcomes = set(names) >= OUTCOME_COLUMNS
    return _read_outcomes(rows) if has_outcomes else _read_table(path, rows, base)


def _read_outcomes(rows: Rows) -> list[ComputedResults]:
    """Read outcomes that `colorless score` wrote: return one record for each model and method, with
    credits and margins. If an item has several predictions, the first counts."""
    by_run: dict[tuple[str, str], ComputedResults] = {}
    for location, row in rows:
        model, method = str(row.get("model") or ""), str(row.get("method") or TARGET)
        found = by_run.setdefault((model, method), ComputedResults(OWN, model, method))
        credit, margin = (
            None if row.get(name) in ("", None) else _finite_score(row[name], location)
            for name in ("credit", "margin_bits")
        )
        found.credits.setdefault(str(row["item_id"]), (credit, margin))
    return list(by_run.values())


def _finite_score(value: Any, location: str) -> float:
    """Return a score as a number. Raises `InputError` for text, NaN and infinity."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        wrong, right = f"the score is {str(value)[:MAX_SHOWN_LETTERS]!r}", "a number"
        raise InputError(location, wrong, right, kind="format")
    return number


def _newest_samples(folder: Path) -> list[Path]:
    """Find the files of samples in a folder of lm-evaluation-harness, and return the newest one of
    each task. Raises `InputError` if there are none."""
    newest: dict[str, Path] = {}
    for path in sorted(folder.glob(SAMPLES)):
        task, _, _ = path.name.rpartition("_")  # a date follows: the last file is the newest
        newest[task] = path
    if not newest:
        raise InputError(str(folder), f"no {SAMPLES} is in it", EXPECTED, kind="missing")
    return list(newest.values())


def _read_samples(*paths: Path) -> ComputedResults:
    """Read samples that lm-evaluation-harness logged for one model: for each item the
    log-probabilities of two choices, and which choice is right. Raises `InputError` for a file of
    another form."""
    found = ComputedResults(HARNESS, _model_beside(paths[-1]), files=paths)
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
                if form.startswith(" "):
                    found.conventions.add("a blank before each text")
            if n == gold:
                found.right.add(Text("", normalized(f"{context} {form}")))
    return found


def _model_beside(path: Path) -> str:
    """Return the name of the model whose samples are in a file. The harness writes it into a file
    of results beside that one; without such a file the folder's name is returned."""
    _, _, date = path.stem.rpartition("_")
    for file in sorted(path.parent.glob(RESULTS)):
        if date in file.name:
            try:
                name = json.loads(read_text(file)).get("model_name")
            except ValueError:
                continue
            if isinstance(name, str) and name:
                is_path = name.startswith(("/", "."))
                return Path(name).name if is_path else name
    return path.parent.name


def _read_predictions(path: Path) -> ComputedResults:
    """Read predictions of BabyLM's pipeline: for each item the sentence that the model prefers.
    Raises `InputError` for a file without any."""
    found = ComputedResults(BABYLM)
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


def _read_table(path: Path, rows: Rows, base: str) -> list[ComputedResults]:
    """Read a table of sentences and their scores, which are log-probabilities, or surprisals if all
    are positive. Return one record for each model, with surprisals in bits.

    Args:
        path: the file.
        rows: its rows with their locations.
        base: the base of the logarithms; "" if the name of the column says it.
    """
    scores: list[tuple[str, str, str, float]] = []  # (location, model, sentence, score)
    for location, row in rows:
        text = next((name for name in TEXT_COLUMNS if name in row), "")
        score = next((name for name in row if name and name.lower().startswith(SCORE_STARTS)), "")
        if not text or not score:
            wrong = (
                f"its columns are {', '.join(filter(None, map(str, row)))[: 2 * MAX_SHOWN_LETTERS]}"
            )
            raise InputError(str(path), wrong, EXPECTED, kind="format")
        base = _base_of(score, base, path)
        model = str(row.get("model") or "")
        scores.append((location, model, str(row[text]), _finite_score(row[score], location)))
    signs = {number > 0 for _, _, _, number in scores if number != 0}
    if len(signs) > 1:
        wrong = "scores above and below 0"
        right = "log-probabilities, or surprisals of whole sentences"
        raise InputError(str(path), wrong, right, kind="format")
    by_model: dict[str, ComputedResults] = {}
    for location, model, sentence, number in scores:
        found = by_model.setdefault(model, ComputedResults(TABLE, model))
        found.keep(Text("", normalized(sentence)), abs(number) * BITS_PER[base], location)
    if not by_model:
        raise InputError(str(path), "no score in it", EXPECTED, kind="empty")
    return list(by_model.values())


def _base_of(column: str, base: str, path: Path) -> str:
    """Return the base of the logarithms in a column of scores, from the end of its name or from
    what the user says, `base` ("" for nothing). Raises `InputError` if the two differ, or if there
    is neither."""
    unit = UNIT_ENDING.search(column.lower())
    base_of_column = BASE_OF_UNIT[unit[1]] if unit else ""
    if base and base_of_column and base != base_of_column:
        wrong = f"its logarithms are said to be of another base than {column!r} says"
        raise InputError(str(path), wrong, f"{path} alone", kind="conflict")
    base = base or base_of_column
    if base not in BITS_PER:
        wrong = f"nothing says of which base the logarithms in {column!r} are"
        right = f"{path}?base=e (or 2, 10), or a column score_nats, score_bits, score_log10"
        raise InputError(str(path), wrong, right, kind="missing")
    return base
