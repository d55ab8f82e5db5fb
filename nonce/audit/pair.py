"""What the audit sees of an item: two sentences, the words in which they differ, its cluster."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from colorless_green.nonce.item import (
    RIGHT,
    TARGET,
    WRONG,
    Agreement,
    Item,
    Wording,
    sentence_text,
    sentence_words,
)
from colorless_green.nonce.suite import construction_of

PHENOMENON = "phenomenon"  # of items whose file tells no construction
FINAL = ".?!…。？！"  # of these what ends a sentence is no word of it (§3.6 strips `.` and `?`)


@dataclass(frozen=True, slots=True)
class Pair:
    """An item with one right and one wrong sentence, in small letters, final punctuation off."""

    item: Item
    cluster: str  # of those that share a set or a right sentence the least `cluster_id`
    pool: str  # a trained baseline learns from the other clusters of the same pool
    right: tuple[str, ...]  # words of the sentence
    wrong: tuple[str, ...]
    right_forms: tuple[str, ...]  # the target, or else the words in which the sentences differ
    wrong_forms: tuple[str, ...]
    right_length: int  # characters of the sentence as a person reads it
    wrong_length: int


def pairs_of(items: Sequence[Item]) -> list[Pair]:
    """The pairs among `items`, in their order; what else has conditions is no pair.

    Words are those of the treebank for items of agreement, else what stands between blanks (a
    sentence without any: its `words`). Clusters that share a `set_id` or a right sentence are one,
    so that no copy of a sentence is seen in training. The pool is the language and the feature of
    agreement, or the construction of a published set.
    """
    found = [item for item in items if is_pair(item)]
    sentences = [
        tuple(_words(item, item.conditions[name][0]) for name in (RIGHT, WRONG)) for item in found
    ]
    clusters = _clusters(found, [right for right, _ in sentences])
    return [
        _pair(item, right, wrong, clusters[item.cluster_id])
        for item, (right, wrong) in zip(found, sentences, strict=True)
    ]


def agreement_of(pair: Pair) -> Agreement:
    """The facts of agreement, of a pair that is known to have them."""
    assert pair.item.agreement is not None
    return pair.item.agreement


def values_of(pair: Pair) -> tuple[str, ...]:
    """The values between which a guess chooses, that of the right form among them; sorted."""
    agreement = agreement_of(pair)
    return tuple(sorted({agreement.value, *agreement.values}))


def is_pair(item: Item) -> bool:
    """Whether an item is one right and one wrong sentence."""
    return set(item.conditions) == {RIGHT, WRONG} and all(
        len(wordings) == 1 for wordings in item.conditions.values()
    )


def _pair(item: Item, right: tuple[str, ...], wrong: tuple[str, ...], cluster: str) -> Pair:
    sentences = [item.conditions[name][0] for name in (RIGHT, WRONG)]
    right_forms, wrong_forms = (_target(sentence) for sentence in sentences)
    if not right_forms or not wrong_forms or right_forms == wrong_forms:
        right_forms, wrong_forms = _only(right, wrong), _only(wrong, right)
    lengths = [len(sentence_text(sentence).strip()) for sentence in sentences]
    feature = item.agreement.feature if item.agreement else part_of(item)
    pool = f"{item.language}\t{feature}"
    return Pair(item, cluster, pool, right, wrong, right_forms, wrong_forms, *lengths)


def part_of(item: Item) -> str:
    """The part of a published set that an item stands in: its construction, or else phenomenon."""
    return construction_of(item) or item.facts.get(PHENOMENON, "")


def _words(item: Item, wording: Wording) -> tuple[str, ...]:
    text = sentence_text(wording).strip()
    if item.agreement is not None or " " not in text:
        return _without_end([word.lower() for word in sentence_words(wording)])
    return tuple(text.lower().rstrip(FINAL).split())


def _without_end(words: Sequence[str]) -> tuple[str, ...]:
    """The words up to the last that is more than final punctuation."""
    end = len(words)
    while end and not words[end - 1].strip(FINAL):
        end -= 1
    return tuple(words[:end])


def _target(wording: Wording) -> tuple[str, ...]:
    """The words of the target, if the wording has a region of that name."""
    texts = [region.text for region in wording if region.region == TARGET]
    return tuple(" ".join(texts).lower().rstrip(FINAL).split())


def _only(words: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """The words that stand more often here than there, as often as they do; sorted."""
    return tuple(sorted((Counter(words) - Counter(others)).elements()))


def _clusters(items: Sequence[Item], sentences: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """`cluster_id` → the least id of those it hangs together with."""
    parents = {item.cluster_id: item.cluster_id for item in items}

    def root(name: str) -> str:
        while parents[name] != name:
            parents[name] = name = parents[parents[name]]
        return name

    first: dict[object, str] = {}
    for item, sentence in zip(items, sentences, strict=True):
        for mark in (sentence, item.set_id):
            if mark:
                one, other = root(first.setdefault(mark, item.cluster_id)), root(item.cluster_id)
                parents[max(one, other)] = min(one, other)
    return {name: root(name) for name in parents}
