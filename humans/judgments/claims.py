"""Answers as files claim them, made trials: texts become values, items fill in what they know.

A claim is a row of texts under our names (`CELLS`), and `origin`, where it begins. Values that are
alike in many rows are looked at once (`by_case`). Rows are checked, recomputed, counted, never
dropped.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import polars as pl

from ...data.errors import ErrorKind, InputError
from ...data.records import malformed
from ...data.registry import abridged
from .judgment import FACT, SESSION, SESSIONS, TRIALS, kind_at, kind_named
from .lookup import KnownItem, Lookup, normal, option_index, plain
from .sheet import integer, number

OFFENDERS = 5  # how many of many the message of an error lists
OF_VISITS = tuple(name for name in SESSIONS if name not in SESSION)
CELLS = (
    *(name for name in TRIALS if name != "origin"),
    *("task", "sentence", "correct_index", "platform", "other", *OF_VISITS),
)
OTHER = "row"  # cell of `other` in rows that are no answers
TYPES = {**SESSIONS, **TRIALS, "correct_index": int}
VERDICTS = {"": None, "0": 0, "1": 1, "false": 0, "true": 1, "f": 0, "t": 1}
TEXTS = ("item", "prefix", "option_1", "option_2", "chosen", "correct_form")
JOINED = (
    *("source", "construction", "condition", "prefix", "option_1", "option_2", "chosen"),
    *("chosen_index", "correct_form", "correct"),
)  # what an item tells of an answer
CASE = (
    *TEXTS, "condition", "source", "construction", "chosen_index", "correct_index", "correct",
    "is_rated",
)  # fmt: skip


def claim_frame(rows: Iterable[tuple[str, Mapping[str, str]]]) -> pl.DataFrame:
    """Return rows of cells by our names, with their locations, as a frame of claims."""
    rows = list(rows)
    facts = dict.fromkeys(name for _, cells in rows for name in cells if name.startswith(FACT))
    columns = {name: [cells.get(name, "") for _, cells in rows] for name in (*CELLS, *facts)}
    columns["origin"] = [location for location, _ in rows]
    return pl.DataFrame(columns, dict.fromkeys(columns, pl.String))


def facts_among(fields: Mapping[str, str], keep: Iterable[str]) -> dict[str, str]:
    """Return the cells of a claim for what is kept of people among some fields."""
    return {FACT + name: value for name in keep if (value := fields.get(name, ""))}


def sessions_of(claims: pl.DataFrame) -> pl.DataFrame:
    """Return what claims tell of people and their sessions, with the columns of `SESSIONS` and of
    facts: the first time, all facts, and how often the page was left.

    Raises `InputError` where two rows of a session have different statuses, or a value is none.
    """
    facts = [name for name in claims.columns if name.startswith(FACT)]
    visits = claims.filter(pl.any_horizontal(pl.col(*OF_VISITS, *facts) != ""))
    frame = parsed(visits, {"test_run": _switch, "n_blurs": integer, "duration_s": DURATION})

    def stated(name: str) -> pl.Expr:
        return pl.col(name).filter(pl.col(name) != "")

    moments = ("started_at", "ended_at")
    sessions = frame.group_by(SESSION, maintain_order=True).agg(
        stated("status").str.to_uppercase().unique(maintain_order=True),
        pl.col("test_run").drop_nulls().first().fill_null(False),
        *(stated(name).first().fill_null("") for name in moments),
        pl.col("duration_s").drop_nulls().first(),
        pl.when(pl.col("n_blurs").count() > 0).then(pl.col("n_blurs").sum()),
        *(stated(name).unique(maintain_order=True).str.join(" | ") for name in facts),
        pl.col("origin").last(),
    )
    for statuses, origin in sessions.select("status", "origin").iter_rows():
        if len(statuses) > 1:
            wrong = f"the status of this session is {statuses[1]!r}, and was {statuses[0]!r} before"
            right = "one status for a session; --map session=COLUMN tells sessions apart"
            raise malformed(origin, wrong, right)
    status = pl.col("status").list.first().fill_null("")
    return sessions.with_columns(status, pl.col(facts).replace("", None)).drop("origin")


def by_case(
    frame: pl.DataFrame,
    columns: Sequence[str],
    function: Callable[[dict[str, Any]], Mapping[str, Any]],
) -> pl.DataFrame:
    """Return the frame with the columns of `TRIALS` that a function makes of each distinct row of
    some columns; it is called with these and the first row's `origin`."""
    cases = (
        frame.with_row_index("row")
        .group_by(columns, maintain_order=True)
        .agg("row", pl.col("origin").first())
    )
    made = [function(case) for case in cases.drop("row").iter_rows(named=True)]
    names = made[0] if made else {}
    new = pl.DataFrame(made, {name: TYPES[name] for name in names}, orient="row")
    rows = new.with_columns(cases["row"]).explode("row").sort("row") if made else new
    return frame.with_columns(rows[name] for name in names)


Parse: TypeAlias = Callable[[str, str, str], Any]
"""Makes a value of a cell, the name of its column and its location; raises `InputError`."""


def parsed(frame: pl.DataFrame, columns: Mapping[str, Parse]) -> pl.DataFrame:
    """Return the frame with values in place of the texts of some columns."""

    def value(case: dict[str, Any], name: str, parse: Parse) -> dict[str, Any]:
        return {name: parse(case[name], name, case["origin"])}

    for name, parse in columns.items():
        if frame.is_empty():
            frame = frame.with_columns(
                pl.lit(None, pl.DataType.from_python(TYPES[name])).alias(name)
            )
        frame = by_case(frame, [name], partial(value, name=name, parse=parse))
    return frame


def typed(claims: pl.DataFrame) -> pl.DataFrame:
    """Return claims with the values of their cells: numbers, verdicts and kinds of trials.

    Raises `InputError` for a value that a column cannot have.
    """
    frame = claims.with_columns(
        option_1=pl.when((pl.col("option_1") == "") & (pl.col("option_2") == ""))
        .then("sentence")
        .otherwise("option_1")
    )
    frame = parsed(frame, VALUES)
    return by_case(frame, ["kind", "task"], _kind).select(*TRIALS, "correct_index")


def _kind(case: dict[str, Any]) -> dict[str, Any]:
    kind, task = case["kind"], case["task"]
    return {"kind": kind_at(kind, case["origin"]) if kind else kind_named(task)}


def _verdict(text: str, name: str, location: str) -> int | None:
    """Return 0, 1 or nothing; true, false, T and F are read as other programs write them."""
    if text.lower() not in VERDICTS:
        right = "0 or 1, true or false, or an empty cell"
        raise malformed(location, f"{name} is {text!r}", right)
    return VERDICTS[text.lower()]


def _switch(text: str, name: str, location: str) -> bool | None:
    if text not in ("", "0", "1"):
        raise malformed(location, f"{name} is {text!r}", "0 or 1")
    return text == "1" if text else None


def _position(text: str, name: str, location: str) -> int | None:
    position = integer(text, name, location)
    if position is not None and position < 1:
        right = "the number of the trial, from 1"
        raise malformed(location, f"{name} is {position}", right)
    return position


DURATION = partial(number, lowest=0)
VALUES: Mapping[str, Parse] = {
    **dict.fromkeys(("chosen_index", "correct_index", "correct"), _verdict),
    "position": _position,
    "rating": number,
    "rt_ms": DURATION,
}


def identified(frame: pl.DataFrame, lookup: Lookup, own_ids: bool) -> pl.DataFrame:
    """Return the claims with the ids of their items; with `own_ids` those that have one keep it.
    Raises `InputError` where several items have the texts of one."""

    def item(case: dict[str, Any]) -> dict[str, Any]:
        return {"item": case["item"] if case["item"] and own_ids else lookup.item_of(case)}

    return by_case(frame, TEXTS, item)


def is_known(cells: Mapping[str, str], location: str, lookup: Lookup) -> bool:
    """Tell whether what was shown is a known item. Raises `InputError` where it is several."""
    return lookup.item_of({**cells, "origin": location}) in lookup.by_id


def without_repeats(frame: pl.DataFrame) -> pl.DataFrame:
    """Return each trial once; one without a `trial_id` gets it from session, person, item and
    position, and where several sentences of an item are rated, from the sentence. Raises
    `InputError` where a trial comes twice with different content."""
    names = ("session", "participant", "item", pl.col("position").cast(str).fill_null(""))
    made = pl.concat_str(*names, separator="/")
    is_rating = pl.col("rating").is_not_null() & (pl.col("option_2") == "")
    several = is_rating & (pl.col("option_1").n_unique().over(*names) > 1)
    made = pl.when(several).then(made + pl.lit("/") + pl.col("option_1")).otherwise(made)
    is_made = pl.col("trial_id") == ""
    frame = frame.with_columns(trial_id=pl.when(is_made).then(made).otherwise("trial_id"))
    content = [name for name in frame.columns if name != "origin"]
    trials = frame.unique(content, keep="first", maintain_order=True)
    again = trials.filter(~pl.col("trial_id").is_first_distinct())
    if again.is_empty():
        return trials
    trial_id, item, origin = again.select("trial_id", "item", "origin").row(0)
    earlier = trials.filter(trial_id=trial_id)["origin"][0]
    wrong = f"the trial {trial_id!r} of {earlier} again, with other content"
    if trial_id.endswith(f"/{item}/"):
        wrong = f"the person of {earlier} answers item {item!r} again, otherwise"
    right = "a session, trial_id or position that tells the two answers apart"
    raise InputError(origin, wrong, right, kind="conflict")


def numbered(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the trials with positions in the order of the rows, in sessions that have none."""
    has_some = pl.col("position").is_not_null().any().over(SESSION)
    count = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(SESSION)
    return frame.with_columns(position=pl.when(has_some).then("position").otherwise(count))


def demand_known(mentions: Iterable[tuple[str, str]], items: Collection[str]) -> None:
    """Raise `InputError` where an item of `mentions`, pairs of item id and place, is not known."""
    unknown: dict[str, str] = {}
    for item, location in mentions:
        if item not in items:
            unknown.setdefault(item, location)
    if unknown:
        listing = abridged(map(repr, unknown), OFFENDERS)
        wrong = f"{listing}: no such item among the {len(items)} known"
        right = (
            "--items FILE with what was shown, --suite with the suite that has them, or another"
            " `kind` for fillers and checks"
        )
        raise InputError(next(iter(unknown.values())), wrong, right, kind="unknown")


def joined(frame: pl.DataFrame, lookup: Lookup, missing: Collection[str]) -> pl.DataFrame:
    """Return the trials with all that their items know, and `correct` recomputed.

    In `frame` the column `correct` is the file's own verdict. A chosen text that is one of
    `missing` is no answer, unless it is one of the options. Whole sentences that people chose
    between become the item's forms.

    Raises `InputError` where the options are not the item's forms; the chosen text is neither
    option; or the file's verdict is not the recomputed one.
    """
    mismatched: list[tuple[dict[str, Any], list[str]]] = []

    def resolve(claim: dict[str, Any]) -> dict[str, Any]:
        known = lookup.by_id.get(claim["item"])
        answer = claim if known and _is_rating(claim, known) else _with_forms(claim, known, missing)
        if known is not None:
            facts = known.item.cluster_id, known.item.construction
            answer["source"], answer["construction"] = facts
            answer["condition"] = claim["condition"] or known.item.kind
            if answer is claim:
                answer["correct_form"] = ""
        shown = _shown(answer, known)
        if answer["chosen"] and shown and normal(answer["chosen"]) not in shown:
            mismatched.append((answer, shown))
        else:
            _judge(answer)
        return {name: answer[name] for name in JOINED}

    trials = by_case(frame.with_columns(is_rated=pl.col("rating").is_not_null()), CASE, resolve)
    if mismatched:
        (first, shown), listing = mismatched[0], (repr(each["chosen"]) for each, _ in mismatched)
        wrong = f"{abridged(listing, OFFENDERS)}: chosen, but neither option"
        right = f"for item {first['item']} {' or '.join(map(repr, shown))}"
        raise malformed(first["origin"], wrong, right)
    return trials.select(*TRIALS).cast(pl.Schema(TRIALS))


def _is_rating(claim: Mapping[str, Any], known: KnownItem) -> bool:
    """Tell whether one sentence was judged for itself: there is a rating and no choice, or (where
    the answer is missing) one text was shown and it is a sentence of the item."""
    if claim["chosen"] or claim["option_2"] or claim["chosen_index"] is not None:
        return False
    return claim["is_rated"] or (
        bool(claim["option_1"]) and plain(claim["option_1"]) in known.wordings
    )


def _with_forms(
    claim: Mapping[str, Any], known: KnownItem | None, missing: Collection[str]
) -> dict[str, Any]:
    """Return a choice with its options, its answer and the right form.

    Options stay in the order shown, which only the file knows; with none the item's forms are
    those that `correct_index` orders. The answer is a text or a place among the options.
    """

    def refused(wrong: str, right: str, kind: ErrorKind = "format") -> InputError:
        return InputError(claim["origin"], wrong, right, kind=kind)

    answer, pair = {**claim}, known.forms if known else None
    index, right_index = claim["chosen_index"], claim["correct_index"]
    options = claim["option_1"], claim["option_2"]
    if right_index is not None and pair and not any(options):
        options = pair if right_index == 0 else (pair[1], pair[0])
    if right_index is not None and all(options) and not claim["correct_form"]:
        answer["correct_form"] = options[right_index]
    if index is None:
        answer["chosen_index"] = option_index(claim["chosen"], options) if claim["chosen"] else None
    else:
        if not all(options) and right_index is None and claim["correct"] is None:
            raise refused("chosen_index, but no options", "columns option_1 and option_2 with it")
        if all(options):  # else of a filler whose texts nobody gave: judged by its places
            if claim["chosen"] and normal(claim["chosen"]) != normal(options[index]):
                wrong = f"chosen is {claim['chosen']!r}, but chosen_index {index} is"
                wrong += f" {options[index]!r}"
                raise refused(wrong, "the same answer in both columns", "conflict")
            answer["chosen"] = options[index]
        if right_index is not None:
            verdict = int(index == right_index)
            if claim["correct"] not in (None, verdict):
                wrong = f"correct is {claim['correct']}, chosen_index {index}"
                raise refused(f"{wrong} and correct_index {right_index}", f"correct = {verdict}")
            answer["correct"] = verdict
    answer["option_1"], answer["option_2"] = options
    if answer["chosen"] in missing and normal(answer["chosen"]) not in _shown(answer, known):
        answer["chosen"] = ""
    if known is None:
        return answer
    for name in ("option_1", "option_2", "chosen", "correct_form"):
        answer[name] = known.as_form(answer[name])
    if pair and (form := answer["correct_form"]) and normal(form) != normal(pair[0]):
        wrong = f"the correct form of item {claim['item']} is {form!r}"
        raise refused(wrong, f"{pair[0]!r}, as in the suite")
    options_shown = {normal(answer[name]) for name in ("option_1", "option_2")} - {""}
    if pair and options_shown and options_shown != {*map(normal, pair)}:
        wrong = f"item {claim['item']} shown with {answer['option_1']!r} and"
        remedy = f"the item's own forms, {pair[0]!r} and {pair[1]!r}"
        raise refused(f"{wrong} {answer['option_2']!r}", remedy)
    answer["correct_form"] = pair[0] if pair else answer["correct_form"]
    answer["prefix"] = claim["prefix"] or known.prefix
    return answer


def _shown(answer: Mapping[str, Any], known: KnownItem | None) -> list[str]:
    """Return the forms as shown; if the file has none, the item's; if that is unknown, none."""
    options = [form for form in (answer["option_1"], answer["option_2"]) if form]
    return [normal(form) for form in options or (known and known.forms) or ()]


def _judge(answer: dict[str, Any]) -> None:
    """Set whether an answer is right. Raises `InputError` where the file says otherwise."""
    chosen, form, verdict = answer["chosen"], answer["correct_form"], answer["correct"]
    if answer["chosen_index"] is not None and not chosen:
        return  # texts unknown: the file's own verdict, which was checked
    if not chosen:
        if verdict is not None:
            wrong = f"correct is {verdict}, but nothing was chosen"
            raise malformed(answer["origin"], wrong, "an empty cell, or the chosen form")
        return
    if not form:
        wrong = f"no correct form for item {answer['item']!r}"
        right = "a column correct_form for items that the suite does not have, or --items"
        raise malformed(answer["origin"], wrong, right)
    answer["correct"] = correct = int(normal(chosen) == normal(form))
    if verdict not in (None, correct):
        wrong = f"correct is {verdict}, but {chosen!r} was chosen and {form!r} is the correct form"
        raise malformed(answer["origin"], wrong, f"correct = {correct}")
