"""Section: what was done, as a table of facts with their numbers, for a method section."""

from collections import Counter
from collections.abc import Iterator

from ...data.items.item import factors_of
from ...data.registry import counted
from ...data.statistics.differences import EXACT_SOURCES, SIGN_FLIPS, SQUARE_AND_ADD
from ...data.statistics.intervals import OVER_SOURCES
from ...data.statistics.rank_correlation import PERMUTATIONS
from ..measures.correlations import BY_T, WITHIN
from ..statistics.people import SPLITS
from . import _page_table as form
from ._accuracies import Accuracies, compared_on
from ._page_table import Column, Table
from ._parts import Section
from ._report_data import ACCEPTED, ReportData


def method_section(accuracies: Accuracies) -> Section:
    """Return the section; every fact is there only where it is true."""
    material = accuracies.material
    facts = [*_items(material), *_people(material), *_statistics(accuracies)]
    facts.append(("program", form.enumeration([f"{k} {v}" for k, v in material.versions.items()])))
    rows = [{"what": what, "how": how} for what, how in facts if how]
    columns = [Column("what", "what"), Column("how", "how")]
    note = "What to cite is in docs/method.md of the program."
    table = Table("facts", "Facts", columns, rows, note)
    return Section("method", "What was done", tables=(table,))


def _items(material: ReportData) -> Iterator[tuple[str, str]]:
    items = material.items.values()
    agreements = [item.agreement for item in items if item.agreement is not None]
    mined = material.constructions
    yield "source of the items", form.enumeration(dict.fromkeys(item.source for item in items))
    yield "licence", form.enumeration(sorted({item.licence for item in items} - {""}))
    if mined:
        n_accepted = sum(row["verdict"] == ACCEPTED for row in mined)
        yield (
            "rule of agreement",
            form.enumeration(dict.fromkeys(str(row["rule"]) for row in mined if row["rule"])),
        )
        yield "constructions accepted", f"{form.count(n_accepted)} of {form.count(len(mined))}"
    yield "feature", form.enumeration(dict.fromkeys(a.feature for a in agreements))
    kinds = Counter(item.kind for item in items)
    yield "items", form.enumeration(f"{form.count(n)} {kind}" for kind, n in kinds.items())
    if n_sets := len({item.set_id for item in items if item.kind == "composed"}):
        yield "composed sets", form.count(n_sets)
    variants = [a for a in agreements if a.level]
    yield "level of the variants", form.enumeration(dict.fromkeys(e.level for e in variants))
    yield (
        "seed of the variants",
        form.enumeration(sorted({str(a.seed) for a in variants if a.seed is not None})),
    )
    if agreements:
        n_attracted = sum(factors_of(item)["n_attractors"] not in ("", "0") for item in items)
        yield "items with attractors", form.count(n_attracted)
    if material.suites:
        yield f"{material.suites.unit}s", form.count(material.suites.predicted.height)


def _people(material: ReportData) -> Iterator[tuple[str, str]]:
    judged = [tally for tally in material.tallies if tally.total]
    if judged:
        targets = material.people.answers.trials.filter(kind="target")
        counting = targets["participant"].unique()
        n = sum(tally.total for tally in judged)
        people = f" by {counted(len(counting), 'participant')}" if len(counting) else ""
        yield "answers analysed", f"{form.count(n)}{people} to {counted(len(judged), 'item')}"
        low, high = min(t.total for t in judged), max(t.total for t in judged)
        yield "answers an item", f"{low} to {high}, mean {n / len(judged):.1f}"
    yield "judgments", "simulated by a program" if material.simulated and judged else ""


def _statistics(accuracies: Accuracies) -> Iterator[tuple[str, str]]:
    material = accuracies.material
    measures = [m for m in material.people.measures if m.value is not None]
    methods = dict.fromkeys(point["method"] for point in accuracies.points() if point["method"])
    flips = f"exact up to {EXACT_SOURCES} clusters, else {form.count(SIGN_FLIPS)} random flips"
    for kind in material.common:
        yield f"compared on, {form.kind_name(kind)}", compared_on(material, kind)
    yield "95 % intervals", form.enumeration([OVER_SOURCES] if material.suites else methods)
    if material.comparison["p"].count():
        yield "tests of differences", f"people and models: {SQUARE_AND_ADD}, Holm"
    if len(accuracies.raters) > 2 or (material.suites and material.suites.paired["p"].count()):
        yield "tests between raters", f"sign flips ({flips})"
    if any(m.p is not None and m.note == BY_T for m in measures):
        yield "tests of Spearman's ρ", BY_T
    if any(m.p is not None and m.note.startswith(WITHIN) for m in measures):
        yield "tests of ρ within sources", f"{form.count(PERMUTATIONS)} permutations"
    if any(m.statistic == "split-half ρ" for m in measures):
        yield "reliability", f"{form.count(SPLITS)} splits of people, Spearman–Brown"
    if any(m.statistic == "Krippendorff's α" for m in measures):
        yield "agreement among people", "Krippendorff's α, nominal"
