"""What the store remembers of a run's sentences: surprisals by region, asked of no model again.

A run asks for the regions that its predictions name and those between them. Whole sentences are
there where somebody asked for them: by `--method sentence`, by a prediction with `*`, or by
`--surprisals`. What unit a model reads is not stored, so each is tried.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product

from colorless_green.data.store import Store
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.evaluate import Floats, Surprisal, surprisal_of
from colorless_green.scoring.plan import Plan, plan_sentences, plan_suite
from colorless_green.scoring.rows import stored_answers
from colorless_green.scoring.run import asking_of
from colorless_green.scoring.setting import Setting, prepared

UNITS = ("text", "words")


@dataclass(frozen=True, slots=True, eq=False)
class Recalled:
    """What a run asked, with the surprisals that are stored."""

    plan: Plan  # its items are as they were asked: with the periods of the setting
    surprisal: Surprisal
    sentences: Floats  # (asked,): bits of all that was asked of a sentence, whatever the metric
    whole: bool  # every sentence from its first word to its last


def recalled(store: Store, run_id: int, suite: Suite) -> Recalled | None:
    """Whole sentences if the store has them all, else the regions that the run asked for; None if
    it has not even those (a run whose numbers came with a file)."""
    row = store.one("SELECT model_id, method, options FROM run WHERE run_id = ?", (run_id,))
    assert row is not None
    model_id = int(row["model_id"])
    setting = _setting(row["method"], json.loads(row["options"]))
    suite = prepared(suite, setting)
    if not suite.items:
        return None
    for whole in (True, False):
        for unit, looks_ahead in product(UNITS, (False, True)):
            first = replace(suite, items=suite.table[:1])
            plan = _plan(first, unit, looks_ahead, setting, whole)
            known = _stored(store, model_id, plan, suite.metric) is not None
            if known or not plan.n_questions:  # an item that nothing is asked of tells nothing
                plan = _plan(suite, unit, looks_ahead, setting, whole)
                found = _stored(store, model_id, plan, suite.metric)
                if found is not None:
                    sums = _stored(store, model_id, plan, "sum")
                    assert sums is not None
                    return Recalled(plan, found, sums.whole, whole)
    return None


def _stored(store: Store, model_id: int, plan: Plan, metric: str) -> Surprisal | None:
    """The surprisals of a plan, if every question has an answer."""
    found = surprisal_of(plan, stored_answers(store, model_id, plan), metric)
    return found if plan.n_questions and found.known.all() else None


def _setting(method: str, own: Mapping[str, str]) -> Setting:
    """The setting of a run, as far as its questions hang on it."""
    return Setting(
        method=method.partition(" ")[0],
        metric=own.get("metric", ""),
        eos=own.get("eos", "none"),
        period=own.get("period", "keep"),
        premise=own.get("premise", ""),
        construction=tuple(own.get("construction", "").split("\n"))
        if "construction" in own
        else (),
        limit=_whole(own, "limit"),
        sample=_whole(own, "sample"),
        seed=_whole(own, "seed") or 0,
    )


def _whole(options: Mapping[str, str], name: str) -> int | None:
    return int(options[name]) if name in options else None


def _plan(suite: Suite, unit: str, looks_ahead: bool, setting: Setting, whole: bool) -> Plan:
    if whole:
        return plan_sentences(suite.items, unit, looks_ahead=looks_ahead, eos=setting.eos)
    asked = asking_of(suite, setting).suite
    return plan_suite(asked, unit, looks_ahead=looks_ahead, eos=setting.eos)
