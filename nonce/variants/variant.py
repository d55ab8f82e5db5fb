"""Original + lexicon + generator → nonce variants ("colorless green ideas").

Every content word of the sentence is replaced by another of the same POS and FEATS, the target by
a pair of forms of one lemma, under the conditions of the rule that mined the original and of the
matching level (Gulordava et al. 2018, §2 "Generating nonce sentences"). Unlike the published
files, the form that is evaluated stands in the sentence, no pair has equal forms, no variant of an
original comes twice, and articles, elisions and contractions follow the new words.

Pseudo-words come last: the real words are drawn first, under all conditions of the level, and lend
them their inflection class, gender and frame.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...data.items.item import Item, item_id
from ...data.seeds import generator
from ...miner.originals.wrong_form import UNIMORPH, UNIMORPH_LICENCE
from ...miner.treebank.view import TreeView
from ._wording import WordChanges, item_of, targets_of
from .ambiguity import doubts
from .annotate import pair_of
from .donor import Donor
from .frequencies import TREEBANK, WORDFREQ
from .levels import MORPHOLOGY
from .slots import LevelSlots, Matching, VariantBase, base_of, draw, levels_for, restrained

TRIES = 100  # draws for one variant before it is given up as a repeat
ENOUGH = 18  # candidates that a level with a window wants: two for each of nine variants
FEW_REPLACEMENTS = "its words have too few replacements for another variant"
FREQUENCIES = {WORDFREQ: "wordfreq (CC-BY-SA-4.0)"}  # lists, with their licences
KEPT_TARGET = "kept_target"  # flag of a variant that has its original's own pair
UNRESTRAINED = "unrestrained"  # of one in which words of fixed use are replaced, since it must be


@dataclass(frozen=True, slots=True)
class Shortfall:
    """An original that has fewer variants than were asked for.

    Attributes:
        item_id: of the original.
        n_made: variants that it has.
        n_asked: variants that were asked for.
        reason: why there are no more.
    """

    item_id: str
    n_made: int
    n_asked: int
    reason: str


@dataclass(frozen=True, slots=True)
class VariantSet:
    """Originals with their variants.

    Attributes:
        items: each original followed by its variants.
        shortfalls: originals that have fewer than were asked for.
        served: level → number of originals that it can serve, for each level that was asked for.
    """

    items: tuple[Item, ...]
    shortfalls: tuple[Shortfall, ...]
    served: Mapping[str, int]


def variants(
    originals: Iterable[Item],
    matching: Matching,
    n: int = 9,
    *,
    seed: int = 0,
    lowest: str = "",
    every: bool = False,
    all_targets: bool = False,
    progress: Callable[[int], None] = lambda n_done: None,
) -> VariantSet:
    """Make nonce variants of originals, with other content words of the same POS and FEATS.

    The method is that of Gulordava et al. (2018, §2). A variant depends on its original and the
    options alone, not on other items.

    Args:
        originals: mined items.
        matching: what variants are made with.
        n: variants of each.
        seed: the same seed gives the same variants.
        lowest: the level down to which an original may be served; "": that of the matching alone.
        every: whether a lower level replaces words of fixed use where it must.
        all_targets: whether each item lists every pair that fits its prefix.
        progress: called with the number of originals that are done.

    Returns:
        Each original followed by its variants 1 … n, and a shortfall for each that has fewer, also
        for one that can have none.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import treebank
    >>> from colorless_green import Recipe
    >>> from colorless_green.nonce import matching_for
    >>> from colorless_green.data import sentence_text
    >>> bank = treebank([sample.treebank("en")])
    >>> matching = matching_for(bank, Recipe(level="+frame"), "tested", "none")
    >>> originals = cg.mine(str(sample.treebank("en"))).originals.items[1:2]
    >>> for item in variants(originals, matching, n=2).items:
    ...     print(item.kind, sentence_text(item.conditions["right"][0]))
    original The mayors criticize this woman and improvise.
    nonce The letters annoy this basket and relax.
    nonce The violins borrow this lamp and exaggerate.
    """
    items: list[Item] = []
    shortfalls: list[Shortfall] = []
    names = [MORPHOLOGY, *(f"+{level.name}" for level, _ in matching.levels)]
    allowed = names[names.index(lowest or names[-1]) :]
    served = dict.fromkeys(names, 0)
    for number, original in enumerate(originals, start=1):
        n_made, reason = 0, ""
        base = base_of(original, matching)
        if isinstance(base, str):
            items.append(original)
            reason = base
        else:
            reached, reason = levels_for(base, matching, ENOUGH)
            able = {slots.level for slots in reached if _can_draw(base, matching, slots, seed)}
            family = [original]
            for slots in _slots_to_try(base, reached, matching, allowed, every):
                new_variants = list(_draw_variants(base, matching, slots, n, seed))
                n_made = len(new_variants)
                if new_variants:
                    reason = FEW_REPLACEMENTS
                    able.add(slots.level)
                    family += new_variants
                    break
                reason = f"{slots.level}: no variant can be drawn"
            if n_made and all_targets:
                family = [replace(item, targets=targets_of(base, slots, item)) for item in family]
            items += family
            for level in able:
                served[level] += 1
        if n_made < n:
            shortfalls.append(Shortfall(original.item_id, n_made, n, reason))
        progress(number)
    return VariantSet(tuple(items), tuple(shortfalls), served)


def _slots_to_try(
    base: VariantBase,
    reached: Sequence[LevelSlots],
    matching: Matching,
    allowed: Sequence[str],
    every: bool,
) -> Iterator[LevelSlots]:
    """Yield the slots that may serve an original, from the highest level that is allowed down. What
    the levels above a lower one leave alone stays in its slots; if every original is to be served,
    all but the cue, and in the end nothing of it."""
    for slots in reversed(reached):
        if slots.level == allowed[-1]:
            yield slots
        elif slots.level in allowed:
            restricted = restrained(base, slots, matching)
            if every or not restricted.unrestrained:
                yield restricted
            if every and len(restricted.pools) < len(slots.pools):
                yield replace(slots, unrestrained=True)


def _can_draw(base: VariantBase, matching: Matching, slots: LevelSlots, seed: int) -> bool:
    """Tell whether words for the first variant can be drawn at a level, before they are coined."""
    identity = item_id(base.item.item_id, slots.level, seed, 1, matching.identity)
    rng = generator(seed, identity)
    draws = (draw(base, slots, rng) for _ in range(TRIES))
    return any(choice and _forms(base, *choice) != base.tree.forms for choice in draws)


def _forms(base: VariantBase, donors: Mapping[int, Donor], pair: Donor) -> tuple[str, ...]:
    """Return the words of the tree with what was drawn in their places."""
    forms = list(base.tree.forms)
    for node, donor in donors.items():
        forms[node] = donor.form
    forms[base.target] = pair.form
    return tuple(forms)


def _has_new_doubt(
    base: VariantBase, matching: Matching, donors: Mapping[int, Donor], pair: Donor
) -> bool:
    """Tell whether the new words raise a doubt about the label that the original does not have."""
    original = pair_of(base.item, matching)
    if original is None:
        return False
    lemmas = list(base.tree.lemmas)
    for node, donor in donors.items():
        lemmas[node] = donor.lemma
    lemmas[base.target] = pair.lemma
    tree = replace(base.tree, forms=_forms(base, donors, pair), lemmas=tuple(lemmas))
    variant = replace(
        original, view=TreeView(tree), right=pair.form, wrong=pair.wrong, lemma=pair.lemma
    )
    return any(doubt.flag not in base.agreement.flags for doubt in doubts(variant))


def _draw_variants(
    base: VariantBase, matching: Matching, slots: LevelSlots, n: int, seed: int
) -> Iterator[Item]:
    """Make variants 1 … n at one level, as many as can be drawn."""
    seen = {base.tree.forms}
    flags = [] if slots.pairs else [KEPT_TARGET]
    flags += [UNRESTRAINED] if slots.unrestrained else []
    flags += ["pseudo"] if matching.pseudo is not None else []
    for variant in range(1, n + 1):
        identity = item_id(base.item.item_id, slots.level, seed, variant, matching.identity)
        rng = generator(seed, identity)
        for _ in range(TRIES):
            choice = draw(base, slots, rng)
            if choice is None:
                continue
            donors, pair = choice
            forms = _forms(base, donors, pair)
            if forms in seen or (slots.rereads and _has_new_doubt(base, matching, donors, pair)):
                continue
            words = _words_as_written(base, matching, slots, donors, pair, rng)
            if words is not None:
                break
        else:
            return
        seen.add(forms)
        facts = {"frequencies": matching.frequencies} if matching.frequencies else {}
        replaced_words = [(base.word_at(node), donor) for node, donor in donors.items()]
        for matcher in slots.matchers:
            facts.update(matcher.facts(replaced_words, slots.width))
        if matching.digests.get("frequencies", TREEBANK) != TREEBANK:  # looked at, none of its text
            facts["frequencies_from"] = FREQUENCIES.get(matching.digests["frequencies"], "a file")
        facts["wrong_form_source"] = pair.source
        if matching.words_from[0]:
            facts["words_from"], facts["words_licence"] = matching.words_from
        if matching.lexicons:
            facts["lexicons"] = "; ".join(name for name, _ in matching.lexicons)
            licences = dict.fromkeys(licence for _, licence in matching.lexicons if licence)
            for number, licence in enumerate(licences, 1):
                facts[f"lexicon_{number}_licence"] = licence
        if pair.source == UNIMORPH:
            facts["wrong_form_licence"] = UNIMORPH_LICENCE
        new = (*words.forms.values(), words.right, words.wrong)
        added = matching.further_licences(base.item.licence, new)
        sources = {"words_from": base.item.source, "words_licence": added} if added else {}
        item = item_of(base, matching, words, flags, identity)
        assert item.agreement is not None
        agreement = replace(item.agreement, level=slots.level, seed=seed, variant=variant)
        yield replace(item, agreement=agreement, facts={**item.facts, **facts, **sources})


def _words_as_written(
    base: VariantBase,
    matching: Matching,
    slots: LevelSlots,
    donors: Mapping[int, Donor],
    pair: Donor,
    rng: random.Random,
) -> WordChanges | None:
    """Return the words that were drawn as they will be written, or `None` where not every
    pseudo-word can be made."""
    forms = {node: donor.form for node, donor in donors.items()}
    words = WordChanges(forms, pair.form, pair.wrong, pair.lemma)
    if matching.pseudo is None:
        return words
    new: dict[int, Mapping[str, str]] = {}
    used_forms: set[str] = set()
    real = [(node, donor.lemma, [donor.form]) for node, donor in donors.items()]
    if slots.pairs:
        real.append((base.target, pair.lemma, [pair.form, pair.wrong]))
    for node, lemma, written in real:  # both forms of the target get one stem
        pseudo_forms = matching.pseudo.of(rng, lemma, base.tree.upos[node], written[0], used_forms)
        if pseudo_forms is None or not pseudo_forms.keys() >= set(written):
            return None
        new[node] = pseudo_forms
        used_forms.update(pseudo_forms.values())
    if target := new.get(base.target):
        right, wrong = target[pair.form], target[pair.wrong]
        words = replace(words, right=right, wrong=wrong, lemma=target.get(pair.lemma, right))
    return replace(words, forms={node: new[node][form] for node, form in forms.items()})
