"""Plain tables: every trial, and the items for `humans import --items`. For the researchers: both
hold what is right."""

from colorless_green.data.files import read_manifest
from colorless_green.humans.exports import ExportOptions, Files, to_csv
from colorless_green.humans.formats.colorless import guarded
from colorless_green.humans.study import Study, Trial

TRIAL_COLUMNS = (
    *("trial_id", "list", "block", "position", "kind", "task", "item", "source", "construction"),
    *("condition", "prefix", "option_1", "option_2", "right", "language"),
)
ITEM_COLUMNS = (
    *("item", "kind", "source", "construction", "condition", "prefix"),
    *("correct_form", "wrong_form", "unambiguous"),
)


def files(study: Study, options: ExportOptions) -> Files:
    """`trials.csv`, a row for each trial of each list in the order shown (words that are read have
    a blank between them), and `items.csv`, a row for each item that people choose about."""
    told = read_manifest(study.folder).get("unambiguous")
    clear = [str(item) for item in told] if isinstance(told, list) else None
    items: dict[str, dict[str, object]] = {}
    for trial in study.trials:
        right = study.key[trial.trial_id]
        if len(trial.options) == 2 and right in trial.options:
            items.setdefault(trial.item, _item(trial, right, clear))
    rows = [_row(trial, study.key[trial.trial_id]) for trial in study.trials]
    safe = guarded if options.excel_safe else lambda value: value
    return {
        "trials.csv": to_csv(TRIAL_COLUMNS, ({k: safe(v) for k, v in r.items()} for r in rows)),
        "items.csv": to_csv(
            ITEM_COLUMNS if clear is not None else ITEM_COLUMNS[:-1],
            ({k: safe(v) for k, v in row.items()} for row in items.values()),
        ),
    }


def _row(trial: Trial, right: str) -> dict[str, object]:
    pair = len(trial.options) == 2 and trial.task != "reading"
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
