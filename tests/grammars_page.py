"""The tables of bench/languages.md: what grammars say of two words, and what the tool says of them.

`python -m tests.grammars_page ../shared/treebanks` puts them where the page marks them. The
statements of grammars are those of miner/grammars.tsv, which were put down before any verdict was
seen.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from colorless_green.data.executor import executor
from colorless_green.data.tables import Row, read_tsv
from colorless_green.miner import Construction, MinedTreebank, Rule, mine_treebank, treebank

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "bench" / "languages.md"
STATEMENTS = ROOT / "tests" / "miner" / "grammars.tsv"
BEGIN, END = "<!-- tests/grammars_page.py: {} -->", "<!-- end -->"
ALIKE, UNDECIDED, WRONG = OUTCOMES = ("alike", "undecided", "wrong")
ALPHA = 0.05
CONTROLS = {
    "UD_Japanese-GSD": "no number agreement (Shibatani 1990)",
    "UD_Korean-GSD-r2.10": "no number agreement (Sohn 1999)",
    "UD_Vietnamese-VTB": "no number agreement (Nguyễn 1997)",
    "UD_Chinese-GSDSimp": "no agreement (Li & Thompson 1981)",
    "UD_Indonesian-GSD": "no number agreement (Sneddon 1996)",
    "UD_Afrikaans-AfriBooms": "verbs have no number (Donaldson 1993)",
    "UD_Telugu-MTG": "rich agreement (Krishnamurti & Gwynn 1985)",
    "UD_Maltese-MUDT": "rich agreement (Borg & Azzopardi-Alexander 1997)",
    "UD_Tswana-Popapolelo": "rich agreement (Cole 1955)",
}


@dataclass(frozen=True, slots=True)
class Run:
    """One mining that some statements need."""

    treebank: str
    feature: str
    min_gap: int | None


@dataclass(frozen=True, slots=True)
class Found:
    """What a mining said of the constructions that statements name, parts behind the whole."""

    judged: Mapping[tuple[str, str], tuple[Construction, ...]]  # by feature and name
    originals: Mapping[tuple[str, str], int]


def statements() -> list[dict[str, str]]:
    """Return the statements of grammars, in the order of the page."""
    return list(read_tsv(STATEMENTS))


def run_of(statement: Row, *, near: bool) -> Run:
    """Return the mining that a statement needs; `near`: at the distance it names, if it names
    one."""
    gap = statement["min_gap"] if near else None
    return Run(
        str(statement["treebank"]),
        str(statement["feature"]).partition("~")[0],
        None if gap in (None, "") else int(str(gap)),
    )


def mined(folder: Path, run: Run) -> Found:
    """Return what the tool finds under the rule's defaults."""
    found: MinedTreebank = mine_treebank(
        treebank([folder / run.treebank]),
        Rule(min_gap=run.min_gap),
        features=(run.feature,),
    )
    judged: dict[tuple[str, str], tuple[Construction, ...]] = {}
    for each in found.constructions:
        key = each.feature, each.base or each.name
        judged[key] = (*judged.get(key, ()), each)
    n_originals = Counter((each.feature, each.construction) for each in found.agreements)
    return Found(judged, n_originals)


def best(statement: Row, found: Found) -> Construction | None:
    """Return the verdict on the construction or, where it was taken apart, on its best part."""
    rank = ("accepted", "undecided", "rejected")
    cases = found.judged.get((str(statement["feature"]), str(statement["construction"])), ())
    return min(cases, key=lambda each: (rank.index(each.verdict), -each.n), default=None)


def outcome(statement: Row, case: Construction | None) -> str:
    """Whether grammar and tool say the same. Too few data are those the tool calls so: no instance,
    too few to be looked at, one value alone, or undecided."""
    if case is None or case.evidence is None or case.undecided:
        return UNDECIDED
    one_value = len({value for cell in case.table for value in cell}) < 2
    if statement["grammar"] == "agree":
        return ALIKE if case.accepted else UNDECIDED if one_value else WRONG
    if case.accepted:
        return WRONG
    at_chance = one_value or case.q is None or case.q > ALPHA
    return ALIKE if at_chance else UNDECIDED


def told(statement: Row, case: Construction | None, found: Found, run: Run) -> str:
    """Return a statement in a cell of the table."""
    words = str(statement["words"])
    feature = str(statement["feature"]).rpartition("~")[2]
    subject = f"_{words}_" if statement["grammar"] == "none" else words
    parts = [f"{subject}, {feature}"]
    if case is None:
        parts.append("–")
    else:
        number = f"{case.n_agree}/{case.n}"
        if case.accepted:
            number += f" ({found.originals.get((case.feature, case.name), 0)})"
        if case.conditions:
            number += f" `{case.name.partition('@')[0]}`"
        parts.append(number)
    if run.min_gap is not None:
        parts.append(f"≥{run.min_gap}")
    return " ".join(parts)


def tables(folder: Path) -> dict[str, list[str]]:
    """Return the page's tables by name."""
    rows = statements()
    runs = list(dict.fromkeys(run_of(row, near=near) for near in (False, True) for row in rows))
    with executor(2) as workforce:
        found = dict(zip(runs, workforce.map(partial(mined, folder), runs), strict=True))
        controls = list(
            workforce.map(
                partial(control, folder), [Run(name, "Number", None) for name in CONTROLS]
            )
        )
    counts: dict[bool, Counter[tuple[str, str]]] = {False: Counter(), True: Counter()}
    cells: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        for near in (False, True):
            run = run_of(row, near=near)
            case = best(row, found[run])
            result = outcome(row, case)
            counts[near][(str(row["grammar"]), result)] += 1
            if near:
                of_language = cells.setdefault(str(row["language"]), {})
                of_language.setdefault(result, []).append(told(row, case, found[run], run))
    return {
        "count": list(_counted(counts)),
        "statements": list(_listed(cells)),
        "controls": controls_table(controls),
    }


def _counted(counts: Mapping[bool, Counter[tuple[str, str]]]) -> Iterator[str]:
    yield "| words between | alike: agree, none | undecided | wrong |"
    yield "|---|--:|--:|--:|"
    for near, name in ((False, "3 to 13"), (True, "as the statement needs")):
        of = counts[near]
        cells = []
        for each in OUTCOMES:
            agree, none = of[("agree", each)], of[("none", each)]
            cells.append(f"{agree + none}: {agree}, {none}")
        yield f"| {name} | {' | '.join(cells)} |"


def _listed(cells: Mapping[str, Mapping[str, Sequence[str]]]) -> Iterator[str]:
    yield "| language | alike | undecided | wrong |"
    yield "|---|---|---|---|"
    for language, of in cells.items():
        yield f"| {language} | {' | '.join('; '.join(of.get(each, ())) for each in OUTCOMES)} |"


def control(folder: Path, run: Run) -> tuple[int, int, list[str]]:
    """Words with Number, constructions tested, and the names of those accepted."""
    found = mine_treebank(treebank([folder / run.treebank]), Rule(), features=(run.feature,))
    return (
        found.stages.annotated[run.feature],
        sum(each.p is not None for each in found.constructions),
        [each.name for each in found.constructions if each.accepted],
    )


def controls_table(found: Sequence[tuple[int, int, list[str]]]) -> list[str]:
    """Return the table of the languages without agreement, or without its annotation."""
    lines = ["| treebank | with Number | tested | accepted | grammar |", "|---|--:|--:|--:|---|"]
    for (name, grammar), (annotated, tested, accepted) in zip(CONTROLS.items(), found, strict=True):
        named = ", ".join(accepted) or "none"
        lines.append(
            f"| {name.removeprefix('UD_')} | {annotated:,} | {tested} | {named} | {grammar} |"
        )
    return lines


def page(folder: Path, text: str) -> str:
    """Return the page's text with its tables made anew."""
    for name, lines in tables(folder).items():
        head, begin, rest = text.partition(BEGIN.format(name))
        _, end, tail = rest.partition(END)
        assert begin, name
        assert end, name
        text = "\n".join([head + begin, "", *lines, "", end]) + tail
    return text


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1]), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
