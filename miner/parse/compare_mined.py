"""What is mined from a parse beside what is mined from the gold treebank of the same text."""

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from colorless_green.data.tables import Row
from colorless_green.miner.instances import Finder
from colorless_green.miner.mine import MinedTreebank, Request, mine
from colorless_green.miner.parse.compare import measure
from colorless_green.miner.parse.text import raw_text
from colorless_green.miner.repair import REPAIRS
from colorless_green.miner.treebank import Treebank, sentences


@dataclass(frozen=True, slots=True)
class Mined:
    """What a treebank gives under a rule, each thing told by what it can be found again by."""

    places: Counter[Hashable]  # instances: (text without blanks, cue index, target index)
    values: Counter[Hashable]  # the same with construction and both values
    constructions: tuple[Hashable, ...]  # accepted: (feature, name, values)
    originals: tuple[Hashable, ...]  # (text without blanks, cue index, target index)


def mined_of(source: Treebank, request: Request) -> tuple[Mined, MinedTreebank]:
    """Instances, accepted constructions and originals of a treebank.

    Indices are 0-based positions, of instances as the rule counts them, of originals those of
    surface tokens. An instance is a pair that the rule looks at and whose two ends carry the
    feature, of whatever construction.
    """
    mining = mine(source, request)
    finder = Finder(mining.search)
    wanted = {(each.file, each.number_in_file) for each in mining.originals}
    texts: dict[tuple[str, int], str] = {}
    places: Counter[Hashable] = Counter()
    values: Counter[Hashable] = Counter()
    stream = (sentence for _, sentence in sentences(source, repair=REPAIRS.get(mining.repair)))
    for surface, instances in finder.instances(stream):
        sentence = surface.sentence
        text = "".join(raw_text(sentence).split())
        if (sentence.file, sentence.number) in wanted:
            texts[(sentence.file, sentence.number)] = text
        for each in instances:
            place = (text, each.arc.cue, each.arc.target)
            places[place] += 1
            values[(*place, each.feature, each.key, each.cue_value, each.target_value)] += 1
    return Mined(places, values, _constructions(mining), _originals(mining, texts)), mining


def _constructions(mining: MinedTreebank) -> tuple[Hashable, ...]:
    return tuple(
        (each.feature, each.name, each.values) for each in mining.constructions if each.accepted
    )


def _originals(mining: MinedTreebank, texts: dict[tuple[str, int], str]) -> tuple[Hashable, ...]:
    return tuple(
        (texts[(each.file, each.number_in_file)], each.cue_index, each.target_index)
        for each in mining.originals
    )


def mined_rows(gold: Mined, parsed: Mined) -> Iterator[Row]:
    """One row each for instances by place, instances by place, construction and values, accepted
    constructions, and originals by place."""
    yield measure("instances", gold.places.elements(), parsed.places.elements())
    yield measure("instances, same values", gold.values.elements(), parsed.values.elements())
    yield measure("constructions", gold.constructions, parsed.constructions)
    yield measure("originals", gold.originals, parsed.originals)
