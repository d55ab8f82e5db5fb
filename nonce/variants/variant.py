"""Nonce variants of originals: the same syntax with other words ("colorless green ideas").

Every content word of the sentence is replaced by another of the same POS and FEATS, the target by
a pair of forms of one lemma, under the conditions of the rule that mined the original and of the
matching level (Gulordava et al. 2018, §2 "Generating nonce sentences"). Unlike in the published
files, the form that is evaluated stands in the sentence, no pair has equal forms, no variant of an
original comes twice, and articles, elisions and contractions are adapted to the new words.

Pseudo-words come last: real words are drawn first, under all conditions of the level, and the
pseudo-words take over their inflection class, gender and frame.
"""

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from ...data.formats.format import PUBLISHED
from ...data.items.item import RIGHT, WRONG, Agreement, Item, Target, item_id, wording
from ...data.items.tree import Tree
from ...data.seeds import generator
from ...miner.originals.cue_words import CUE_COLUMNS
from ...miner.originals.wrong_form import UNIMORPH, UNIMORPH_LICENCE
from ...miner.treebank.view import TreeView
from .ambiguity import doubts
from .frequencies import TREEBANK, WORDFREQ
from .levels import MORPHOLOGY
from .levels.level import Drawn
from .lexicon import Donor
from .realise.layout import RealisedSentence
from .slots import (
    LevelSlots,
    Matching,
    VariantBase,
    base_of,
    draw,
    levels_for,
    original_pair,
    restrained_slots,
)

PREFIX_DIFFERS = "prefix_differs"  # flag of a pair whose sentences differ before the target, too
REST_DIFFERS = "rest_differs"  # and of one whose sentences differ after it


def item_of(base: VariantBase, words: Drawn, flags: Collection[str], identity: str) -> Item:
    """Build the item of a variant with the new words, flags and id. It keeps the facts of its
    original, except those about the original's own wording."""
    right, wrong = _sentences(base, words)
    return replace(
        base.item,
        item_id=identity,
        kind="nonce",
        conditions={
            name: (wording(sentence.tokens, sentence.spaces, sentence.token_of[base.target]),)
            for name, sentence in ((RIGHT, right), (WRONG, wrong))
        },
        agreement=_agreement_facts(base, words, flags, right, wrong),
        facts={
            name: value
            for name, value in base.item.facts.items()
            if name not in ("wrong_form_licence", PUBLISHED)
        },
        set_id="",
        cell="",
    )


def _sentences(base: VariantBase, words: Drawn) -> tuple[RealisedSentence, RealisedSentence]:
    """Return two sentences with the new words: one with the right form of the target, one with the
    wrong form."""
    plan, target = base.plan, base.target
    forms = {node: word.form for node, word in words.items()}
    right, wrong = forms.pop(target), words[target].wrong
    if not base.target_is_token:
        return plan.realise({**forms, target: right}), plan.realise({**forms, target: wrong})
    surface = plan.realise(forms)
    index = surface.token_of[target]
    prefix, rest = surface.tokens[:index], surface.tokens[index + 1 :]
    right_sentence = replace(surface, tokens=(*prefix, right, *rest))
    return right_sentence, replace(surface, tokens=(*prefix, wrong, *rest))


def _agreement_facts(
    base: VariantBase,
    words: Drawn,
    flags: Collection[str],
    right: RealisedSentence,
    wrong: RealisedSentence,
) -> Agreement:
    """Return the agreement facts of a variant: those of its original, adapted to the new sentences
    `right` and `wrong`. The caller sets level, seed and variant number."""
    old, tree = base.agreement, base.tree
    token_of, tokens = right.token_of, right.tokens
    index, wrong_index = (sentence.token_of[base.target] for sentence in (right, wrong))
    right_form, wrong_form = tokens[index], wrong.tokens[wrong_index]
    is_ghost = "ghost" in old.flags  # cue or target is counted at the token after it
    all_flags = {*flags, *(("ghost",) if is_ghost else ())}
    if tokens[:index] != wrong.tokens[:wrong_index]:
        all_flags.add(PREFIX_DIFFERS)
    if tokens[index + 1 :] != wrong.tokens[wrong_index + 1 :]:
        all_flags.add(REST_DIFFERS)
    replaced = {
        token_of[node]
        for node, word in words.items()
        if node != base.target
        and word.form != tree.forms[node]
        and tokens[token_of[node]] != old.tokens[tree.tokens[node]]
    }
    # what a multiword token adds to the target; nothing, if the form itself has changed in it
    before, has_form, after = right_form.partition(words[base.target].form)
    upos, feats = _annotation(base, right)
    # token of the original → token of the variant that has its last word
    becomes = dict(zip(tree.tokens, token_of, strict=True))
    # the fields of the original that hold indices of tokens
    indices: dict[str, Any] = {
        name: tuple(becomes[token] for token in getattr(old, name))
        for name in ("attractors", "value_from", *CUE_COLUMNS)
    }
    return replace(
        old,
        cue_index=token_of[base.cue],
        target_index=index,
        cue=old.cue if is_ghost else tokens[token_of[base.cue]],
        lemma=words[base.target].lemma,
        right=right_form,
        wrong=wrong_form,
        tokens=tokens,
        upos=upos,
        feats=feats,
        spaces=right.spaces,
        substitutions=tuple(sorted(replaced | ({index} if right_form != old.right else set()))),
        flags=tuple(sorted(all_flags)),
        before=before if has_form else "",
        after=after,
        tree=None,
        cue_node=-1,
        target_node=-1,
        wrong_forms={old.wrong_value: wrong_form} if old.wrong_value else {},
        nominals=tuple(
            nominal._replace(token=becomes[nominal.token], distance=index - becomes[nominal.token])
            for nominal in old.nominals
        ),
        leaks=tuple(leak._replace(token=becomes[leak.token]) for leak in old.leaks),
        **indices,
    )


def _annotation(
    base: VariantBase, sentence: RealisedSentence
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the UPOS and the FEATS of each token of a new sentence, as two tuples. A token that is
    made of the same words as a token of the original keeps its annotation; others get it from their
    words."""
    agreement, tree = base.agreement, base.tree
    old_tokens = {nodes: token for token, nodes in _words_by_token(tree.tokens).items()}
    upos: list[str] = []
    feats: list[str] = []
    for nodes in _words_by_token(sentence.token_of).values():
        token = old_tokens.get(nodes)
        if token is not None:
            upos.append(agreement.upos[token])
            feats.append(agreement.feats[token])
        else:
            upos.append("+".join(tree.upos[node] for node in nodes))
            feats.append(tree.feats[nodes[0]] if len(nodes) == 1 else "_")
    return tuple(upos), tuple(feats)


def _words_by_token(token_of: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Return token → the indices of its words, given word → token."""
    by_token = groupby(range(len(token_of)), key=token_of.__getitem__)
    return {token: tuple(nodes) for token, nodes in by_token}


def targets_of(base: VariantBase, slots: LevelSlots, item: Item) -> tuple[Target, ...]:
    """Return all pairs of target forms that fit the words before an item's target, as whole tokens.
    The original's own pair comes first."""
    facts = item.agreement
    assert facts is not None
    targets: dict[tuple[str, str], Target] = {}
    original = () if PREFIX_DIFFERS in facts.flags else (original_pair(base),)
    for pair in (*original, *slots.pools.get(base.target, ())):
        right, wrong = (
            facts.before + base.plan.cased(base.target, form) + facts.after
            for form in (pair.form, pair.wrong)
        )
        targets.setdefault((right, wrong), Target(right, wrong, pair.lemma, pair.source))
    return tuple(targets.values())


MAX_DRAWS = 100  # draws for one variant before no further variant is made
CANDIDATES_WANTED = 18  # candidates that each slot should have: two for each of nine variants
FEW_REPLACEMENTS = "its words have too few replacements for another variant"
# frequency list → its name and licence
SOURCES_OF_FREQUENCIES = {WORDFREQ: "wordfreq (CC-BY-SA-4.0)"}
KEPT_TARGET = "kept_target"  # flag of a variant with the target of its original
UNRESTRAINED = "unrestrained"  # flag of a variant in which words of fixed use are replaced, too


@dataclass(frozen=True, slots=True)
class Shortfall:
    """An original that has fewer variants than were asked for.

    Attributes:
        item_id: id of the original.
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
        served: level → number of originals that it can serve, for each level of the matching.
    """

    items: tuple[Item, ...]
    shortfalls: tuple[Shortfall, ...]
    served: Mapping[str, int]

    def __add__(self, other: "VariantSet") -> "VariantSet":
        """Join two sets: return all their items and shortfalls, with the counts of `served` added
        up."""
        served = {**self.served, **other.served}
        n_served = {name: self.served.get(name, 0) + other.served.get(name, 0) for name in served}
        return VariantSet(self.items + other.items, self.shortfalls + other.shortfalls, n_served)


def variants(
    originals: Iterable[Item],
    matching: Matching,
    n: int = 9,
    *,
    seed: int = 0,
    lower_levels: bool = False,
    all_targets: bool = False,
    progress: Callable[[int], None] = lambda n_done: None,
) -> VariantSet:
    """Make nonce variants of originals, with other content words of the same POS and FEATS.

    The method is that of Gulordava et al. (2018, §2). A variant depends on its original and the
    options alone, not on other items.

    Args:
        originals: mined items.
        matching: the words, rules and levels that variants are made with.
        n: variants of each.
        seed: the same seed gives the same variants.
        lower_levels: whether originals that the matching's highest level cannot serve have variants
            of a lower one, down to `+frequency`, which may replace words of fixed use.
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
    n_served = dict.fromkeys(names, 0)
    for n_done, original in enumerate(originals, start=1):
        n_made, reason = 0, ""
        base = base_of(original, matching)
        if isinstance(base, str):
            items.append(original)
            reason = base
        else:
            slots_by_level, reason = levels_for(base, matching, CANDIDATES_WANTED)
            family = [original]
            for slots in _slots_to_try(base, slots_by_level, matching, lower_levels):
                family += _draw_variants(base, matching, slots, n, seed)
                n_made = len(family) - 1
                if n_made:
                    reason = FEW_REPLACEMENTS
                    break
                reason = f"{slots.level}: no variant can be drawn"
            if n_made and all_targets:
                family = [replace(item, targets=targets_of(base, slots, item)) for item in family]
            items += family
            for slots in slots_by_level:
                n_served[slots.level] += 1
        if n_made < n:
            shortfalls.append(Shortfall(original.item_id, n_made, n, reason))
        progress(n_done)
    return VariantSet(tuple(items), tuple(shortfalls), n_served)


def _slots_to_try(
    base: VariantBase,
    slots_by_level: Sequence[LevelSlots],
    matching: Matching,
    lower_levels: bool,
) -> Iterator[LevelSlots]:
    """Yield the slots of each level that may serve an original, from the highest level down. A
    lower level first leaves the words that higher levels would leave as they are (except the cue);
    it is then yielded a second time with these words replaced, too."""
    for slots in reversed(slots_by_level):
        if len(slots.levels) == len(matching.levels):
            yield slots
        elif lower_levels and slots.levels:
            restricted = restrained_slots(base, slots, matching)
            yield restricted
            if len(restricted.pools) < len(slots.pools):
                yield replace(slots, unrestrained=True)


def _tree_with_donors(base: VariantBase, donors: Drawn) -> Tree:
    """Return the original's tree with the forms and lemmas of the drawn words."""
    forms, lemmas = list(base.tree.forms), list(base.tree.lemmas)
    for node, donor in donors.items():
        forms[node], lemmas[node] = donor.form, donor.lemma
    return replace(base.tree, forms=tuple(forms), lemmas=tuple(lemmas))


def _has_new_doubt(base: VariantBase, matching: Matching, tree: Tree, target: Donor) -> bool:
    """Tell whether the new words raise a doubt (a reason why the wrong form may be right) that the
    original does not have."""
    variant = replace(
        matching.pair_of(base.item),
        view=TreeView(tree),
        right=target.form,
        wrong=target.wrong,
        lemma=target.lemma,
    )
    return any(doubt.flag not in base.agreement.flags for doubt in doubts(variant))


def _draw_variants(
    base: VariantBase, matching: Matching, slots: LevelSlots, n: int, seed: int
) -> Iterator[Item]:
    """Yield the variants 1 … `n` of an original at one level, each with other words.

    A variant is drawn, at most MAX_DRAWS times, with random numbers from its own id, until its
    words are new, it raises no doubt that the original does not (at levels that check this), and it
    can be spelt. If no draw serves, there are no further variants.
    """
    wordings = {base.tree.forms}
    flags = [] if base.target in slots.pools else [KEPT_TARGET]
    flags += [UNRESTRAINED] if slots.unrestrained else []
    flags += ["pseudo"] if matching.pseudo is not None else []
    rereads = any(level.rereads for level, _ in slots.levels)
    for variant in range(1, n + 1):
        identity = item_id(base.item.item_id, slots.level, seed, variant, matching.identity)
        rng = generator(seed, identity)
        for _ in range(MAX_DRAWS):
            donors = draw(base, slots, rng)
            if donors is None:
                continue
            tree = _tree_with_donors(base, donors)
            if tree.forms in wordings:
                continue
            if rereads and _has_new_doubt(base, matching, tree, donors[base.target]):
                continue
            words = _words_as_written(base, matching, slots, donors, rng)
            if words is not None:
                break
        else:
            return
        wordings.add(tree.forms)
        item = item_of(base, words, flags, identity)
        assert item.agreement is not None
        agreement = replace(item.agreement, level=slots.level, seed=seed, variant=variant)
        facts = _variant_facts(base, matching, slots, donors, words)
        yield replace(item, agreement=agreement, facts={**item.facts, **facts})


def _variant_facts(
    base: VariantBase,
    matching: Matching,
    slots: LevelSlots,
    donors: Drawn,
    words: Drawn,
) -> Mapping[str, str]:
    """Return the facts of a variant, by name: the sources and licences of its words, and what its
    levels note (such as the distance in frequency)."""
    facts: dict[str, str] = {}
    replaced_words = [(base.word_at(n), word) for n, word in donors.items() if n != base.target]
    for _, matcher in slots.levels:
        facts |= matcher.facts(replaced_words, slots.width)
    frequencies = matching.digests.get("frequencies", TREEBANK)  # a name with version, or a digest
    if frequencies != TREEBANK:  # counts only, no text of it
        name, _, _ = frequencies.partition(" ")
        facts["frequencies_from"] = SOURCES_OF_FREQUENCIES.get(name, "a file")
    source = donors[base.target].source
    facts["wrong_form_source"] = source
    words_from, words_licence = matching.words_from
    if words_from:
        facts |= {"words_from": words_from, "words_licence": words_licence}
    if source == UNIMORPH:
        facts["wrong_form_licence"] = UNIMORPH_LICENCE
    new_forms = (form for word in words.values() for form in (word.form, word.wrong) if form)
    if added := matching.further_licences(base.item.licence, new_forms):
        facts |= {"words_from": base.item.source, "words_licence": added}
    return facts


def _words_as_written(
    base: VariantBase, matching: Matching, slots: LevelSlots, donors: Drawn, rng: random.Random
) -> Drawn | None:
    """Return the drawn words as they will be written: as they are or, if the recipe asks for them,
    as pseudo-words with invented stems. Return `None` if a pseudo-word cannot be made."""
    if matching.pseudo is None:
        return donors
    words = dict(donors)
    used_forms: set[str] = set()
    for node in slots.pools:
        donor, upos = donors[node], base.tree.upos[node]
        coined = matching.pseudo.coin(rng, donor.lemma, upos, donor.form, used_forms)
        if coined is None or (donor.wrong and donor.wrong not in coined):
            return None  # the two forms of a target get the same stem
        used_forms.update(coined.values())
        form, wrong = coined[donor.form], coined.get(donor.wrong, "")
        words[node] = Donor(form, coined.get(donor.lemma, form), wrong, donor.source)
    return words
