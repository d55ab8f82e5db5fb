"""What an evaluated SyntaxGym suite has beside the texts: each region's values and unknown words.

syntaxgym-core writes them into the suite (`metric_value`, metric → number, and `oovs`, the words of
the region that its model did not know). They are kept as one fact of the item, so that the suite
is written again as it was; `table:` of scoring reads them as a table of surprisals.
"""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats.records import get, texts

EVALUATION = "evaluation"
VALUES, UNKNOWN = "metric_value", "oovs"


def evaluation(region: Mapping[str, Any], place: str) -> dict[str, Any]:
    """The values of a region, by metric (null where it has none), and its unknown words; only
    those keys that are there. Raises `InputError` for anything else under them."""
    found: dict[str, Any] = {}
    if VALUES in region:
        values = get(region, VALUES, dict, place)
        for name, value in values.items():
            if value is not None and not _is_number(value):
                raise InputError(
                    place, f"its {name!r:.40} is {value!r:.40}", "a number or null", kind="format"
                )
        found[VALUES] = values
    if UNKNOWN in region:
        found[UNKNOWN] = texts(region, UNKNOWN, place)
    return found


def _is_number(value: object) -> bool:
    is_plain = isinstance(value, int | float) and not isinstance(value, bool)
    return is_plain and math.isfinite(value)  # type: ignore[arg-type]  # seen by `is_plain`


def to_fact(conditions: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, str]:
    """An item's fact from what each region of each condition has; none where no region has any."""
    if not any(any(regions) for regions in conditions.values()):
        return {}
    return {EVALUATION: json.dumps(conditions, ensure_ascii=False)}


def from_fact(facts: Mapping[str, str]) -> dict[str, list[dict[str, Any]]]:
    """What `to_fact` was given; nothing where the fact is missing or of another make."""
    try:
        found = json.loads(facts.get(EVALUATION, "{}"))
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict) or not all(isinstance(each, list) for each in found.values()):
        return {}
    return found


def of_condition(
    found: Mapping[str, Sequence[Mapping[str, Any]]], label: str, n_regions: int
) -> list[dict[str, Any]]:
    """What to write beside each region of a condition."""
    regions = found.get(label, ())
    if len(regions) != n_regions or not all(isinstance(each, Mapping) for each in regions):
        return [{} for _ in range(n_regions)]
    return [{key: each[key] for key in (VALUES, UNKNOWN) if key in each} for each in regions]
