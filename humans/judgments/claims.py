"""Claims become trials: texts are parsed, items are found, and answers are checked against them.

A *claim* is a row of a file of answers, as texts under our column names (`CELLS`), with `origin`,
the place where the row begins. It is checked before it is believed. Rows with the same values are
checked only once (`map_distinct`). No row is dropped without being counted.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import polars as pl

from ...data.errors import ErrorKind, InputError
from ...data.records import malformed
from ...data.registry import abridged
from .judgment import FACT, SESSION, SESSIONS, TRIALS, kind_at, kind_named
from .lookup import KnownItem, Lookup, normal_form, normal_sentence, option_index
from .sheet import integer, number

MAX_EXAMPLES = 5  # examples that an error message lists
VISIT_COLUMNS = tuple(name for name in SESSIONS if name not in SESSION)  # columns about sessions
CELLS = (
    *(name for name in TRIALS if name != "origin"),
    *("task", "sentence", "correct_index", "platform", "other", *VISIT_COLUMNS),
)
OTHER_ROW = "row"  # the cell of `other` in rows that are not answers
TYPES = {**SESSIONS, **TRIALS, "correct_index": int}  # column → type of its values
VERDICTS = {"": None, "0": 0, "1": 1, "false": 0, "true": 1, "f": 0, "t": 1}
ITEM_TEXTS = ("item", "prefix", "option_1", "option_2", "chosen", "correct_form")
JOINED_COLUMNS = (
    *("source", "construction", "condition", "prefix", "option_1", "option_2", "chosen"),
    *("chosen_index", "correct_form", "correct"),
)  # columns that `join_items` fills in
CLAIM_COLUMNS = (
    *ITEM_TEXTS, "condition", "source", "construction", "chosen_index", "correct_index", "correct",
    "is_rated",
)  # columns that `join_items` looks at  # fmt: skip


def claim_frame(rows: Iterable[tuple[str, Mapping[str, str]]]) -> pl.DataFrame:
    """Make a frame of claims (answers as a file states them, not yet checked) from rows: the place
    in the file, and our column name → cell. A cell that a row lacks is ""."""
    rows = list(rows)
    facts = dict.fromkeys(name for _, cells in rows for name in cells if name.startswith(FACT))
    columns = {name: [cells.get(name, "") for _, cells in rows] for name in (*CELLS, *facts)}
    columns["origin"] = [location for location, _ in rows]
    return pl.DataFrame(columns, dict.fromkeys(columns, pl.String))


def facts_among(fields: Mapping[str, str], keep: Iterable[str]) -> dict[str, str]:
    """Return the cells `fact:NAME` → text for the facts about a person (such as age) that the user
    asked to keep; empty ones are left out."""
    return {FACT + name: value for name in keep if (value := fields.get(name, ""))}


def sessions_of(claims: pl.DataFrame) -> pl.DataFrame:
    """Collect what claims say of people's sessions: a row per session, with the columns of
    `SESSIONS` and of facts.

    Of several values in the rows of a session, the first time, all different facts and the sum of
    `n_blurs` are taken. Raises `InputError` for two different statuses of a session, or an invalid
    value.
    """
    facts = [name for name in claims.columns if name.startswith(FACT)]
    visits = claims.filter(pl.any_horizontal(pl.col(*VISIT_COLUMNS, *facts) != ""))
    frame = parse_columns(
        visits, {"test_run": _parse_flag, "n_blurs": integer, "duration_s": _parse_duration}
    )

    def stated(name: str) -> pl.Expr:
        """Return the texts of a column that are not empty."""
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


def map_distinct(
    frame: pl.DataFrame,
    columns: Sequence[str],
    function: Callable[[dict[str, Any]], Mapping[str, Any]],
) -> pl.DataFrame:
    """Compute new columns of a table by a function, which is called once for each distinct row.

    The function gets the values in `columns` and the `origin` of the first such row; it returns
    column → value for columns of `TYPES`. Return the frame with these columns added or replaced.
    """
    cases = (
        frame.with_row_index("row")
        .group_by(columns, maintain_order=True)
        .agg("row", pl.col("origin").first())
    )
    results = [function(case) for case in cases.drop("row").iter_rows(named=True)]
    names = results[0] if results else {}
    new = pl.DataFrame(results, {name: TYPES[name] for name in names}, orient="row")
    # give each row of the frame, by its number, the result of its case
    rows = new.with_columns(cases["row"]).explode("row").sort("row") if results else new
    return frame.with_columns(rows[name] for name in names)


Parse: TypeAlias = Callable[[str, str, str], Any]
"""A function from (cell, name of its column, location) to a value; it raises `InputError`."""


def parse_columns(frame: pl.DataFrame, columns: Mapping[str, Parse]) -> pl.DataFrame:
    """Replace the texts in some columns by values; `columns` is column → its parser."""

    def value(case: dict[str, Any], name: str, parse: Parse) -> dict[str, Any]:
        """Return column → parsed value of one cell."""
        return {name: parse(case[name], name, case["origin"])}

    for name, parse in columns.items():
        if frame.is_empty():
            frame = frame.with_columns(
                pl.lit(None, pl.DataType.from_python(TYPES[name])).alias(name)
            )
        frame = map_distinct(frame, [name], partial(value, name=name, parse=parse))
    return frame


def parse_cells(claims: pl.DataFrame) -> pl.DataFrame:
    """Turn claims into trials with values: numbers, verdicts (0 or 1) and kinds of trials.

    Return a frame with the columns of `TRIALS`, and `correct_index`. Raises `InputError` for a
    value that a column cannot have.
    """
    has_no_options = (pl.col("option_1") == "") & (pl.col("option_2") == "")
    # the only text shown stands in `option_1`
    shown = pl.when(has_no_options).then("sentence").otherwise("option_1")
    frame = parse_columns(claims.with_columns(option_1=shown), PARSERS)
    return map_distinct(frame, ["kind", "task"], _trial_kind).select(*TRIALS, "correct_index")


def _trial_kind(case: dict[str, Any]) -> dict[str, Any]:
    """Return the kind of a trial, from its own word for the kind, else from its task; "" if
    neither tells."""
    kind, task = case["kind"], case["task"]
    return {"kind": kind_at(kind, case["origin"]) if kind else kind_named(task)}


def _parse_verdict(text: str, name: str, location: str) -> int | None:
    """Parse a cell that says if an answer is right, such as 1, true or T: 1 or 0; None if empty."""
    if text.lower() not in VERDICTS:
        right = "0 or 1, true or false, or an empty cell"
        raise malformed(location, f"{name} is {text!r}", right)
    return VERDICTS[text.lower()]


def _parse_flag(text: str, name: str, location: str) -> bool | None:
    """Parse 0 or 1 to False or True; None for an empty cell."""
    if text not in ("", "0", "1"):
        raise malformed(location, f"{name} is {text!r}", "0 or 1")
    return text == "1" if text else None


def _parse_position(text: str, name: str, location: str) -> int | None:
    """Parse a whole number from 1; None for an empty cell."""
    position = integer(text, name, location)
    if position is not None and position < 1:
        right = "the number of the trial, from 1"
        raise malformed(location, f"{name} is {position}", right)
    return position


_parse_duration = partial(number, lowest=0)

PARSERS: Mapping[str, Parse] = {  # column of a trial → its parser
    **dict.fromkeys(("chosen_index", "correct_index", "correct"), _parse_verdict),
    "position": _parse_position,
    "rating": number,
    "rt_ms": _parse_duration,
}


def find_items(frame: pl.DataFrame, lookup: Lookup, own_ids: bool) -> pl.DataFrame:
    """Set the column `item` of trials to the ids of the items that they are about.

    With `own_ids`, the ids in the file are kept. Raises `InputError` if several items have the
    texts of a trial.
    """

    def item(case: dict[str, Any]) -> dict[str, Any]:
        """Return the id of the item that a trial is about, as the column `item`."""
        return {"item": case["item"] if case["item"] and own_ids else lookup.item_of(case)}

    return map_distinct(frame, ITEM_TEXTS, item)


def is_known(cells: Mapping[str, str], location: str, lookup: Lookup) -> bool:
    """Tell whether a row is about a known item. Raises `InputError` if several items fit."""
    return lookup.item_of({**cells, "origin": location}) in lookup.by_id


def without_repeats(frame: pl.DataFrame) -> pl.DataFrame:
    """Drop rows that repeat a trial, and give trials without a `trial_id` one.

    A new id is made of session, participant, item and position, and of the sentence if a person
    rated several sentences of an item. Raises `InputError` if two rows have the same id but
    different content.
    """
    keys = ("session", "participant", "item", pl.col("position").cast(str).fill_null(""))
    new_id = pl.concat_str(*keys, separator="/")
    is_rating = pl.col("rating").is_not_null() & (pl.col("option_2") == "")
    has_several = is_rating & (pl.col("option_1").n_unique().over(*keys) > 1)
    with_sentence = new_id + pl.lit("/") + pl.col("option_1")
    new_id = pl.when(has_several).then(with_sentence).otherwise(new_id)
    has_none = pl.col("trial_id") == ""
    frame = frame.with_columns(trial_id=pl.when(has_none).then(new_id).otherwise("trial_id"))
    content = [name for name in frame.columns if name != "origin"]
    trials = frame.unique(content, keep="first", maintain_order=True)
    contradicting = trials.filter(~pl.col("trial_id").is_first_distinct())
    if contradicting.is_empty():
        return trials
    trial_id, item, origin = contradicting.select("trial_id", "item", "origin").row(0)
    earlier = trials.filter(trial_id=trial_id)["origin"][0]
    wrong = f"the trial {trial_id!r} of {earlier} again, with other content"
    if trial_id.endswith(f"/{item}/"):  # an id made here, of a trial without a position
        wrong = f"the person of {earlier} answers item {item!r} again, otherwise"
    right = "a session, trial_id or position that tells the two answers apart"
    raise InputError(origin, wrong, right, kind="conflict")


def add_positions(frame: pl.DataFrame) -> pl.DataFrame:
    """Give trials positions from 1 in the order of the rows, in sessions that have none."""
    has_some = pl.col("position").is_not_null().any().over(SESSION)
    count = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(SESSION)
    return frame.with_columns(position=pl.when(has_some).then("position").otherwise(count))


def demand_known(mentions: Iterable[tuple[str, str]], items: Collection[str]) -> None:
    """Raise `InputError` if an item is not among the known `items`.

    `mentions` are pairs of an item id and the place in the file that mentions it.
    """
    unknown: dict[str, str] = {}
    for item, location in mentions:
        if item not in items:
            unknown.setdefault(item, location)
    if unknown:
        listing = abridged(map(repr, unknown), MAX_EXAMPLES)
        wrong = f"{listing}: no such item among the {len(items)} known"
        right = (
            "--items FILE with what was shown, --suite with the suite that has them, or another"
            " `kind` for fillers and checks"
        )
        raise InputError(next(iter(unknown.values())), wrong, right, kind="unknown")


def join_items(frame: pl.DataFrame, lookup: Lookup, missing: Collection[str]) -> pl.DataFrame:
    """Add to trials what is known of their items (source, forms, …), and recompute `correct`.

    In `frame`, `correct` is the file's own verdict. A chosen text in `missing` means no answer,
    unless it is one of the options. Whole sentences that people chose between are replaced by the
    item's forms.

    Raises `InputError` if the options are not the item's forms, if the chosen text is neither
    option, or if the file's verdict is not the recomputed one.
    """
    mismatched: list[tuple[dict[str, Any], list[str]]] = []

    def resolve(claim: dict[str, Any]) -> dict[str, Any]:
        """Return `JOINED_COLUMNS` for a trial; note in `mismatched` a choice of neither option."""
        known = lookup.by_id.get(claim["item"])
        answer = claim if known and _is_rating(claim, known) else _with_forms(claim, known, missing)
        if known is not None:
            answer["source"] = known.item.cluster_id
            answer["construction"] = known.item.construction
            answer["condition"] = claim["condition"] or known.item.kind
            if answer is claim:  # a rating
                answer["correct_form"] = ""
        shown = _forms_shown(answer, known)
        if answer["chosen"] and shown and normal_form(answer["chosen"]) not in shown:
            mismatched.append((answer, shown))
        else:
            _set_correct(answer)
        return {name: answer[name] for name in JOINED_COLUMNS}

    frame = frame.with_columns(is_rated=pl.col("rating").is_not_null())
    trials = map_distinct(frame, CLAIM_COLUMNS, resolve)
    if mismatched:
        first, shown = mismatched[0]
        listing = (repr(answer["chosen"]) for answer, _ in mismatched)
        wrong = f"{abridged(listing, MAX_EXAMPLES)}: chosen, but neither option"
        right = f"for item {first['item']} {' or '.join(map(repr, shown))}"
        raise malformed(first["origin"], wrong, right)
    return trials.select(*TRIALS).cast(pl.Schema(TRIALS))


def _is_rating(claim: Mapping[str, Any], known: KnownItem) -> bool:
    """Tell whether a trial showed one sentence to rate, and no choice.

    It has a rating and no choice; or its answer is missing, and the only text shown is a sentence
    of the item.
    """
    if claim["chosen"] or claim["option_2"] or claim["chosen_index"] is not None:
        return False
    return claim["is_rated"] or (
        bool(claim["option_1"]) and normal_sentence(claim["option_1"]) in known.wordings
    )


def _with_forms(
    claim: Mapping[str, Any], known: KnownItem | None, missing: Collection[str]
) -> dict[str, Any]:
    """Fill in the options, the chosen form, its place and the right form of a choice, and compare
    them with those of the item. Raises `InputError` if they do not fit it, and as `_with_choice`
    does."""
    pair = known.forms if known else None
    answer = _with_choice(claim, pair)
    if answer["chosen"] in missing:
        is_option = normal_form(answer["chosen"]) in _forms_shown(answer, known)
        answer["chosen"] = answer["chosen"] if is_option else ""
    if known is None:
        return answer
    for name in ("option_1", "option_2", "chosen", "correct_form"):
        answer[name] = known.as_form(answer[name])
    answer["prefix"] = claim["prefix"] or known.prefix
    if pair is None:
        return answer
    right_form, wrong_form = pair
    stated, options = answer["correct_form"], (answer["option_1"], answer["option_2"])
    if stated and normal_form(stated) != normal_form(right_form):
        wrong = f"the correct form of item {claim['item']} is {stated!r}"
        raise malformed(claim["origin"], wrong, f"{right_form!r}, as in the suite")
    options_shown = {normal_form(option) for option in options} - {""}
    if options_shown and options_shown != {*map(normal_form, pair)}:
        wrong = f"item {claim['item']} shown with {options[0]!r} and {options[1]!r}"
        remedy = f"the item's own forms, {right_form!r} and {wrong_form!r}"
        raise malformed(claim["origin"], wrong, remedy)
    return {**answer, "correct_form": right_form}


def _with_choice(claim: Mapping[str, Any], pair: tuple[str, str] | None) -> dict[str, Any]:
    """Fill in what a file says about a choice: the options, the chosen text and its place, the
    right form, and the verdict.

    Options stay in the order in which the file has them. If it has none, they are the item's forms
    (`pair`: right, wrong), in the order that `correct_index` gives. The file says what was chosen
    as a text or as a place (0 or 1). Raises `InputError` if what it says is contradictory.
    """

    def refused(wrong: str, right: str, kind: ErrorKind = "format") -> InputError:
        """Make an error about this row."""
        return InputError(claim["origin"], wrong, right, kind=kind)

    answer = {**claim}
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
        if all(options):  # else a filler without texts: only places tell if it is right
            if claim["chosen"] and normal_form(claim["chosen"]) != normal_form(options[index]):
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
    return answer


def _forms_shown(answer: Mapping[str, Any], known: KnownItem | None) -> list[str]:
    """Return the forms that a person chose between, normalised: the options in the file, else the
    item's forms, else an empty list."""
    forms = [form for form in (answer["option_1"], answer["option_2"]) if form]
    if not forms and known is not None:
        forms = [*(known.forms or ())]
    return [normal_form(form) for form in forms]


def _set_correct(answer: dict[str, Any]) -> None:
    """Set `correct` of an answer to 1 if the chosen form is the right form, else to 0.

    A missing answer stays None. If texts are unknown, the file's own verdict stays. Raises
    `InputError` if the file's verdict is not the computed one.
    """
    chosen, form, verdict = answer["chosen"], answer["correct_form"], answer["correct"]
    if answer["chosen_index"] is not None and not chosen:  # texts are unknown
        return
    if not chosen:
        if verdict is not None:
            wrong = f"correct is {verdict}, but nothing was chosen"
            raise malformed(answer["origin"], wrong, "an empty cell, or the chosen form")
        return
    if not form:
        wrong = f"no correct form for item {answer['item']!r}"
        right = "a column correct_form for items that the suite does not have, or --items"
        raise malformed(answer["origin"], wrong, right)
    answer["correct"] = correct = int(normal_form(chosen) == normal_form(form))
    if verdict not in (None, correct):
        wrong = f"correct is {verdict}, but {chosen!r} was chosen and {form!r} is the correct form"
        raise malformed(answer["origin"], wrong, f"correct = {correct}")
