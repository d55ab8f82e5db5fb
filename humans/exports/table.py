"""Plain tables: every trial, and the items for `humans import --items`. For the researchers: both
hold what is right."""

from colorless_green.data.files import read_manifest
from colorless_green.humans.exports import Files, to_csv
from colorless_green.humans.study import Study, Trial

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
    """`trials.csv`, a row for each trial of each list in the order shown (words that are read have
    a blank between them), and `items.csv`."""
    rows = (_row(trial, study.key[trial.trial_id]) for trial in study.trials)
    return {
        TRIALS: to_csv(TRIAL_COLUMNS, rows, excel_safe=excel_safe),
        ITEMS: items(study, excel_safe=excel_safe),
    }


def items(study: Study, *, excel_safe: bool = False) -> bytes:
    """A row for each item that people choose about: what `humans import --items` takes."""
    told = read_manifest(study.folder).get("unambiguous")
    clear = [str(item) for item in told] if isinstance(told, list) else None
    rows: dict[str, dict[str, object]] = {}
    for trial in study.trials:
        right = study.key[trial.trial_id]
        if trial.item in rows or not is_choice(trial) or right not in trial.options:
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


def is_choice(trial: Trial) -> bool:
    """Whether a trial has two options (two words that are read are none)."""
    return len(trial.options) == 2 and trial.task != "reading"


def _row(trial: Trial, right: str) -> dict[str, object]:
    pair = is_choice(trial)
    own = {name: getattr(trial, name) for name in TRIAL_COLUMNS if hasattr(trial, name)}
    return {
        **own,
        "option_1": trial.options[0] if pair else " ".join(trial.options),
        "option_2": trial.options[1] if pair else "",
        "right": right,
    }
