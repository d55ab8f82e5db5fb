"""Queries to answers to outcomes: one model on one suite."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.nonce.item import Item
from colorless_green.nonce.prediction import Prediction, credit, has_tie
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.outcome import EQUAL_FORMS, FRAGILE, OOV, OOV_KEPT, Outcome
from colorless_green.scoring.plan import Plan, Request, n_subwords, queries_of, region_bits
from colorless_green.scoring.precision import fragile_bits
from colorless_green.scoring.query import Query, Scorer, Stretch, Surprisals

Asked = tuple[Stretch, Stretch, Stretch | None]
"""(prefix, continuation, suffix); no suffix for a model that does not look ahead"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of one continuation after its prefix."""

    surprisals: Surprisals
    prefix_oov: int


Answers = Mapping[Asked, Answer]


def answers(
    scorer: Scorer,
    plan: Plan,
    known: dict[Asked, Answer],
    keep: Callable[[Sequence[tuple[Asked, Answer]]], None],
    *,
    batch: int = 200,
    progress: Progress = silent,
) -> dict[Asked, Answer]:
    """Every answer the plan needs: those known already, and the rest from the model.

    `keep` is handed the new ones, at most `batch` queries at a time, as soon as they are there, so
    that an interrupted run loses no more than that.
    """
    wanted = queries_of(each for each in plan.requests if each.asked not in known)
    queries = sorted(wanted, key=lambda query: query.prefix)  # what begins alike stands together
    found = dict(known)
    new: list[tuple[Asked, Answer]] = []
    scores = scorer.score(queries)
    for done, (query, score) in enumerate(zip(queries, scores, strict=True), start=1):
        for continuation, surprisals in zip(query.continuations, score.continuations, strict=True):
            asked = (query.prefix, continuation, query.suffix)
            new.append((asked, Answer(surprisals, score.prefix_oov)))
        if done % batch == 0 or done == len(queries):
            keep(new)
            found.update(new)
            new = []
        progress("prefixes scored", done, len(queries))
    return found


def outcomes(
    suite: Suite,
    plan: Plan,
    given: Answers,
    *,
    unit: str,
    oov: str,
    ties: str,
    dtype: str = "float32",
) -> Iterator[Outcome]:
    """The credit of every item under every prediction, in the order of the suite.

    `oov`: "exclude" leaves out items of which a word-level model does not know a scored word,
    "keep" counts them. `ties`: "share" gives a tie its share of orderings, "wrong" nothing.
    Decisions that the number type `dtype` could turn over are marked.
    """
    requests: dict[str, list[Request]] = {}
    for request in plan.requests:
        requests.setdefault(request.item_id, []).append(request)
    for item in suite.items:
        own = requests.get(item.item_id, [])
        values = _values(own, given, suite.metric)
        unknown = unit == "words" and any(any(_of(one, given).surprisals.oov) for one in own)
        flagged = unknown or any(_of(one, given).prefix_oov for one in own)
        for prediction in suite.predictions:
            if _equal_forms(item):
                note = EQUAL_FORMS
            elif unknown and oov == "exclude":
                note = OOV
            else:
                note = OOV_KEPT if unknown else ""
            yield _outcome(item, prediction, values, note, flagged, ties, fragile_bits(dtype))


def _of(request: Request, given: Answers) -> Answer:
    return given[request.asked]


def _values(
    requests: Sequence[Request], given: Answers, metric: str
) -> dict[tuple[str, str], float]:
    """(condition, region) → bits, averaged over the wordings of the condition."""
    collected: dict[tuple[str, str], list[float]] = {}
    for request in requests:
        for region, bits in region_bits(request, _of(request, given).surprisals, metric).items():
            collected.setdefault((request.condition, region), []).append(bits)
    return {cell: sum(bits) / len(bits) for cell, bits in collected.items()}


def _equal_forms(item: Item) -> bool:
    return item.agreement is not None and item.agreement.right == item.agreement.wrong


def _outcome(
    item: Item,
    prediction: Prediction,
    values: Mapping[tuple[str, str], float],
    note: str,
    flagged: bool,
    ties: str,
    near: float,
) -> Outcome:
    formula = prediction.formula
    needed = {cell: values[cell] for cell in prediction.cells()}
    tie = has_tie(formula, needed)
    margin = formula.margin(needed)
    if note in (EQUAL_FORMS, OOV):
        return Outcome(item.item_id, prediction.name, None, margin, tie, flagged, note)
    earned = float(formula.holds(needed)) if ties == "wrong" else credit(formula, needed)
    fragile = FRAGILE if not tie and abs(margin) < near else ""
    notes = ";".join(each for each in (note, fragile) if each)
    return Outcome(item.item_id, prediction.name, earned, margin, tie, flagged, notes)


def score_rows(plan: Plan, given: Answers, metric: str) -> Iterator[dict[str, str | int | float]]:
    """Rows of scores.tsv, less run and model: one for each region of each wording."""
    for request in plan.requests:
        answer = _of(request, given).surprisals
        bits = region_bits(request, answer, metric)
        for each in request.regions:
            yield {
                "item_id": request.item_id,
                "condition": request.condition,
                "sentence_index": request.sentence_index,
                "region": each.region,
                "n_subwords": n_subwords(request, answer, each.region),
                "surprisal_bits": bits[each.region],
                "oov": int(any(answer.oov)),
            }


def check_lengths(queries: Iterable[Query], place: str) -> None:
    """Raises `InputError` where a continuation is empty: there would be nothing to score."""
    for query in queries:
        if not all(query.continuations):
            raise InputError(
                place, f"an empty region after {_shown(query.prefix)!r}", "at least one word"
            )


def _shown(stretch: Stretch) -> str:
    text = stretch if isinstance(stretch, str) else " ".join(stretch)
    return text[-40:]
