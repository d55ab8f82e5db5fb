"""What was tested, in words for a paper."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from colorless_green.data.tables import Row
from colorless_green.humans.page.constructions import ACCEPTED
from colorless_green.humans.page.material import Material, Suites
from colorless_green.humans.page.numbers import count, text
from colorless_green.humans.page.paper.clause import (
    Clause,
    clause,
    listed,
    several,
    spread,
    verb,
)
from colorless_green.humans.page.references import cited
from colorless_green.humans.page.sources import origin, repository
from colorless_green.humans.rated import HUMANS
from colorless_green.nonce.item import Agreement, Item, factors_of

SOURCES: Mapping[str, tuple[str, ...]] = {  # what items say of where they are from → works
    "Gulordava et al. 2018": ("gulordava2018",),
    "Linzen et al. 2016 (Gulordava et al. 2018)": ("linzen2016", "gulordava2018"),
    "Marvin & Linzen 2018": ("marvin2018",),
    "Hu et al. 2020 (reflexives)": ("hu2020reflexives",),
    "BLiMP": ("warstadt2020",),
    "CLAMS": ("mueller2020",),
}
PAPERS: Mapping[str, str] = {  # names of published tables → works
    "gulordava2018": "gulordava2018",
    "marvin2018": "marvin2018",
    "hu2020-syntaxgym": "hu2020systematic",
    "hu2020-reflexives": "hu2020reflexives",
    "warstadt2020": "warstadt2020",
}
KINDS: Mapping[str, str] = {
    "original": "original sentence", "nonce": "nonce variant", "composed": "composed item",
    "template": "template item",
    "suite": "item",
}  # fmt: skip
RULES: Mapping[str, Clause] = {
    "released": clause(
        "A construction was accepted by the rule “released”, that of the published scripts",
        "gulordava2018",
    ),
    "strict": clause(
        "A construction was accepted by the rule “strict”, that of the published description",
        "gulordava2018",
    ),
    "tested": clause(
        "A construction was accepted by the rule “tested”: its words agreed more often than the"
        " frequencies of the values would have them (exact binomial test, false discovery rate"
        " controlled over all constructions), and nearly always",
        "benjamini1995",
    ),
}
MORPHOLOGY = "others with the same part of speech and morphological features"
LEVELS: Mapping[str, str] = {  # what each level asks of a new word
    "morphology": MORPHOLOGY,
    "+frequency": f"{MORPHOLOGY}, and of similar frequency",
    "+frame": f"{MORPHOLOGY}, of similar frequency, and seen in the same syntactic frame",
    "+unseen": f"{MORPHOLOGY}, of similar frequency, and seen in the same syntactic frame, so that"
    " no pair of neighbours or of head and dependent was attested",
}
NAMED = 3  # sources that are named one by one


def items(material: Material) -> Iterator[Clause]:
    """Where the items are from, how many of what, and how variants were made; nothing without
    items."""
    every = tuple(material.items.values())
    if not every:
        return
    if material.suites is not None:
        yield from _suites(material.suites, every)
        return
    if material.constructions:
        yield from _mined(material.constructions, every)
    else:
        yield _taken(every)
        yield from _treebanks(list(dict.fromkeys(item.source for item in every)))
    yield _counted(every)
    yield from _variants(every)
    n = sum(factors_of(item)["n_attractors"] not in ("", "0") for item in every)
    if n:
        yield clause(
            f"{several(n, 'item')} had at least one attractor, a word between cue and target with"
            " the cue's part of speech and another value of the feature"
        )


def _mined(rows: Sequence[Row], every: Sequence[Item]) -> Iterator[Clause]:
    known = _agreements(every)
    n_accepted = sum(text(row, "verdict") == ACCEPTED for row in rows)
    features = listed(list(dict.fromkeys(each.feature for each in known)))
    sources = list(dict.fromkeys(item.source for item in every))
    yield clause(
        f"Test items were mined from {listed(sources)}: {count(n_accepted)} of"
        f" {several(len(rows), 'construction')} in which two words could agree in {features}"
        f" {verb(n_accepted)} accepted"
    )
    yield from _treebanks(sources)
    for rule in dict.fromkeys(each.rule for each in known):
        yield RULES.get(rule) or clause(f"A construction was accepted by the rule “{rule}”")


def _treebanks(sources: Sequence[str]) -> Iterator[Clause]:
    """Those of Universal Dependencies, by whom they ask to be cited."""
    own = [source for source in sources if repository(source)]
    if own:
        what = "is a treebank" if len(own) == 1 else "are treebanks"
        yield clause(
            f"{listed(own)} {what} of Universal Dependencies", "nivre2020", "demarneffe2021"
        )


def _taken(every: Sequence[Item]) -> Clause:
    """Of items that were not mined here: the sets that they are of."""
    sources = dict.fromkeys(map(origin, every))
    works = [key for source in sources for key in SOURCES.get(source, ())]
    # A set that goes by its paper's name is cited, not named and cited.
    named = [source for source in sources if source not in map(cited, works)]
    if len(named) > NAMED:
        named = [*named[:NAMED], f"{count(len(named) - NAMED)} more"]
    return clause(f"Test items were taken from {listed(named) or 'a published set'}", *works)


def _counted(every: Sequence[Item]) -> Clause:
    kinds = Counter(item.kind for item in every)
    parts = [several(kinds[kind], name) for kind, name in KINDS.items() if kinds[kind]]
    n = len({each.construction for each in _agreements(every)})
    were = verb(len(every))
    return clause(f"There {were} {listed(parts)} of {several(n, 'construction')}")


def _variants(every: Sequence[Item]) -> Iterator[Clause]:
    """How the variants that this program made came about; others' have no level."""
    made = [item for item in every if item.kind == "nonce" and _level(item)]
    if not made:
        return
    known = _agreements(made)
    sizes = Counter(item.cluster_id for item in made)
    levels = list(dict.fromkeys(each.level for each in known))
    seeds = sorted({each.seed for each in known if each.seed is not None})
    settings = [f"level{'s' if len(levels) > 1 else ''} {listed([f'“{each}”' for each in levels])}"]
    if seeds:
        settings.append(f"seed{'s' if len(seeds) > 1 else ''} {listed(list(map(str, seeds)))}")
    how = LEVELS.get(levels[0]) if len(levels) == 1 else None
    yield clause(
        f"In the variants ({spread(list(sizes.values()))} of an original) content words were"
        f" exchanged for {how or 'others'} ({', '.join(settings)})",
        "gulordava2018",
    )


def _level(item: Item) -> str:
    return item.agreement.level if item.agreement is not None else ""


def _agreements(every: Sequence[Item]) -> list[Agreement]:
    return [item.agreement for item in every if item.agreement is not None]


def _suites(suites: Suites, every: Sequence[Item]) -> Iterator[Clause]:
    """Of controlled suites: how many, from where, and when an item is right."""
    works = [PAPERS[name] for name, _ in suites.papers if name in PAPERS]
    taken = _taken(every)
    yield clause(taken.text, *taken.cites, *works)
    circuits = {each.circuit for each in suites.predicted} - {""}
    about = f" about {count(len(circuits))} phenomena" if len(circuits) > 1 else ""
    yield clause(
        f"There {verb(len(every))} {several(len(every), 'item')} in"
        f" {several(len(suites.predicted), 'suite or paradigm', 'suites or paradigms')}{about}"
    )
    if set(suites.raters) - {HUMANS}:
        yield clause("An item was right where its suite's prediction held")
