"""One variant's words, drawn from the slots of its original."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from colorless_green.data.seeds import choose
from colorless_green.nonce.lexicon import TREEBANK, UNIMORPH, Donor, TargetPair
from colorless_green.nonce.slots import Frame, Slots, standing_words

PICKS = 20  # draws for one slot before the variant is begun again


@dataclass(frozen=True, slots=True)
class Drawn:
    """The words of one variant."""

    donors: Mapping[int, Donor]  # word of the tree →
    pair: TargetPair


def draw(frame: Frame, slots: Slots, rng: random.Random) -> Drawn | None:
    """One variant's words. Above `morphology` no lemma comes twice, none is the sentence's own, and
    no word clashes with those before it; `None` where that was not to be had."""
    if not slots.matchers:
        donors = {node: choose(rng, pool) for node, pool in slots.pools.items()}
        return Drawn(donors, choose(rng, slots.pairs) if slots.pairs else own_pair(frame))
    standing = standing_words(frame, slots)
    taken = set(frame.tree.lemmas)
    pair = None
    for node in sorted({*slots.pools, frame.target}):
        if node == frame.target and not slots.pairs:
            pair = own_pair(frame)
            continue
        if node == frame.target:
            pair = _pick_pair(frame, slots, rng, standing, taken)
            if pair is None:
                return None
            taken.add(pair.lemma)
            continue
        donor = _pick(frame, slots, rng, node, slots.pools[node], standing, taken)
        if donor is None:
            return None
        standing[node] = donor
        taken.add(donor.lemma)
    assert pair is not None
    return Drawn({node: standing[node] for node in slots.pools}, pair)


def _pick(
    frame: Frame,
    slots: Slots,
    rng: random.Random,
    node: int,
    pool: Sequence[Donor],
    standing: Mapping[int, Donor],
    taken: set[str],
) -> Donor | None:
    """A word that repeats no other and clashes with none, in a limited number of draws."""
    for _ in range(PICKS):
        donor = choose(rng, pool)
        if donor.lemma not in taken and not any(
            matcher.clashes(frame.tree, standing, node, donor) for matcher in slots.matchers
        ):
            return donor
    return None


def _pick_pair(
    frame: Frame,
    slots: Slots,
    rng: random.Random,
    standing: Mapping[int, Donor],
    taken: set[str],
) -> TargetPair | None:
    """A target likewise; both of its forms must clash with nothing."""
    for _ in range(PICKS):
        pair = choose(rng, slots.pairs)
        if pair.lemma not in taken and not any(
            matcher.clashes(frame.tree, standing, frame.target, Donor(form, pair.lemma, 0))
            for matcher in slots.matchers
            for form in (pair.right, pair.wrong)
        ):
            return pair
    return None


def own_pair(frame: Frame) -> TargetPair:
    """The original's own pair, for a variant that keeps its target."""
    place = frame.place(frame.target)
    source = UNIMORPH if UNIMORPH in frame.agreement.flags else TREEBANK
    return TargetPair(frame.agreement.lemma, place.form, place.wrong, source)
