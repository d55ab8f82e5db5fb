"""Plain tables: every trial, and the items for `humans import --items`. For the researchers: both
hold what is right."""

from collections.abc import Iterable, Mapping, Sequence

from colorless_green.data.files import read_manifest
from colorless_green.data.tables import guarded
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
        TRIALS: _table(TRIAL_COLUMNS, rows, excel_safe),
        ITEMS: items(study, excel_safe=excel_safe),
    }


def items(study: Study, *, excel_safe: bool = False) -> bytes:
    """A row for each item that people choose about: what `humans import --items` takes."""
    told = read_manifest(study.folder).get("unambiguous")
    clear = [str(item) for item in told] if isinstance(told, list) else None
    rows: dict[str, dict[str, object]] = {}
    for trial in study.trials:
        right = study.key[trial.trial_id]
        if is_choice(trial) and right in trial.options:
            rows.setdefault(trial.item, _item(trial, right, clear))
    columns = ITEM_COLUMNS if clear is not None else ITEM_COLUMNS[:-1]
    return _table(columns, rows.values(), excel_safe)


def is_choice(trial: Trial) -> bool:
    """Whether a trial has two options (two words that are read are none)."""
    return len(trial.options) == 2 and trial.task != "reading"


def _table(columns: Sequence[str], rows: Iterable[Mapping[str, object]], excel_safe: bool) -> bytes:
    if not excel_safe:
        return to_csv(columns, rows)
    return to_csv(columns, ({name: guarded(cell) for name, cell in row.items()} for row in rows))


def _row(trial: Trial, right: str) -> dict[str, object]:
    pair = is_choice(trial)
    own = {name: getattr(trial, name) for name in TRIAL_COLUMNS if hasattr(trial, name)}
    return {
        **own,
        "option_1": trial.options[0] if pair else " ".join(trial.options),
        "option_2": trial.options[1] if pair else "",
        "right": right,
    }


def _item(trial: Trial, right: str, clear: list[str] | None) -> dict[str, object]:
    wrong = next(option for option in trial.options if option != right)
    row: dict[str, object] = {
        "item": trial.item,
        "kind": trial.kind,
        "source": trial.source,
        "construction": trial.construction,
        "condition": trial.condition,
        "prefix": trial.prefix,
        "correct_form": right,
        "wrong_form": wrong,
    }
    if clear is not None:
        row["unambiguous"] = int(trial.item in clear)
    return row
