"""Names that experiments give to what they add to their data, and how ours are found among them."""

from collections.abc import Collection, Mapping

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.humans.imported import ImportOptions

PROLIFIC_IDS = ("PROLIFIC_PID", "prolific_id", "prolific_pid")
MTURK_IDS = ("workerId", "worker_id", "WorkerId")
NAMES: Mapping[str, tuple[str, ...]] = {
    "participant": (
        *("participant", "participant_id", "subject", "subject_id"), *PROLIFIC_IDS, *MTURK_IDS,
        "worker",
    ),
    "session": ("session", "session_id", "SESSION_ID"),
    "trial_id": ("trial_id",),
    "item": ("item", "item_id", "stim_id"),
    "kind": ("kind", "task"),
    "condition": ("condition",),
    "list": ("list",),
    "prefix": ("prefix",),
    "sentence": ("sentence",),
    "option_1": ("option_1", "opt1", "option1"),
    "option_2": ("option_2", "opt2", "option2"),
    "correct_form": ("correct_form",),
    "correct": ("correct",),
    "key_1": ("key_1",),
    "key_2": ("key_2",),
    "at": ("at",),
}  # fmt: skip
Names = Mapping[str, tuple[str, ...]]


def names_of(options: ImportOptions) -> Names:
    """Our names, each with the names that may stand for it: the one that the command line or the
    map file states, else the usual ones. Raises `InputError` for a name that is not ours."""
    stated = {
        **{name: source.column for name, source in options.table.columns.items()},
        **options.columns,
    }
    for name in stated:
        if name not in NAMES:
            raise InputError(
                "--map", f"no such field {name!r}", nearest(name, NAMES), kind="unknown"
            )
    return {name: (stated[name],) if name in stated else usual for name, usual in NAMES.items()}


def platform_of(names: Names, there: Collection[str]) -> str:
    """Whose ids people have, told by the name of the field that holds them; "" if it does not
    tell."""
    used = next((name for name in names["participant"] if name in there), "")
    return "prolific" if used in PROLIFIC_IDS else "mturk" if used in MTURK_IDS else ""


def keep_into(facts: dict[str, str], fields: Mapping[str, str], wanted: Collection[str]) -> None:
    """Adds the fields that were asked for; several values of one stand with ` | ` between them."""
    for name in wanted:
        value = fields.get(name, "")
        if value and value not in facts.get(name, "").split(" | "):
            facts[name] = f"{facts[name]} | {value}" if facts.get(name) else value
