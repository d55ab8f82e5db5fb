"""Section: method text that can be pasted into a paper, with the works it cites.

Every sentence is there only where it is true of the material, and every number is the material's.
"""

from collections.abc import Iterator, Sequence

from colorless_green.humans.page.material import Material
from colorless_green.humans.page.paper.clause import Clause, clause, listed, paragraph
from colorless_green.humans.page.paper.items import items
from colorless_green.humans.page.paper.models import models
from colorless_green.humans.page.paper.people import people
from colorless_green.humans.page.paper.statistics import statistics
from colorless_green.humans.page.parts import Cell, Download, Section, Table, heading
from colorless_green.humans.page.raters import Rater
from colorless_green.humans.page.references import BY_KEY, bibtex, cited, in_words

FILE, BIBTEX = "references.bib", "application/x-bibtex"
TOOL = "colorless-green"
NUMPY = "numpy"
IN_SIGNATURES = ("torch", "transformers")  # versions that a model's signature tells


def section(material: Material, raters: Sequence[Rater]) -> Section | None:
    """None where nothing was tested, nor anybody asked."""
    paragraphs = [list(each) for each in _paragraphs(material, raters)]
    said = [paragraph(clauses) for clauses in paragraphs if clauses]
    if not said:
        return None
    software = list(_software(material))
    keys = _cited([*(each for clauses in paragraphs for each in clauses), *software])
    return Section(
        name="paper",
        title="For a paper",
        text=(*said, *([paragraph(software)] if software else [])),
        tables=(_references(keys),) if keys else (),
        downloads=(Download(FILE, "the works cited, as BibTeX", BIBTEX, bibtex(keys)),)
        if keys
        else (),
    )


def _paragraphs(material: Material, raters: Sequence[Rater]) -> Iterator[Iterator[Clause]]:
    yield items(material)
    yield models(material, raters)
    yield people(material)
    yield statistics(material)


def _software(material: Material) -> Iterator[Clause]:
    """The program and what it counted with, then what the models ran on."""
    versions = dict(material.versions)
    if TOOL not in versions:
        return
    numpy = f" (NumPy {versions[NUMPY]})" if NUMPY in versions else ""
    yield clause(f"All analyses were made with {TOOL} {versions[TOOL]}{numpy}")
    told = [f"{name} {version}" for name in IN_SIGNATURES for version in _versions(material, name)]
    if told:
        yield clause(f"Models ran on {listed(told)}")


def _versions(material: Material, package: str) -> list[str]:
    """Those of a package in the signatures of the runs."""
    found = dict.fromkeys(
        part.removeprefix(f"{package}:")
        for run in material.runs
        for part in run.signature.split("|")
        if part.startswith(f"{package}:")
    )
    return list(found)


def _cited(clauses: Sequence[Clause]) -> tuple[str, ...]:
    """The keys that stand behind any of them, as a list of references is sorted."""
    keys = {key for each in clauses for key in each.cites}
    return tuple(sorted(keys, key=lambda key: (in_words(key).lower(), BY_KEY[key].year)))


def _references(keys: Sequence[str]) -> Table:
    return Table(
        name="paper-references",
        title="References",
        columns=(heading("cited as"), heading("work")),
        rows=tuple((Cell(cited(key), key), Cell(in_words(key))) for key in keys),
    )
