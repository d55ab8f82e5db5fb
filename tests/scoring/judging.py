"""Outcomes alone, for tests that look at nothing else."""

from collections.abc import Iterator

from colorless_green.nonce import Suite
from colorless_green.scoring import Answers, Judge, Outcome, Plan, judged


def outcomes(suite: Suite, plan: Plan, given: Answers, judge: Judge) -> Iterator[Outcome]:
    return (each.outcome for each in judged(suite, plan, given, judge))
