"""The verbs compare and report: read, call the pure part, write."""

from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from colorless_green import __version__
from colorless_green.data.files import write_whole
from colorless_green.data.result import Result
from colorless_green.data.store import Store
from colorless_green.data.tables import Row, write_tsv
from colorless_green.humans.comparison import (
    COMPARISON_COLUMNS,
    Comparison,
    as_row,
    compare,
)
from colorless_green.humans.published import BESIDE_COLUMNS, beside
from colorless_green.humans.published import as_row as beside_row
from colorless_green.humans.report.material import Example, Material, Run
from colorless_green.humans.report.page import render
from colorless_green.humans.rows import (
    StoredJudgments,
    StoredRun,
    judged_or_scored,
    load_judgments,
    load_runs,
)
from colorless_green.humans.statistics import correlation, item_accuracy, pooled_accuracy
from colorless_green.miner.rows import load_constructions, load_rejections
from colorless_green.nonce.item import KINDS, Item
from colorless_green.nonce.rows import load_suite, suite_named
from colorless_green.nonce.suite import Suite
from colorless_green.scoring.accuracy import accuracy_rows, group_rows

SHOWN_EXAMPLES = 2  # originals of each construction
SHOWN_VARIANTS = 3  # of each of them
PACKAGES = ("numpy", "ufal.kenlm", "torch", "transformers", "tokenizers", "matplotlib")


def _chosen_suite(store: Store, name: str) -> tuple[int, Suite]:
    suite_id = suite_named(store, name) if name else judged_or_scored(store)
    return suite_id, load_suite(store, suite_id)


def compare_suite(name: str, store: Store, *, published: str, out: Path | None) -> Result:
    """Models beside people on one suite, or both beside a publication's figures."""
    suite_id, suite = _chosen_suite(store, name)
    judged = load_judgments(store, suite_id)
    runs = load_runs(store, suite_id, suite.name)
    outcomes = {run.label.model: run.credits() for run in runs}
    messages = list(_human_messages(judged, runs))
    if not runs and not judged.tallies:
        messages.append(f"{suite.name}: neither scored nor judged yet")
    if published:
        rows = [
            beside_row(each) for each in beside(published, suite.items, judged.tallies, outcomes)
        ]
        columns: Sequence[str] = BESIDE_COLUMNS
    else:
        rows = [as_row(each) for each in compare(suite.name, suite.items, judged.tallies, outcomes)]
        columns = COMPARISON_COLUMNS
    if out is not None:
        write_tsv(out, columns, rows)
    shown = [column for column in columns if column not in ("suite", "source")]
    return Result(rows, shown, messages, found=bool(rows))


def _human_messages(judged: StoredJudgments, runs: Sequence[StoredRun]) -> Iterator[str]:
    """The figures that the paper gives of people, in sentences."""
    if judged.simulated:
        yield "the judgments are SIMULATED, made by a program"
    seen = {each.condition for each in judged.tallies}
    for kind in (*[kind for kind in KINDS if kind in seen], *sorted(seen.difference(KINDS))):
        own = [each for each in judged.tallies if each.condition == kind and each.total]
        mean, pooled = item_accuracy(own), pooled_accuracy(own)
        if mean is None or pooled is None:
            continue
        yield f"people, {kind}: {mean:.1%} (mean over {len(own)} items), {pooled:.1%} (pooled)"
        for run in runs:
            margins = {item: margin for item, (_, margin) in run.credits().items()}
            both = [
                (each, margin) for each in own if (margin := margins.get(each.item)) is not None
            ]
            found = correlation(
                [2.0 * each.right - each.total for each, _ in both],
                [margin for _, margin in both],
                [each.source for each, _ in both],
            )
            if found is not None:
                low = "" if found.low is None else f" [{found.low:.2f}, {found.high:.2f}]"
                yield (
                    f"Spearman of (right − wrong) answers with {run.label.model}'s margin, {kind}: "
                    f"{found.rho:.3f}{low}, permutation p {found.p:.4f}, {found.n_items} items"
                )


def write_report(name: str, store: Store, *, out: Path) -> Result:
    """One HTML page on a suite."""
    suite_id, suite = _chosen_suite(store, name)
    page = render(material_of(store, suite_id, suite))
    with write_whole(out) as stream:
        stream.write(page)
    row: Row = {"suite": suite.name, "report": str(out)}
    return Result([row], ("suite", "report"))


def material_of(store: Store, suite_id: int, suite: Suite) -> Material:
    """Everything the page on a suite shows."""
    judged = load_judgments(store, suite_id)
    runs = load_runs(store, suite_id, suite.name)
    outcomes = {run.label.model: run.credits() for run in runs}
    rows: list[Row] = []
    for run in runs:
        rows += accuracy_rows(suite.items, run.outcomes, run.label)
    rows += group_rows(rows)
    compared: Sequence[Comparison] = (
        compare(suite.name, suite.items, judged.tallies, outcomes) if judged.tallies else ()
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
        comparison=tuple(as_row(each) for each in compared),
        versions=tuple(_versions()),
        notes=tuple(_notes(suite)),
    )


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
    if run.exposed is not None:
        exposure = f"{run.exposed} of {n_originals} originals were in the training text"
    return Run(
        model=run.label.model,
        signature=run.signature,
        device=run.device,
        group=run.label.group,
        exposure=exposure,
        perplexity=run.about.get("held_out_perplexity"),
    )


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
        yield f"{n} items are flagged {flag}."
