"""Make runs from results of other programs, and from outcomes that `score` wrote.

The results in a file are joined to the items of suites by their texts, our own outcomes by item_id.
Nothing is computed again: the numbers are the other program's.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from ...data.errors import InputError
from ...data.files import sha256_file, user_path
from ...data.formats.pair_formats import SentencePair, pair_of
from ...data.formula.expression import TIE_BITS
from ...data.items.item import is_pair
from ...data.items.suite import Suite
from ...data.store import Store, now
from .asking import method_suite_of
from .computed_file import (
    BITS_PER,
    MAX_SHOWN_LETTERS,
    SENTENCE,
    TARGET,
    ComputedResults,
    Text,
    normalized,
    read_computed,
)
from .evaluate import Outcome, outcomes_frame
from .method import Method
from .run import COMPUTED_PREFIX, Run, keep_model, save_run, stored_run

PREFIX = "prefix"  # name of the prediction about the first words in which two sentences differ


@dataclass(frozen=True, slots=True)
class Joined:
    """The outcomes of a suite's items that follow from a file, by one method.

    Attributes:
        outcomes: the outcomes of the items that are in the file.
        found: the texts of the file that items have; for our own outcomes their item_ids.
    """

    outcomes: list[Outcome] = field(default_factory=list)
    found: set[Text | str] = field(default_factory=set)


def join(found: ComputedResults, suite: Suite, predictions: Mapping[str, str]) -> dict[str, Joined]:
    """Join the results in a file to the items of a suite, by their texts or ids.

    Args:
        found: the results.
        suite: the suite; only pairs can be found by their texts.
        predictions: method → the prediction that its outcomes are under.

    Returns:
        Method (`sentence` or `target`, of our own outcomes theirs) → the outcomes of the items that
        are in the file.

    Raises:
        InputError: for a sentence that the file calls right and the suite wrong.
    """
    joined: dict[str, Joined] = {}
    for item in suite.items:
        if item.item_id in found.credits:
            credit, margin = found.credits[item.item_id]
            by_id = joined.setdefault(found.method, Joined())
            by_id.found.add(item.item_id)
            prediction = predictions[found.method]
            by_id.outcomes.append(_outcome(item.item_id, prediction, credit, margin))
            continue
        for method, (right, wrong) in _texts_of(pair_of(item), found) if is_pair(item) else ():
            if wrong in found.right and right not in found.right:
                fault = (
                    f"the file has {wrong.form[:MAX_SHOWN_LETTERS]!r} as right, the suite as wrong"
                )
                raise InputError(item.item_id, fault, "results of this suite", kind="conflict")
            by_text = joined.setdefault(method, Joined())
            by_text.found.update((right, wrong))
            credit, margin = float(right in found.preferred), None
            if {right, wrong} <= found.bits.keys():
                margin = found.bits[wrong] - found.bits[right]
                credit = 0.5 if abs(margin) <= TIE_BITS else float(margin > 0)
            by_text.outcomes.append(_outcome(item.item_id, predictions[method], credit, margin))
    return joined


def _outcome(
    item_id: str, prediction: str, credit: float | None, margin_bits: float | None
) -> Outcome:
    """Make the outcome of one item from its credit and margin. It is a tie if the margin is 0 up to
    rounding."""
    is_tie = margin_bits is not None and abs(margin_bits) <= TIE_BITS
    return Outcome(item_id, prediction, credit, margin_bits, is_tie, oov=False)


def _texts_of(
    pair: SentencePair, found: ComputedResults
) -> Iterator[tuple[str, tuple[Text, Text]]]:
    """Yield the methods (`sentence`, `target`) for which a file has results on a pair, each with
    the right and the wrong text whose results count: sentences, or targets after contexts."""
    right, wrong = (Text("", normalized(text)) for text in (pair.right, pair.wrong))
    is_one_preferred = (right in found.preferred) != (wrong in found.preferred)
    if {right, wrong} <= found.bits.keys() or is_one_preferred:
        yield SENTENCE, (right, wrong)
    if pair.parts is not None:
        right, wrong = (Text(normalized(part.prefix), normalized(part.word)) for part in pair.parts)
        if right.context and {right, wrong} <= found.bits.keys():
            yield TARGET, (right, wrong)


def computed_runs(
    store: Store, suites: Sequence[tuple[Suite, int]], files: Sequence[str], name: str = ""
) -> tuple[list[Run], list[str]]:
    """Return the results in files as runs, which are kept in the store; and remarks, such as how
    many texts and items were not found.

    Args:
        store: where runs are kept.
        suites: the suites, with their numbers in the store.
        files: paths; a table that does not say its unit is followed by `?base=e`, `2` or `10`.
        name: the name of the model; "" for the name in the file.

    Raises:
        InputError: for a file that cannot be read or that has nothing about any of the suites.
    """
    runs: list[Run] = []
    remarks: list[str] = []
    for file in files:
        text, _, option = file.partition("?")
        base = option.removeprefix("base=").replace("2", "bits")  # base 2 is called "bits"
        if option and base not in BITS_PER:
            right = f"{text}?base=e, 2 or 10"
            raise InputError(file, f"no such option {option!r}", right, kind="unknown")
        path = user_path(text)
        for found in read_computed(path, base):
            found.model = name or found.model or path.stem
            new_runs, n_used = _runs_of(store, suites, found, path, len(runs))
            if not new_runs:
                names = ", ".join(suite.name for suite, _ in suites)
                wrong = f"none of its texts ({found.n_results:,}) is in {names}"
                raise InputError(text, wrong, "results of these suites", kind="empty")
            runs += new_runs
            n_unused = found.n_results - n_used
            remarks += _remarks(found, [suite for suite, _ in suites], new_runs, path, n_unused)
    return runs, list(dict.fromkeys(remarks))


def _remarks(
    found: ComputedResults, suites: Iterable[Suite], runs: Sequence[Run], path: Path, n_unused: int
) -> Iterator[str]:
    """Yield remarks on the results of one model in a file: the program, the way of asking, and how
    many texts are in no suite and items not in the file. `runs`: those made from the results."""
    yield f"{found.model}: as computed by {found.program}"
    yield from (f"{found.model}: {note}" for note in sorted(found.conventions))
    if n_unused:
        yield f"{path}: {n_unused:,} of {found.n_results:,} texts are in no suite"
    for suite in suites:
        n_found = max((len(run.outcomes) for run in runs if run.suite == suite.name), default=0)
        if n_missing := len(suite.items) - n_found:
            yield f"{suite.name}: {n_missing:,} of {len(suite.items):,} items are not in {path}"


def _runs_of(
    store: Store,
    suites: Sequence[tuple[Suite, int]],
    found: ComputedResults,
    path: Path,
    n_before: int,
) -> tuple[list[Run], int]:
    """Make runs from one model's results in a file, and keep them in the store. `n_before` is the
    number of runs that come before these in tables.

    Returns a run for each suite and method (`sentence`, `target`) that the file has results for,
    then the number of the file's texts that occur in an item.
    """
    runs: list[Run] = []
    used: set[Text | str] = set()
    for suite, suite_id in suites:
        names = [
            prediction.name for prediction in method_suite_of(suite, Method()).suite.predictions
        ]
        of_targets = PREFIX if PREFIX in names else names[0]
        of_sentences = method_suite_of(suite, Method(measure="sentence")).suite.predictions[0].name
        predictions = {SENTENCE: of_sentences, TARGET: of_targets}
        is_of_targets = found.method.startswith(TARGET)  # "target eos=region" is one, too
        predictions.setdefault(found.method, of_targets if is_of_targets else of_sentences)
        for method, joined in join(found, suite, predictions).items():
            used |= joined.found
            outcomes = outcomes_frame(joined.outcomes)
            signature = _signature(found, path, method)
            facts = {**dict.fromkeys(("spec", "group", "device"), ""), "about": "{}"}
            options = {"prediction": predictions[method], "oov": "keep", "ties": "share"}
            with store.transaction():
                model_id, _ = keep_model(store, signature, found.model, facts)
                run_id = save_run(
                    store,
                    model_id=model_id,
                    suite_id=suite_id,
                    method=method,
                    options=options,
                    exposed=None,
                    outcomes=outcomes,
                    now=now(),
                )
            runs.append(
                replace(
                    stored_run(store, run_id),
                    number=str(n_before + len(runs) + 1),
                    suite=suite.name,
                    policy=f"by {found.program}",
                    items=suite.items,
                )
            )
    return runs, len(used)


def _signature(found: ComputedResults, path: Path, method: str) -> str:
    """Return the signature, which identifies a model in the store, of a model whose numbers come
    from a file. It depends on the file's content."""
    digests = [sha256_file(file) for file in found.files or [path]]
    digest = digests[0]
    if len(digests) > 1:
        digest = sha256("".join(digests).encode()).hexdigest()
    parts = [f"{COMPUTED_PREFIX}{found.program}", f"model:{found.model}", f"method:{method}"]
    return "|".join([*parts, f"file:{path.name}", f"sha256:{digest[:16]}"])
