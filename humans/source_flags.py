"""What is known against the sources of a suite, and which of them stem from one sentence.

Doubts are told of originals alone: `colorless nonce` looks at their trees (docs/sets.md). A
variant shares the build of its original, and so its doubts.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from colorless_green.nonce.ambiguity import AMBIGUOUS, FLAGS
from colorless_green.nonce.item import Item

GHOST = "ghost"  # cue or target is no word of its own: the sentence is not as it was written
DOUBTS = frozenset({*FLAGS, AMBIGUOUS, GHOST})
"""Flags that speak against a pair. Not among them: same_sentence and same_target (which are looked
at as sentences, below), multiword and unimorph, which tell where a form is from."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of sources (clusters of a suite) before anybody sees them."""

    doubts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Source → the flags against it, sorted; a source without any is not in it."""
    sentences: Mapping[str, str] = field(default_factory=dict)  # source → its sentence, if known

    def sentence(self, source: str) -> str:
        """What sources that stem from one sentence share; the source itself where none is known."""
        return self.sentences.get(source, source)


def known_of(items: Iterable[Item]) -> Known:
    """What the items' makers have told of their sources."""
    doubts: dict[str, set[str]] = {}
    sentences: dict[str, str] = {}
    for item in items:
        agreement = item.agreement
        if agreement is None:
            continue
        doubts.setdefault(item.cluster_id, set()).update(DOUBTS.intersection(agreement.flags))
        if item.kind == "original":
            sentences[item.cluster_id] = " ".join(agreement.tokens)
        elif agreement.sent_id:
            place = "\t".join((agreement.treebank, agreement.file, agreement.sent_id))
            sentences.setdefault(item.cluster_id, place)
    found = {source: tuple(sorted(flags)) for source, flags in doubts.items() if flags}
    return Known(found, sentences)


def is_unseen(items: Sequence[Item]) -> bool:
    """Whether nobody has looked for doubts in agreement items: whoever does also tells what tempts
    and what leaks, so that somewhere in a suite there is some of the three."""
    agreements = [item.agreement for item in items if item.agreement is not None]
    return bool(agreements) and not any(
        each.nominals or each.leaks or DOUBTS.intersection(each.flags) for each in agreements
    )


def flags_told(doubts: Iterable[Sequence[str]]) -> str:
    """How many sources have each flag, the most frequent first; the common mark `ambiguous` only
    where it stands alone."""
    counts = Counter(
        flag for flags in doubts for flag in flags if flag != AMBIGUOUS or len(flags) == 1
    )
    return ", ".join(f"{flag} {n}" for flag, n in counts.most_common())
