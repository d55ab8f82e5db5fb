"""One pass over a treebank: agreements per construction, where they stand, and the paradigms."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from colorless_green.miner import arcs
from colorless_green.miner.arcs import Found, Instance
from colorless_green.miner.features import Values, parse_feats
from colorless_green.miner.filters import Place, filtered_by
from colorless_green.miner.paradigms import Analysis, count_analyses
from colorless_green.miner.patterns import match
from colorless_green.miner.patterns.pattern import ARC, Pattern
from colorless_green.miner.repair import Repair
from colorless_green.miner.rule import Key
from colorless_green.miner.selection import Selection
from colorless_green.miner.surface import Surface, surface_of
from colorless_green.miner.tree import Sentence
from colorless_green.miner.values import with_values


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for in every sentence; the same wherever a part of the treebank is read."""

    selection: Selection
    patterns: tuple[Pattern, ...]  # those of `selection.patterns`, `arc` left out
    features: tuple[str, ...]
    language: str
    value_from: frozenset[str] = frozenset()  # relations that tell a noun's value where it does not


@dataclass(frozen=True, slots=True)
class Stages:
    """How many arcs reached each stage of a rule (mining facts §1.3, "Stage counts")."""

    n_sentences: int
    n_words: int
    n_withheld: int  # words whose form is "_": text that may not be distributed
    n_ranges: int
    n_arcs: int
    n_near: int
    n_kept: int
    n_with_feature: int  # instances
    n_keys: int
    n_by_pattern: dict[str, int]  # instances that a path found
    n_left_out: dict[str, int]  # instances that each filter left out
    annotated: dict[str, int]  # feature → words that carry it
    carried: tuple[str, ...] = ()  # where there is none for one of them, the features that are
    n_dropped: dict[str, int] = field(default_factory=dict)
    """sentences on which two parses do not agree enough, by reason"""


@dataclass(slots=True)
class Counts:
    """What was counted. It grows with the distinct keys and analyses, and by four bytes for each
    instance."""

    tables: dict[Key, dict[tuple[str, str], int]] = field(default_factory=dict)
    places: dict[Key, "array[int]"] = field(default_factory=dict)
    """key → numbers of the sentences of its instances, counted from the part's first"""
    analyses: Counter[Analysis] = field(default_factory=Counter)
    n_by_pattern: Counter[str] = field(default_factory=Counter)
    n_left_out: Counter[str] = field(default_factory=Counter)
    n_sentences: int = 0
    n_words: int = 0
    n_ranges: int = 0
    n_arcs: int = 0
    n_near: int = 0
    n_kept: int = 0
    n_with_feature: int = 0

    def add(self, other: "Counts") -> "Counts":
        """With what another part, later in the treebank, has counted; but without its places."""
        for key, table in other.tables.items():
            own = self.tables.setdefault(key, {})
            for cell, n in table.items():
                own[cell] = own.get(cell, 0) + n
        self.analyses.update(other.analyses)
        self.n_by_pattern.update(other.n_by_pattern)
        self.n_left_out.update(other.n_left_out)
        self.n_sentences += other.n_sentences
        self.n_words += other.n_words
        self.n_ranges += other.n_ranges
        self.n_arcs += other.n_arcs
        self.n_near += other.n_near
        self.n_kept += other.n_kept
        self.n_with_feature += other.n_with_feature
        return self

    def stages(self, features: Sequence[str], repair: Repair | None = None) -> Stages:
        """The totals, for the run's record."""
        values = [(feature, Values(feature, repair)) for feature in features]
        annotated = dict.fromkeys(features, 0)
        n_withheld = 0
        for (form, _, _, feats), n in self.analyses.items():
            n_withheld += n if form == "_" else 0
            for feature, table in values:
                annotated[feature] += n if table[feats] is not None else 0
        return Stages(
            self.n_sentences,
            self.n_words,
            n_withheld,
            self.n_ranges,
            self.n_arcs,
            self.n_near,
            self.n_kept,
            self.n_with_feature,
            len(self.tables),
            dict(self.n_by_pattern),
            dict(self.n_left_out),
            annotated,
            () if all(annotated.values()) else self._carried(),
        )

    def _carried(self) -> tuple[str, ...]:
        """The features of the treebank's words, the most frequent first."""
        found: Counter[str] = Counter()
        for (_, _, _, feats), n in self.analyses.items():
            found.update(dict.fromkeys(parse_feats(feats), n))
        return tuple(name for name, _ in found.most_common())


OF_FEATURE = "@"
AT_ONCE = 64  # sentences whose words are counted in one call: fewer calls, a tenth of counting

Finder = Callable[[Sentence], tuple[Surface, Found]]


def finder(search: Search, repair: Repair | None = None) -> Finder:
    """What finds the instances of a sentence whose FEATS are as the file has them; `repair` is
    applied before values are looked up. It remembers FEATS it has seen."""
    selection, features = search.selection, search.features
    if search.value_from:
        find = finder(replace(search, value_from=frozenset()), repair)
        return with_values(find, features, search.value_from, selection.merging)
    values = {feature: Values(feature, repair) for feature in features}
    if not search.patterns and not selection.filters and len(features) == 1:

        def arcs_alone(sentence: Sentence) -> tuple[Surface, Found]:
            surface = surface_of(sentence, selection.merging)
            return surface, arcs.find(surface, values[features[0]], selection)

        return arcs_alone
    for pattern in search.patterns:
        for pair in match.features_of(pattern, features):
            new = [feature for feature in pair if feature not in values]
            values |= {feature: Values(feature, repair) for feature in new}
    language = search.language.partition("-")[0]
    one_feature = len(features) == 1

    def everything(sentence: Sentence) -> tuple[Surface, Found]:
        surface = surface_of(sentence, selection.merging)
        relations = match.by_relation(surface) if search.patterns else {}
        patterns = [each for each in search.patterns if match.is_possible(each, relations)]
        if patterns:
            found = _with_paths(surface, patterns, relations, search, values)
        else:
            found = _arcs(surface, search, values)
        if not found.instances:
            return surface, found
        children = match.children_of(surface)
        kept: list[Instance] = []
        left_out: list[str] = []
        for instance in found.instances:
            reason = filtered_by(Place(surface, children, instance, language), selection.filters)
            if reason:
                left_out.append(reason)
            else:
                kept.append(instance if one_feature else _with_feature(instance))
        found.instances, found.left_out = kept, left_out
        return surface, found

    return everything


def _with_feature(instance: Instance) -> Instance:
    """The instance, its construction named after the feature too: where several are mined, what is
    made of them later is told apart by this name."""
    return instance._replace(key=f"{instance.key}{OF_FEATURE}{instance.feature}")


def _arcs(surface: Surface, search: Search, values: dict[str, Values]) -> Found:
    """Dependencies, for each feature; counted once."""
    if ARC not in search.selection.patterns:
        return Found()
    first, *others = [
        arcs.find(surface, values[feature], search.selection) for feature in search.features
    ]
    for each in others:
        first.instances = [*first.instances, *each.instances]
    return first


def _with_paths(
    surface: Surface,
    patterns: Sequence[Pattern],
    relations: Mapping[str, Sequence[int]],
    search: Search,
    values: dict[str, Values],
) -> Found:
    """Instances of the paths, then the dependencies. A pair of words counts once for a feature: for
    the first pattern that finds it, or as a dependency."""
    children = match.children_of(surface)
    found = _arcs(surface, search, values)
    kept: dict[tuple[int, int, str], Instance] = {}
    for pattern in patterns:
        for each in match.instances(
            surface, children, relations, pattern, values, search.selection, search.features
        ):
            kept.setdefault((each.arc.cue, each.arc.target, each.feature), each)
    if kept:
        found.instances = [
            *kept.values(),
            *(
                each
                for each in found.instances
                if (each.arc.cue, each.arc.target, each.feature) not in kept
            ),
        ]
    return found


def count(sentences: Iterable[Sentence], search: Search, repair: Repair | None = None) -> Counts:
    """Counts over sentences; analyses are counted unrepaired."""
    counts = Counts()
    find = finder(search, repair)
    tables, places = counts.tables, counts.places
    waiting: list[Sentence] = []
    for sentence in sentences:
        waiting.append(sentence)
        if len(waiting) == AT_ONCE:
            count_analyses(waiting, counts.analyses)
            waiting.clear()
        _, found = find(sentence)
        counts.n_sentences += 1
        counts.n_words += len(sentence)
        counts.n_ranges += len(sentence.ranges)
        counts.n_arcs += found.n_arcs
        counts.n_near += found.n_near
        counts.n_kept += found.n_kept
        counts.n_with_feature += len(found.instances)
        if found.left_out:
            counts.n_left_out.update(found.left_out)
        for instance in found.instances:
            if instance.pattern:
                counts.n_by_pattern[instance.pattern] += 1
            key = Key(instance.feature, instance.key)
            table = tables.get(key)
            if table is None:
                table = tables[key] = {}
                places[key] = array("I")
            cell = (instance.cue_value, instance.target_value)
            table[cell] = table.get(cell, 0) + 1
            places[key].append(sentence.number)
    count_analyses(waiting, counts.analyses)
    return counts
