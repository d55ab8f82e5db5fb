"""The report: what it is made of, on one suite of agreement items or any others, and its file."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from colorless_green.data.files import write_whole
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import Names, listed, load
from colorless_green.data.result import Result
from colorless_green.data.store import Store, Where, home, open_store
from colorless_green.data.tables import Row
from colorless_green.data.version import __version__
from colorless_green.humans.analysis import figures, mixed_model
from colorless_green.humans.collection.gathered import Gathered, SuiteResults
from colorless_green.humans.collection.guesses import above, guess_rows
from colorless_green.humans.collection.tables import Tables
from colorless_green.humans.common import common_by_kind, compared
from colorless_green.humans.comparison import Which, gather, is_agreement, store_of
from colorless_green.humans.page.figurefiles import write_figures
from colorless_green.humans.page.flags import in_words
from colorless_green.humans.page.material import Example, Material, People, Predicted, Run, Suites
from colorless_green.humans.page.page import figures as figures_of
from colorless_green.humans.page.page import render, style
from colorless_green.humans.page.raters import TOY
from colorless_green.humans.page.sources import origin
from colorless_green.humans.papers import PAPERS, PAPERS_GROUP
from colorless_green.humans.papers.layout import OWN, Beside
from colorless_green.humans.rated import Credits, Rated, as_row
from colorless_green.humans.read import Judgments
from colorless_green.humans.rows import StoredRun
from colorless_green.humans.stored import answers_of, everybody, evidence_of
from colorless_green.miner.rows import load_constructions, load_rejections
from colorless_green.nonce.audit.audit import baseline_credits
from colorless_green.nonce.audit.pairs import is_pair
from colorless_green.nonce.audit.suite import frequencies_for
from colorless_green.nonce.frequencies import TREEBANK
from colorless_green.nonce.item import Item
from colorless_green.nonce.prediction import chance
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.accuracy import accuracy_frame, factors_frame
from colorless_green.scoring.collection import Key, Unit
from colorless_green.scoring.outcome import outcomes_frame

SHOWN_NAMES = 3  # of suites in a title
SHOWN_EXAMPLES = 2  # originals of each construction
SHOWN_VARIANTS = 3  # of each of them
PACKAGES = (
    *("numpy", "scipy", "glmm", "ufal.kenlm", "torch", "transformers", "tokenizers"),
    "matplotlib",
)


def report(
    scores: Which = None,
    people: Judgments | None = None,
    out: str | Path = "report.html",
    *,
    figures: str | Path | None = None,
    construction: Names = None,
    store: Where = None,
    progress: Progress = silent,
) -> Result:
    """Writes one HTML page with everything, readable without this tool or a network.

    Args:
        scores: what `score` returned, and no other runs; or the names of suites in the store, with
            `*` and `?` as patterns. By default the suite that was scored or judged last.
        people: what `read_judgments` returned. Kept elsewhere than the scores, it is added to their
            store first.
        out: the page to write.
        figures: a folder that also gets every drawing, as SVG and PDF.
        construction: names of constructions, or patterns; the page is about their items alone.
        store: where suites that are named lie; by default with the scores, or with the people.
        progress: what is told how far the work is.

    Returns:
        The suites that the page is on, and its file.

    Raises:
        InputError: for names that no suite has, for people who judged other items than the models,
            where nothing was scored or judged, and where the page cannot be written.

    >>> import colorless_green as cg
    >>> _ = Path("items.csv").write_text(
    ...     "item,source,kind,prefix,correct_form,wrong_form\\n"
    ...     "i1,s1,target,the keys,are,is\\ni2,s2,target,the key,is,are\\n")
    >>> _ = Path("answers.csv").write_text(
    ...     "participant,item,chosen\\nanna,i1,are\\nanna,i2,are\\nbert,i1,are\\n")
    >>> people = cg.read_judgments("answers.csv", items="items.csv")
    >>> cg.report(people=people, out="page.html")
    suite  report
    items  page.html
    """
    page, folder = Path(out), Path(figures) if figures else None
    with open_store(store_of(scores, people, store), existing=True) as kept:
        results = gather(kept, scores, people, listed(construction))
        if len(results) == 1 and is_agreement(results[0].suite):
            material = agreement_material(kept, results[0], progress)
        else:
            material = suites_material(kept, results, progress)
    drawn = write_figures(folder, figures_of(material), style()) if folder is not None else ()
    text = render(material)
    with write_whole(page) as stream:
        stream.write(text)
    rows: list[Row] = [{"suite": each.suite.name, "report": str(page)} for each in results]
    messages = [f"{folder}: {len(drawn)} drawings, as SVG and PDF"] if folder else []
    return Result(rows, ("suite", "report"), messages)


def agreement_material(
    store: Store, results: SuiteResults, progress: Progress = silent
) -> Material:
    """Everything the page on a suite of agreement items shows."""
    suite_id, suite = results.suite_id, results.suite
    judged, runs = results.judged, results.runs
    outcomes = results.outcomes()
    common = common_by_kind(suite.items, judged.tallies, outcomes)
    told = [(run.label, outcomes_frame(run.outcomes)) for run in runs]
    rows = accuracy_frame(factors_frame(suite.items), told).to_dicts()
    beside: Sequence[Rated] = (
        compared(suite.name, suite.items, judged.tallies, outcomes, judged.answers)
        if judged.tallies
        else ()
    )
    found = store.one("SELECT treebank_id FROM suite WHERE suite_id = ?", (suite_id,))
    treebank_id = found["treebank_id"] if found else None
    mined = load_constructions(store, treebank_id) if treebank_id else []
    rejected = load_rejections(store, treebank_id) if treebank_id else []
    reasons = Counter(str(row["reason"]).partition(":")[0] for row in rejected)
    n_originals = sum(item.kind == "original" for item in suite.items)
    return Material(
        title=_title(suite),
        figures=tuple(_figures(suite)),
        constructions=tuple(mined),
        rejections=tuple(reasons.most_common()),
        examples=tuple(_examples(suite)),
        runs=tuple(_run(run, n_originals) for run in runs),
        accuracy=tuple(rows),
        outcomes=outcomes,
        tallies=judged.tallies,
        simulated=judged.simulated,
        people=_people(store, results, progress),
        items={item.item_id: item for item in suite.items},
        common=common,
        baselines=_baselines(store, results, progress),
        comparison=tuple(as_row(each) for each in beside),
        versions=tuple(_versions()),
        notes=tuple(_notes(suite)),
    )


def _baselines(
    store: Store, results: SuiteResults, progress: Progress
) -> dict[str, dict[str, float]]:
    """The audit's baselines on every pair, as `audit` has them without options; nothing where the
    items are no pairs, or nobody answered."""
    suite = results.suite
    if not any(map(is_pair, suite.items)) or not (results.runs or results.judged.tallies):
        return {}
    frequencies = frequencies_for(TREEBANK, suite, results.suite_id, store)
    found: dict[str, dict[str, float]] = {}
    for name, item, credit in baseline_credits(suite.items, frequencies, progress).iter_rows():
        found.setdefault(name, {})[item] = credit
    return found


def _people(store: Store, results: SuiteResults, progress: Progress) -> People:
    """Who was asked, and all statistics of what they said; nothing where nobody was."""
    evidence = evidence_of(store, results)
    answers = answers_of(store, results.suite_id, evidence.items)
    fitted, said = mixed_model(evidence, progress=progress)
    return People(
        answers=answers,
        everybody=everybody(answers, evidence.items),
        measures=(*figures(evidence, progress), *fitted),
        said=tuple(said),
    )


def suites_material(
    store: Store, results: Sequence[SuiteResults], progress: Progress = silent
) -> Material:
    """Everything the page on controlled suites shows, on one or on several."""
    tables = Tables(home(store), tuple(results))
    collection = tables.gathered
    shallow, regions = tables.shallow_and_regions
    names = [each.suite.name for each in results]
    more = len(names) - SHOWN_NAMES
    shown = ", ".join(names[:SHOWN_NAMES]) + (f" and {more} more" if more > 0 else "")
    runs = {run.signature: _run(run, 0) for each in results for run in each.runs}
    guesses: dict[str, dict[Key, float]] = {}
    for each in results:
        for name, credits in _baselines(store, each, progress).items():
            own = guesses.setdefault(name, {})
            own.update({(each.suite.name, item): credit for item, credit in credits.items()})
    judged = any(each.judged.tallies for each in results)
    items = [item for each in results for item in each.suite.items]
    outcomes = _outcomes(results)
    tallies = tuple(tally for each in results for tally in each.judged.tallies)
    return Material(
        title=names[0] if len(names) == 1 else f"{len(names)} suites: {shown}",
        figures=(
            (
                "suites" if len(names) == len(collection.units) else "paradigms",
                f"{len(collection.units):,}",
            ),
            ("items", f"{len(items):,}"),
            ("models", f"{len(runs):,}"),
        ),
        examples=tuple(_first_items(collection.units)),
        runs=tuple(runs.values()),
        outcomes=outcomes,
        tallies=tallies,
        common=common_by_kind(items, tallies, outcomes),
        simulated=any(each.judged.simulated for each in results),
        people=_people(store, results[0], progress) if len(results) == 1 else People(),
        items={item.item_id: item for item in items},
        comparison=tuple(tables.cells.rows(named=True)) if judged else (),
        versions=tuple(_versions()),
        notes=tuple(_sources(results)),
        suites=Suites(
            raters=collection.shown,
            predicted=tuple(_predicted(collection.units, results)),
            scores=tuple(tables.collection.rows(named=True)),
            paired=tuple(tables.paired.rows(named=True)),
            correlations=tuple(tables.correlations.rows(named=True)),
            shallow=tuple(shallow.rows(named=True)),
            regions=tuple(regions.rows(named=True)),
            papers=tuple(_papers(results)),
            baselines=tuple(guess_rows(collection, guesses)),
            above=above(collection, guesses),
            shared=tuple(_uneven(collection)),
        ),
    )


def _uneven(collection: Gathered) -> Iterator[tuple[str, int, int, int]]:
    """Raters that did not answer everything: how many items, of how many suites."""
    n_items = sum(len(unit.items) for unit in collection.units)
    for rater in collection.shown:
        own = [len(each.own.get(rater, ())) for each in collection.common.values()]
        if sum(own) < n_items:
            yield rater, sum(own), sum(n > 0 for n in own), n_items


def _outcomes(results: Sequence[SuiteResults]) -> dict[str, Credits]:
    found: dict[str, dict[str, tuple[float | None, float | None]]] = {}
    for each in results:
        for model, credits in each.outcomes().items():
            found.setdefault(model, {}).update(credits)
    return dict(found)


def _first_items(units: Sequence[Unit]) -> Iterator[Example]:
    """The first item of the first unit of each circuit."""
    seen: set[str] = set()
    for unit in units:
        if unit.circuit not in seen:
            seen.add(unit.circuit)
            yield Example(unit.items[0])


def _predicted(units: Sequence[Unit], results: Sequence[SuiteResults]) -> Iterator[Predicted]:
    suites = {each.suite.name: each.suite for each in results}
    for unit in units:
        for prediction in suites[unit.suite].predictions[:1]:
            found = chance(prediction)
            yield Predicted(
                suite=unit.name,
                circuit=unit.circuit,
                n_items=len(unit.items),
                prediction=prediction.source,
                chance=found.value,
                how=found.how,
            )


def _papers(results: Sequence[SuiteResults]) -> Iterator[tuple[str, Beside]]:
    """The papers in whose tables some of these results belong; Gulordava's are about treebanks."""
    for name in (each for each in PAPERS if each != "gulordava2018"):
        found: Beside = load(PAPERS, name, "--published", PAPERS_GROUP)(results)
        if any(value.origin == OWN for value in found.values):
            yield name, found


def _sources(results: Sequence[SuiteResults]) -> Iterator[str]:
    sources: dict[str, None] = {}
    for each in results:
        for item in each.suite.items:
            sources.setdefault(f"{origin(item)} ({item.licence})" if item.licence else origin(item))
    yield f"Items from {', '.join(sources)}."


def _title(suite: Suite) -> str:
    """A suite that was mined by its treebank, any other by its name."""
    mined = [item.agreement for item in suite.items if item.agreement is not None]
    sources = {item.source for item in suite.items}
    if len(mined) < len(suite.items) or len(sources) > 1:
        return suite.name
    features = ", ".join(sorted({each.feature for each in mined}))
    rules = ", ".join(sorted({each.rule for each in mined}))
    return f"{features} agreement in {sources.pop()} (rule {rules})"


def _figures(suite: Suite) -> Iterator[tuple[str, str]]:
    kinds = Counter(item.kind for item in suite.items)
    names = {"original": "original sentences", "nonce": "nonce variants"}
    for kind, n in kinds.items():
        yield names.get(kind, f"{kind} items"), f"{n:,}"
    constructions = {
        item.agreement.construction for item in suite.items if item.agreement is not None
    }
    yield "constructions", str(len(constructions))


def _examples(suite: Suite) -> Iterator[Example]:
    """The first originals of each construction, one of each value if there are, with variants."""
    variants: dict[str, list[Item]] = {}
    for item in suite.items:
        if item.kind == "nonce":
            variants.setdefault(item.cluster_id, []).append(item)
    shown: dict[str, list[Item]] = {}
    for item in suite.items:
        if item.kind != "original" or item.agreement is None:
            continue
        chosen = shown.setdefault(item.agreement.construction, [])
        values = {each.agreement.value for each in chosen if each.agreement is not None}
        if len(chosen) < SHOWN_EXAMPLES and item.agreement.value not in values:
            chosen.append(item)
    for originals in shown.values():
        for original in originals:
            yield Example(original, tuple(variants.get(original.item_id, ())[:SHOWN_VARIANTS]))


def _run(run: StoredRun, n_originals: int) -> Run:
    exposure = ""
    if run.exposed is not None and n_originals:
        exposure = f"{run.exposed} of {n_originals} originals were in the training text"
    return Run(
        model=run.label.model,
        signature=run.signature,
        device=run.device,
        group=run.label.group,
        exposure=exposure,
        perplexity=run.about.get("held_out_perplexity"),
        toy=_toy(run.about),
    )


def _toy(about: Mapping[str, Any]) -> str:
    """Why a model is a toy, as its card says, or that it is one; empty if it is none. A model that
    failed the sanity gate is one, too."""
    told = about.get("toy") or about.get("sanity")
    reason = told if isinstance(told, str) else about.get("toy_reason")
    return str(reason or TOY) if told else ""


def _versions() -> Iterator[tuple[str, str]]:
    yield "colorless-green", __version__
    for package in PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue


def _notes(suite: Suite) -> Iterator[str]:
    sources = sorted({item.source for item in suite.items})
    licences = sorted({item.licence for item in suite.items if item.licence})
    said = f" ({', '.join(licences)})" if licences else ""
    yield f"Sentences from {', '.join(sources)}{said}; variants of them are under the same terms."
    flags = Counter(
        flag for item in suite.items if item.agreement is not None for flag in item.agreement.flags
    )
    for flag, n in sorted(flags.items()):
        yield f"{n:,} {'item' if n == 1 else 'items'}: {in_words(flag)}."
