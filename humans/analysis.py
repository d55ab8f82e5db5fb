"""What people and models did on one suite, as figures."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent, with_progress
from colorless_green.data.registry import nearest
from colorless_green.data.result import Result
from colorless_green.data.store import Where, open_store
from colorless_green.data.tables import demand_ending, frame, write_table
from colorless_green.humans import formula as formulas
from colorless_green.humans import mixed
from colorless_green.humans.answers import unjudged
from colorless_green.humans.coding import CODINGS, TREATMENT, observations
from colorless_green.humans.collection.collect import results_of
from colorless_green.humans.formula import MixedFormula
from colorless_green.humans.measures import accuracies, correlations, ratings
from colorless_green.humans.measures.measure import COLUMNS, AnalysisData, Measure, evidence_of
from colorless_green.humans.rater_accuracy import Credits, margins_of
from colorless_green.humans.read import Judgments
from colorless_green.humans.runs import judged_or_scored
from colorless_green.humans.shared_items import common_by_kind, on_common
from colorless_green.humans.tidy import write_tidy
from colorless_green.nonce.load import find_suite, suite_named
from colorless_green.nonce.suite import Suite

MANY_ANSWERS = 20_000  # of more a spread of items takes seven times as long: 14 s at 100,000
FORMULA, MODEL, CODING, TIDY = "--formula", "--model", "--coding", "--tidy"


def analyse(
    suite: Judgments | Suite | str | Path = "",
    *,
    formula: str = "",
    model: str = "",
    coding: str = TREATMENT,
    prior: str = mixed.NO_PRIOR,
    tidy: str | Path | None = None,
    out: str | Path | None = None,
    store: Where = None,
    progress: Progress = silent,
) -> Result:
    """Analyses people's judgments, with models beside them: accuracies, agreement, reliability,
    curves and a mixed model.

    Args:
        suite: what `read_judgments` returned; or the suite that was judged, or its name in the
            store. By default the one that was scored or judged last.
        formula: of the mixed model, as lme4 writes it; by default conditions and attractors as far
            as they vary, with intercepts of people and sources.
        model: the model whose margin is a predictor in the formula.
        coding: of conditions: treatment, or centred (±1/2 for two: half of R's contr.sum).
        prior: on coefficients, where answers are separated: none, weak (SD 2.5) or an SD.
        tidy: a folder for the single answers and an R script that fits them.
        out: a file for the table.
        store: where the suite is; by default where the answers or the suite are kept.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        One row per figure; those of constructions and gaps come last and are not shown to people.

    Raises:
        InputError: for a formula that cannot be fitted, for unknown names, and where single
            answers are asked for and only totals are known.

    >>> import colorless_green as cg
    >>> _ = Path("items.csv").write_text(
    ...     "item,source,kind,prefix,correct_form,wrong_form\\n"
    ...     "i1,s1,target,the keys,are,is\\ni2,s2,target,the key,is,are\\n")
    >>> _ = Path("totals.csv").write_text("item,right,total\\ni1,9,10\\ni2,6,10\\n")
    >>> people = cg.read_judgments("totals.csv", items="items.csv")
    >>> cg.analyse(people).to_frame().select("statistic", "value").head(2).rows()
    [('accuracy over items', 0.75), ('accuracy pooled', 0.75)]
    """
    if coding not in CODINGS:
        raise InputError(
            CODING, f"no such coding {coding!r}", nearest(coding, CODINGS), kind="unknown"
        )
    sd = mixed.prior_of(prior)
    path = Path(out) if out is not None else None
    if path is not None:
        demand_ending(path)
    kept = getattr(suite, "kept", None)
    if store is None and kept is not None:
        store = kept.store
    with open_store(store, existing=True) as keeper:
        if isinstance(suite, Judgments):
            suite_id = suite.kept.id
        elif suite:
            judged_suite, stored_id = find_suite(keeper, suite)
            suite_id = suite_named(keeper, judged_suite.name) if stored_id is None else stored_id
        else:
            suite_id = judged_or_scored(keeper)
        (results,) = results_of(keeper, [suite_id])
    evidence = evidence_of(results)
    why = []
    if not evidence.is_answered:
        reason = unjudged(results.judged) or "nobody has judged it yet; colorless humans import"
        why = [f"{evidence.suite}: {reason}"]
    measures = list(figures(evidence, progress))
    if not measures:
        return Result([], COLUMNS, why, found=False)
    folder = Path(tidy) if tidy is not None else None
    fitted, notes, hints = mixed_model(evidence, formula, model, coding, folder, sd, progress)
    shown = [measure for measure in (*measures, *fitted) if not _detail(measure)]
    hidden = [measure for measure in measures if _detail(measure)]
    ordered = dict.fromkeys(("statistic", "value", *COLUMNS))
    rows = [measure.as_row(ordered) for measure in (*shown, *hidden)]
    if path is not None:
        write_table(path, frame(rows, COLUMNS))
    columns = [column for column in COLUMNS if column != "construction"]
    if notes:  # the hints are about the last
        notes[-1] = "; ".join([notes[-1], *hints])
    return Result(rows, columns, [*why, *notes], n_hidden=len(hidden))


def _detail(measure: Measure) -> bool:
    return bool(measure.construction) or measure.statistic == accuracies.BY_GAP


def figures(evidence: AnalysisData, progress: Progress = silent) -> Iterator[Measure]:
    """All that is told of people, and of models beside them on the items that all have, but the
    mixed model; of ratings alone what is told of ratings, and nothing where no answer counts."""
    shared = common_by_kind(evidence.items.values(), evidence.tallies, evidence.outcomes)
    models = on_common(shared, evidence.tallies, evidence.outcomes)[1]
    evidence = replace(evidence, outcomes=models)
    parts: list[Callable[[AnalysisData], Iterator[Measure]]] = [ratings.measures]
    if evidence.is_answered:
        parts = [
            accuracies.of_people,
            accuracies.model_accuracies,
            accuracies.original_minus_nonce,
            correlations.of_models,
            correlations.reliability,
            correlations.among_people,
            lambda e: accuracies.curves_of(e.items, e.tallies, e.outcomes),
            *parts,
        ]
    for part in with_progress(parts, "statistics", progress, len(parts)):
        yield from part(evidence)


def mixed_model(
    evidence: AnalysisData,
    formula_text: str = "",
    model: str = "",
    coding: str = TREATMENT,
    tidy: Path | None = None,
    prior: float | None = None,
    progress: Progress = silent,
) -> tuple[list[Measure], list[str], list[str]]:
    """The mixed model's rows, what a reader must know of it, and which options would change it; the
    table and script, if asked for.

    Without a formula of the user's a model that cannot be fitted is a message and no error.
    """
    if not (evidence.is_answered and evidence.judgments):
        has_totals = evidence.is_answered
        if not formula_text and tidy is None:
            why = "only totals are known, so there is no mixed model"
            return [], [why] if has_totals else [], []
        wrong = f"of {evidence.suite} there are no answers that are right or wrong"
        right = "choices between a right and a wrong form"
        if has_totals:
            wrong = f"{evidence.suite} has totals only"
            right = "single judgments, imported with who gave them"
        place = FORMULA if tidy is None else TIDY
        raise InputError(place, wrong, right, kind="unsupported" if has_totals else "empty")
    stated = formulas.parse(formula_text) if formula_text else None
    margins = _margins(evidence.outcomes, model, stated)
    rows = observations(evidence.judgments, evidence.items, margins)
    is_large = len(rows) > MANY_ANSWERS
    several = rows.n_unique(["source", "item"]) > rows["source"].n_unique()  # items of a source
    varying = [
        name for name in formulas.VARIABLES if len(set(rows[name].unique()) - {None, ""}) > 1
    ]
    formula = stated or formulas.default(varying, several_items=several and not is_large)
    if tidy is not None:
        write_tidy(tidy, rows, formula, coding)
    try:
        progress("mixed model", 0, None)
        lacking = mixed.too_little(rows, formula, coding)
        if lacking and stated is None:
            return [], [f"no mixed model: {lacking}"], ["--formula fits one nevertheless"]
        fit = mixed.fit(rows, formula, coding=coding, prior=prior)
        tests = mixed.term_tests(rows, fit, coding=coding, progress=progress)
    except InputError as error:
        if formula_text:
            raise
        return [], [f"no mixed model: {error.wrong}"], [error.right]
    notes, hints = list(mixed.sentences(fit)), []
    if lacking:
        notes.append(f"too few data for this mixed model: {lacking}")
    if stated is None and is_large and several:
        notes.append(
            f"with more than {MANY_ANSWERS:,} answers, the default "
            "model has no random effect of items, which would take minutes"
        )
        hints.append("--formula adds it")
    return list(mixed.measures(fit, tests)), notes, hints


def _margins(
    outcomes: Mapping[str, Credits], model: str, formula: MixedFormula | None
) -> dict[str, float]:
    """The margins of the model named, or of the only one; none where nobody needs them."""
    if model and model not in outcomes:
        right = nearest(model, outcomes) if outcomes else "colorless score of this suite first"
        raise InputError(MODEL, f"no model {model!r} on this suite", right, kind="unknown")
    if not model and formula is not None and "margin" in formula.variables and len(outcomes) != 1:
        raise InputError(
            MODEL,
            f"the formula has margin, and there are {len(outcomes)} models",
            "the name of one, as compare shows it",
            kind="missing",
        )
    chosen = model or (next(iter(outcomes)) if len(outcomes) == 1 else "")
    return margins_of(outcomes.get(chosen, {}))
