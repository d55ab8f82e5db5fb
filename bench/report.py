"""How long a report takes over many answers: CPU seconds, and the share of each of its parts.

`python -m bench.report [PEOPLE] [SOURCES] [VERSIONS]`: so many made-up people (500) answer every
version (5: an original and its nonce variants) of so many sentences of the embedded sample (40),
beside three made-up models; with the defaults 100,000 answers.
"""

import cProfile
import math
import pstats
import sys
import tempfile
import time
from itertools import groupby
from pathlib import Path
from random import Random

import colorless_green as cg
from colorless_green.data.items.item import Item
from colorless_green.data.sample import treebank
from colorless_green.data.store import Store
from colorless_green.data.stored_suites import suite_named
from colorless_green.humans import trials_of, write_judgments
from colorless_green.humans.statistics.runs import save_published_run
from colorless_green.scoring.questions.outcome import Outcome, outcomes_frame

MODELS = {"weak": 0.5, "fair": 1.5, "good": 4.0}  # mean margin in bits


def made_up(folder: Path, n_people: int, n_sources: int, n_versions: int) -> Path:
    """A store with the suite, the models' outcomes and the answers."""
    rng = Random(0)
    source, store = folder / "sample.conllu", folder / "colorless.db"
    source.write_text(treebank("en").read_text(encoding="utf-8"), encoding="utf-8")
    mining = cg.mine(source, language="en", store=store)
    suite = cg.make_nonce(mining, n=n_versions - 1, store=store)
    in_order = sorted(suite.items, key=lambda item: item.cluster_id)
    by_source = groupby(in_order, key=lambda item: item.cluster_id)
    sets = [own[:n_versions] for _, group in by_source if len(own := list(group)) >= n_versions]
    rng.shuffle(sets)
    assert len(sets) >= n_sources
    items = [item for own in sets[:n_sources] for item in own]
    hard = {item.cluster_id: rng.gauss(0, 0.73) for item in items}
    good = [rng.gauss(0, 0.8) for _ in range(n_people)]
    answers = folder / "answers-judgments.jsonl"
    write_judgments(
        answers,
        trials_of(
            judgment(item, f"p{person}", rng.random() < chance(good[person] - hard[item.cluster_id]
                                                                - 0.5 * (item.kind == "nonce")))
            for person in range(n_people)
            for item in items
        ),
    )  # fmt: skip
    cg.read_judgments(answers, suite=suite.name, store=store)
    with Store(store) as kept:
        suite_id = suite_named(kept, suite.name)
        for model, mean in MODELS.items():
            margins = {item.item_id: rng.gauss(mean, 2.0) for item in items}
            outcomes = [
                Outcome(name, "agreement", float(margin > 0), margin, False, False, "")
                for name, margin in margins.items()
            ]
            with kept.transaction():
                save_published_run(
                    kept, model=model, signature=f"published:{model}", suite_id=suite_id,
                    outcomes=outcomes_frame(outcomes), now="2026-01-01",
                )  # fmt: skip
    return store


def chance(log_odds: float) -> float:
    """Return the probability of a right answer."""
    return 1 / (1 + math.exp(-2.0 - log_odds))


def judgment(item: Item, person: str, right: bool) -> dict[str, str | float | None]:
    """Return the trial of one person's choice."""
    assert item.agreement is not None
    forms = item.agreement.right, item.agreement.wrong
    return {
        "participant": person,
        "trial_id": f"{person}/{item.item_id}",
        "item": item.item_id,
        "source": item.cluster_id,
        "construction": item.agreement.construction,
        "condition": item.kind,
        "option_1": forms[0],
        "option_2": forms[1],
        "chosen": forms[1 - right],
        "correct_form": forms[0],
        "correct": int(right),
    }


def main() -> None:
    """Prints the CPU seconds of the whole and of the functions that take most."""
    numbers = [int(each) for each in sys.argv[1:]]
    n_people, n_sources, n_versions = (*numbers, *(500, 40, 5)[len(numbers) :])
    with tempfile.TemporaryDirectory() as folder:
        store = made_up(Path(folder), n_people, n_sources, n_versions)
        profile = cProfile.Profile(time.process_time)
        for measure in (False, True):
            start = time.process_time()
            if measure:
                profile.enable()
            cg.report(out=Path(folder) / "report.html", store=store)
            if not measure:
                print(f"{n_people * n_sources * n_versions:,} answers: "
                      f"{time.process_time() - start:.1f} CPU s")  # fmt: skip
        profile.disable()
    pstats.Stats(profile).sort_stats("cumulative").print_stats("humans|intervals", 40)


if __name__ == "__main__":
    main()
