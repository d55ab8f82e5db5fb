"""A study as plain tables, which are for the researchers: they hold what is right."""

from ...data.files import read_manifest
from ..study.study import Study, Trial
from .platform import Files, to_csv

ITEMS, TRIALS = "items.csv", "trials.csv"
TRIAL_COLUMNS = (
    *("trial_id", "list", "block", "position", "kind", "task", "item", "source", "construction"),
    *("condition", "prefix", "option_1", "option_2", "right", "language"),
)
ITEM_COLUMNS = (
    *("item", "kind", "source", "construction", "condition", "prefix"),
    *("correct_form", "wrong_form", "unambiguous"),
)


def files(study: Study, *, experiment: str = "", excel_safe: bool = False) -> Files:
    """Return `trials.csv`, the trials of each list in the order shown, and `items.csv`."""
    rows = (_row(trial, study.key[trial.trial_id]) for trial in study.trials)
    return {
        TRIALS: to_csv(TRIAL_COLUMNS, rows, excel_safe=excel_safe),
        ITEMS: items_csv(study, excel_safe=excel_safe),
    }


def items_csv(study: Study, *, excel_safe: bool = False) -> bytes:
    """Return a row for each item that people choose about: what `humans import --items` takes."""
    unambiguous = read_manifest(study.folder).get("unambiguous")
    clear = [str(item) for item in unambiguous] if isinstance(unambiguous, list) else None
    rows: dict[str, dict[str, object]] = {}
    for trial in study.trials:
        right = study.key[trial.trial_id]
        if trial.item in rows or len(trial.options) != 2 or right not in trial.options:
            continue
        rows[trial.item] = {
            **{name: getattr(trial, name) for name in ITEM_COLUMNS if hasattr(trial, name)},
            "correct_form": right,
            "wrong_form": next(option for option in trial.options if option != right),
        }
        if clear is not None:
            rows[trial.item]["unambiguous"] = int(trial.item in clear)
    columns = ITEM_COLUMNS if clear is not None else ITEM_COLUMNS[:-1]
    return to_csv(columns, rows.values(), excel_safe=excel_safe)


def _row(trial: Trial, right: str) -> dict[str, object]:
    fields = {name: getattr(trial, name) for name in TRIAL_COLUMNS if hasattr(trial, name)}
    return {
        **fields,
        "option_1": trial.options[0],
        "option_2": trial.options[1] if len(trial.options) == 2 else "",
        "right": right,
    }
