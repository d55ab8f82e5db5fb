"""A treebank under a rule: constructions, originals, rejections."""

from collections.abc import Iterable
from dataclasses import dataclass

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import load, named
from colorless_green.miner.conllu import OnBad
from colorless_green.miner.construction import Construction, Original, Rejection
from colorless_green.miner.counts import Counts, Stages, count
from colorless_green.miner.originals import originals_of
from colorless_green.miner.paradigms import paradigms_of, surface_forms
from colorless_green.miner.repair import REPAIRS, Repair, needs_english_repair
from colorless_green.miner.rule import Rule
from colorless_green.miner.rules import GROUP, RULES
from colorless_green.miner.tree import Sentence
from colorless_green.miner.treebank import Treebank, sentences

AUTO, NONE = "auto", "none"


@dataclass(frozen=True, slots=True)
class Mining:
    """What mining a treebank gave, and under which conditions."""

    treebank: Treebank
    rule: str
    feature: str
    repair: str  # the repair that was applied, or "none"
    ghosts: bool
    stages: Stages
    constructions: tuple[Construction, ...]
    originals: tuple[Original, ...]
    rejections: tuple[Rejection, ...]


def rule_named(name: str) -> Rule:
    """The rule registered under a name. Raises `InputError` that lists those there are."""
    rule: Rule = load(RULES, name, "--rule", GROUP)
    return rule


def repair_for(source: Treebank, name: str) -> tuple[str, Repair | None]:
    """(name, repair) that `--repair NAME` asks for; `auto` looks at the treebank."""
    if name == AUTO:
        stream = (sentence for _, sentence in sentences(source, on_bad=lambda fault: None))
        name = "ewt-2.0" if needs_english_repair(source.language, stream) else NONE
    if name == NONE:
        return NONE, None
    named({**REPAIRS, AUTO: None, NONE: None}, name, "--repair")
    return name, REPAIRS[name]


def mine(
    source: Treebank,
    rule: Rule,
    *,
    feature: str = "Number",
    vocabulary: frozenset[str] | None = None,
    repair: str = AUTO,
    ghosts: bool = True,
    on_bad: OnBad | None = None,
    progress: Progress = silent,
) -> Mining:
    """Mines `source` in two passes: one counts, one reads the sentences of what was accepted.

    Without `vocabulary`, every surface form of the treebank is known. `ghosts=False` leaves out
    the arcs of merged words also where the rule counts them.
    """
    repair_name, repair_function = repair_for(source, repair)
    ghosts = ghosts and rule.ghosts
    n_files = len(source.files)
    stream = sentences(
        source,
        repair=repair_function,
        on_bad=on_bad,
        progress=lambda n_done: progress("files read", n_done, n_files),
    )
    counts = count(stream, rule, feature, ghosts=ghosts)
    if counts.n_sentences == 0:
        raise InputError(source.name, "no sentence is left of it", "at least one good sentence")
    constructions = rule.decide(feature, counts.tables)
    accepted = [each for each in constructions if each.accepted]
    wanted = _wanted(counts, {each.name for each in accepted})
    again = sentences(source, repair=repair_function, only=wanted) if wanted else ()
    originals, rejections = originals_of(
        _only_sentences(again),
        accepted,
        rule,
        feature,
        paradigms_of(counts.analyses, letters_only=rule.letters_only),
        vocabulary if vocabulary is not None else surface_forms(counts.analyses),
        ghosts=ghosts,
    )
    return Mining(
        source,
        rule.name,
        feature,
        repair_name,
        ghosts,
        counts.stages(),
        tuple(constructions),
        tuple(originals),
        tuple(rejections),
    )


def _wanted(counts: Counts, keys: set[str]) -> dict[int, set[int]]:
    """File index → numbers of the sentences that hold an instance of one of `keys`."""
    wanted: dict[int, set[int]] = {}
    for key in sorted(keys):
        for file_index, number in counts.places[key]:
            wanted.setdefault(file_index, set()).add(number)
    return wanted


def _only_sentences(numbered: Iterable[tuple[int, Sentence]]) -> Iterable[Sentence]:
    return (sentence for _, sentence in numbered)
