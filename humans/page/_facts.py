"""The section *What was done*, which is a table of facts, and the files that the page holds.

Neither contains single answers of people. A fact is a pair (what, how) of texts, the two columns of
the table.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from statistics import median

import polars as pl

from ...data import schema
from ...data.items.item import factors_of
from ...data.registry import counted
from ...data.statistics.differences import MAX_EXACT_SOURCES, SIGN_FLIPS, SQUARE_AND_ADD
from ...data.statistics.rank_correlation import PERMUTATIONS
from ...data.tables import Cell, Row, frame, to_csv
from ...data.version import __version__
from ...scoring.outcomes.accuracy import accuracy_frame, factors_frame
from ..judgments.answers import ImportedSet, sessions_left_out
from ..judgments.judgment import ANSWERED, FACT, IS_RATING
from ..judgments.lookup import forms_of, prefix_of
from ..measures.correlations import BY_T, WITHIN
from ..statistics.people import SPLITS
from ..statistics.rater_accuracy import HUMANS
from . import _parts as fmt
from ._accuracies import PageScores, compared_on
from ._parts import Column, EmbeddedFile, Section, Table
from ._report_data import ACCEPTED, PeopleData, ReportData

PACKAGES = (
    *("numpy", "scipy", "ufal.kenlm", "torch", "transformers", "tokenizers"),
    "matplotlib",
)
STUDY_ENTRIES: Mapping[str, str] = {  # entry of a study file → its words on the page
    "title": "title of the study", "task": "task", "language": "language", "scale": "scale",
    "researcher": "researcher", "institution": "institution", "ethics_board": "ethics board",
    "approval_number": "approval number", "minimum_age": "minimum age, years",
    "languages_required": "native languages required", "procedure": "procedure",
    "duration_minutes": "duration told, minutes", "payment": "payment",
    "deadline_ms": "deadline, ms", "minimum_rt_ms": "shortest time taken for an answer, ms",
    "data_sharing": "data sharing", "seed": "seed of the design",
}  # fmt: skip
SHOWN_HEX_DIGITS = 16  # hex digits
MARGIN_DIGITS = 6  # decimals: surprisals are not reliable to more, which would swell the page
ITEM_COLUMNS = (
    *("item", "source", "kind", "construction", "value", "n_attractors", "gap", "language"),
    *("prefix", "right", "wrong", "people_right", "people_total"),
)


@cache
def versions() -> Mapping[str, str]:
    """Return package → version, for this program and those of `PACKAGES` that are installed."""
    by_package = {"colorless-green": __version__}
    for package in PACKAGES:
        try:
            by_package[package] = version(package)
        except PackageNotFoundError:
            continue
    return by_package


def method_section(scores: PageScores) -> Section:
    """Return the section *What was done*: a table with a row for each fact whose text is not
    empty."""
    material = scores.material
    facts = [
        *_item_facts(material), *_answer_facts(material), *_people_facts(material.people),
        *_import_facts(material.people.answers.imports), *_method_facts(scores),
    ]  # fmt: skip
    facts.append(("program", fmt.enumeration(map(" ".join, versions().items()))))
    rows = [{"what": what, "how": how} for what, how in facts if how]
    columns = [Column("what", "what"), Column("how", "how")]
    return Section("method", "What was done", tables=(Table("facts", "Facts", columns, rows),))


def _item_facts(material: ReportData) -> Iterator[tuple[str, str]]:
    """Yield facts about the items: their source, licence, constructions, kinds and variants. Some
    have an empty text, which the caller leaves out."""
    items = material.items.values()
    agreements = [item.agreement for item in items if item.agreement is not None]
    mined = material.constructions
    yield "source of the items", fmt.enumeration(dict.fromkeys(item.source for item in items))
    yield "licence", fmt.enumeration(sorted({item.licence for item in items} - {""}))
    if mined:
        n_accepted = sum(row["verdict"] == ACCEPTED for row in mined)
        yield (
            "rule of agreement",
            fmt.enumeration(dict.fromkeys(str(row["rule"]) for row in mined if row["rule"])),
        )
        yield "constructions accepted", f"{fmt.count(n_accepted)} of {fmt.count(len(mined))}"
    features = dict.fromkeys(agreement.feature for agreement in agreements)
    yield "feature", fmt.enumeration(features)
    kinds = Counter(item.kind for item in items)
    yield "items", fmt.enumeration(f"{fmt.count(n)} {kind}" for kind, n in kinds.items())
    if n_sets := len({item.set_id for item in items if item.kind == "composed"}):
        yield "composed sets", fmt.count(n_sets)
    variants = [agreement for agreement in agreements if agreement.level]
    levels = dict.fromkeys(variant.level for variant in variants)
    yield "level of the variants", fmt.enumeration(levels)
    seeds = {str(variant.seed) for variant in variants if variant.seed is not None}
    yield "seed of the variants", fmt.enumeration(sorted(seeds))
    if agreements:
        # the number of attractors is "" where it is not known
        n_with = sum(factors_of(item)["n_attractors"] not in ("", "0") for item in items)
        yield "items with attractors", fmt.count(n_with)
    if not material.is_by_kind:
        yield f"{material.unit}s", fmt.count(len(material.tables.answers.units))


def _answer_facts(material: ReportData) -> Iterator[tuple[str, str]]:
    """Yield facts about people's answers without the excluded ones: how many there are, how many an
    item has, and if a program simulated them (an empty text if not)."""
    judged = [tally for tally in material.tallies if tally.total]
    if judged:
        targets = material.people.answers.trials.filter(kind="target")
        n_people = targets["participant"].n_unique()
        n_answers = [tally.total for tally in judged]
        people = f" by {counted(n_people, 'participant')}" if n_people else ""
        total, low, high = sum(n_answers), min(n_answers), max(n_answers)
        yield "answers analysed", f"{fmt.count(total)}{people} to {counted(len(judged), 'item')}"
        yield "answers an item", f"{low} to {high}, mean {total / len(judged):.1f}"
    yield "judgments", "simulated by a program" if material.simulated and judged else ""


def _people_facts(people: PeopleData) -> Iterator[tuple[str, str]]:
    """Yield facts about the people: numbers of people, sessions and trials, dates, the median
    duration of a session, and the version of the consent."""
    answers, everyone = people.answers, people.recorded
    targets = answers.trials.filter(kind="target")
    counts = {
        "people": everyone["participant"].n_unique(),
        "people whose answers count": answers.trials["participant"].n_unique(),
        "sessions": everyone.select("participant", "session").unique().height,
        "sessions made by the researchers, not among these": len(
            sessions_left_out(answers, "test_run")
        ),
        "lists": everyone.filter(pl.col("list") != "")["list"].n_unique(),
        "trials with target sentences that count": targets.height,
        "ratings among them": targets.filter(IS_RATING).height,
        "without an answer": targets.filter(~ANSWERED).height,
        "trials with fillers that count": answers.trials.filter(kind="filler").height,
        "attention checks that count": answers.trials.filter(kind="check").height,
    }
    yield from ((name, fmt.count(n)) for name, n in counts.items() if n)
    times = everyone.filter(pl.col("at") != "")["at"]
    days = times.str.slice(0, len("2026-01-31")).sort()
    if len(days):
        first, last = days[0], days[-1]
        yield "answered on", first if first == last else f"{first} to {last} (UTC)"
    durations = answers.sessions.filter((pl.col("duration_s") > 0) & ~pl.col("test_run"))
    if len(durations):
        minutes = median((durations["duration_s"] / 60).to_list())
        yield "median duration of a session", f"{minutes:.1f} minutes"
    if (consent := f"{FACT}consent") in answers.sessions.columns:
        consents = sorted({*answers.sessions[consent].drop_nulls()} - {""})
        digests = ", ".join(text[:SHOWN_HEX_DIGITS] for text in consents)
        yield "version of the consent (SHA-256)", digests


def _import_facts(imports: Sequence[ImportedSet]) -> Iterator[tuple[str, str]]:
    """Yield the entries of the study files (a text is empty if no file has the entry), then a fact
    for each import of judgments: its files with their SHA-256 and its number of answers."""
    with_answers = [imported for imported in imports if imported.summary.get("n_judgments")]
    for name, words in STUDY_ENTRIES.items():
        studies = (imported.study for imported in with_answers)
        yield (
            words,
            "; ".join(dict.fromkeys(str(study[name]) for study in studies if name in study)),
        )
    for number, imported in enumerate(imports, start=1):
        n_answers, remark = imported.summary.get("n_judgments") or 0, ""
        if imported.is_post_hoc and imported in with_answers:
            remark = ", by other rules than the first import's (post hoc)"
        files = "; ".join(f"{name}, SHA-256 {digest}" for name, digest in imported.files)
        what = "judgments" if len(imports) == 1 else f"judgments, import {number}"
        yield f"file of {what}", f"{files or imported.name}: {counted(n_answers, 'answer')}{remark}"


def _method_facts(scores: PageScores) -> Iterator[tuple[str, str]]:
    """Yield facts about the statistics: the items that raters are compared on, and the methods of
    intervals, tests and reliability."""
    material = scores.material
    measures = [measure for measure in material.people.measures if measure.value is not None]
    methods = dict.fromkeys(point["method"] for point in scores.points() if point["method"])
    flips = f"exact up to {MAX_EXACT_SOURCES} clusters, else {fmt.count(SIGN_FLIPS)} random flips"
    for kind in dict.fromkeys(point["kind"] for point in scores.points()):
        yield f"compared on, {fmt.kind_name(kind)}", compared_on(scores, kind)
    yield "95 % intervals", fmt.enumeration(methods)
    if material.comparison["p"].count():
        yield "tests of differences", f"people and models: {SQUARE_AND_ADD}, Holm"
    if len([rater for rater in material.raters if rater.name != HUMANS]) > 1:
        yield "tests between raters", f"sign flips ({flips})"
    notes_of_tests = {measure.note for measure in measures if measure.p is not None}
    if BY_T in notes_of_tests:
        yield "tests of Spearman's ρ", BY_T
    if any(note.startswith(WITHIN) for note in notes_of_tests):
        yield "tests of ρ within sources", f"{fmt.count(PERMUTATIONS)} permutations"
    statistics = {measure.statistic for measure in measures}
    if "split-half ρ" in statistics:
        yield "reliability", f"{fmt.count(SPLITS)} splits of people, Spearman–Brown"
    if "Krippendorff's α" in statistics:
        yield "agreement among people", "Krippendorff's α, nominal"


def downloads(material: ReportData) -> Iterator[EmbeddedFile]:
    """Yield the CSV files with the data behind the page's numbers; tables without rows are left
    out."""
    models = [name for name, credits in material.outcomes.items() if credits]
    columns = [*ITEM_COLUMNS]
    for name in models:
        columns += [f"{name}: credit", f"{name}: margin_bits"]
    people, accuracies = material.people, []
    for result in material.results if material.is_by_kind else ():
        table = accuracy_frame(factors_frame(result.suite.items), result.runs)
        accuracies.append(table.select(name for name in schema.ACCURACY if name in table.columns))
    files = {
        "accuracy.csv": (
            "accuracy of every model on all that it could answer, in all and along each dimension",
            pl.concat(accuracies or [pl.DataFrame()], how="vertical_relaxed"),
        ),
        "comparison.csv": (
            "people and models by kind and construction",
            material.comparison.select(list(schema.COMPARISON)),
        ),
        "measures.csv": (
            "all other statistics, with intervals and how they were made",
            frame((one.as_row(schema.MEASURES) for one in people.measures), schema.MEASURES),
        ),
        "exclusions.csv": (
            "who or what was left out, by which rule",
            frame(map(asdict, people.answers.gone), schema.EXCLUSIONS),
        ),
        "items.csv": (
            "every item with its answers, and each model's credit and margin in bits",
            frame(_item_rows(material, models), columns),
        ),
    }
    for name, (about, table) in files.items():
        if table.height:
            yield EmbeddedFile(name, about, to_csv(table))


def _item_rows(material: ReportData, models: Sequence[str]) -> Iterator[Row]:
    """Yield the rows of items.csv: each item that somebody answered, people's answers, and the
    credit and margin (bits) of each model."""
    tallies = {tally.item: tally for tally in material.tallies}
    for identity, item in material.items.items():
        tally, factors = tallies.get(identity), factors_of(item)
        right, wrong = forms_of(item) or ("", "")
        scored_by = [name for name in models if identity in material.outcomes[name]]
        if not tally and not scored_by:
            continue
        row: dict[str, Cell] = {
            "item": identity,
            "source": item.cluster_id,
            "kind": item.kind,
            **{name: factors[name] for name in ("construction", "value", "n_attractors")},
            "gap": item.agreement.gap if item.agreement else None,
            "language": item.language,
            "prefix": prefix_of(item),
            "right": right,
            "wrong": wrong,
            "people_right": tally.right if tally else None,
            "people_total": tally.total if tally else None,
        }
        for name in scored_by:
            row[f"{name}: credit"], margin = material.outcomes[name][identity]
            row[f"{name}: margin_bits"] = None if margin is None else round(margin, MARGIN_DIGITS)
        yield row
