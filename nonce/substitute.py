"""Original + lexicon + generator → nonce variants ("colorless green ideas").

Every content word of the sentence is replaced by another of the same POS and FEATS, the target by
a pair of forms of one lemma, under the conditions of the rule that mined the original (Gulordava et
al. 2018, §2 "Generating nonce sentences"; mining facts §1.6, invariants I1–I15). Unlike the
published files, the form that is evaluated stands in the sentence, no pair has equal forms, and no
variant of an original comes twice.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from colorless_green.data.seeds import choose, generator
from colorless_green.nonce.item import Agreement, Item, item_id
from colorless_green.nonce.lexicon import Lexicon, TargetPair
from colorless_green.nonce.mined import pair

CONTENT_UPOS = frozenset({"ADJ", "NOUN", "VERB", "PROPN", "NUM", "ADV"})
LEVEL = "morphology"
TRIES = 100  # draws for one variant before it is given up as a repeat


@dataclass(frozen=True, slots=True)
class Shortfall:
    """An original that has fewer variants than were asked for, and why."""

    item_id: str
    n_made: int
    n_asked: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Choices:
    """What may stand where in the variants of one original."""

    words: dict[int, tuple[str, ...]]  # index of a content word → candidates
    targets: tuple[TargetPair, ...]


def variants(
    originals: Iterable[Item],
    lexicon: Lexicon,
    *,
    n_variants: int,
    seed: int,
    progress: Callable[[int], None] = lambda n_done: None,
) -> tuple[list[Item], list[Shortfall]]:
    """Each original followed by its variants 1 … n, and the originals that fell short.

    A variant depends on its original, the lexicon and the seed alone, not on other items. Raises
    nothing: an original that can have no variant is a shortfall.
    """
    items: list[Item] = []
    shortfalls: list[Shortfall] = []
    for done, original in enumerate(originals, start=1):
        made, reason = _variants_of(original, lexicon, n_variants, seed)
        items += [original, *made]
        if len(made) < n_variants:
            shortfalls.append(Shortfall(original.item_id, len(made), n_variants, reason))
        progress(done)
    return items, shortfalls


def _variants_of(
    original: Item, lexicon: Lexicon, n_variants: int, seed: int
) -> tuple[list[Item], str]:
    agreement = original.agreement
    if agreement is None or not agreement.upos:
        return [], "its words carry no annotation"
    if agreement.right == agreement.wrong:
        return [], "its two forms are equal"
    choices = _choices(agreement, lexicon)
    if not choices.targets and not any(choices.words.values()):
        return [], "no word of it has a replacement"
    seen = {agreement.tokens}
    made: list[Item] = []
    for variant in range(1, n_variants + 1):
        identity = item_id(original.item_id, LEVEL, seed, variant)
        rng = generator(seed, identity)
        for _ in range(TRIES):
            drawn = _draw(agreement, choices, rng)
            if drawn.tokens not in seen:
                break
        else:
            return made, "its words have too few replacements for another variant"
        seen.add(drawn.tokens)
        made.append(_variant_item(original, drawn, identity, seed, variant))
    return made, ""


def _choices(agreement: Agreement, lexicon: Lexicon) -> _Choices:
    words = {
        index: lexicon.candidates(form, upos, feats)
        for index, (form, upos, feats) in enumerate(
            zip(agreement.tokens, agreement.upos, agreement.feats, strict=True)
        )
        if index != agreement.target_index and upos in CONTENT_UPOS
    }
    others = [value for value in agreement.values if value != agreement.value]
    targets = [
        each
        for value in others
        for each in lexicon.targets(
            _inside(agreement, agreement.right),
            agreement.target_upos,
            agreement.target_feats,
            agreement.target_feature or agreement.feature,
            value,
            agreement.feats[agreement.cue_index],
        )
    ]
    return _Choices(words, tuple(targets))


def _draw(agreement: Agreement, choices: _Choices, rng: random.Random) -> Agreement:
    """One variant's words and target; a slot without candidates keeps its word. POS and FEATS stay,
    so the attractors stay too."""
    tokens = list(agreement.tokens)
    for index, candidates in choices.words.items():
        if candidates:
            tokens[index] = choose(rng, candidates)
    target = TargetPair(agreement.lemma, agreement.right, agreement.wrong)
    if choices.targets:
        drawn = choose(rng, choices.targets)
        target = TargetPair(
            drawn.lemma,
            agreement.before + drawn.right + agreement.after,
            agreement.before + drawn.wrong + agreement.after,
        )
    tokens[agreement.target_index] = target.right
    is_ghost = "ghost" in agreement.flags
    return replace(
        agreement,
        tokens=tuple(tokens),
        cue=agreement.cue if is_ghost else tokens[agreement.cue_index],
        lemma=target.lemma,
        right=target.right,
        wrong=target.wrong,
        substitutions=tuple(
            index
            for index, (old, new) in enumerate(zip(agreement.tokens, tokens, strict=True))
            if old != new
        ),
        flags=("ghost",) if is_ghost else (),
    )


def _inside(agreement: Agreement, token: str) -> str:
    """The word that agrees, of a target that is a multiword token."""
    return token[len(agreement.before) : len(token) - len(agreement.after)]


def _variant_item(original: Item, drawn: Agreement, identity: str, seed: int, variant: int) -> Item:
    agreement = replace(drawn, level=LEVEL, seed=seed, variant=variant)
    return replace(
        original,
        item_id=identity,
        kind="nonce",
        cluster_id=original.item_id,
        conditions=pair(agreement),
        agreement=agreement,
    )
