"""The slots of an original: its words that may be replaced, each with its candidates; and draws.

Every content word of the tree is a slot, words inside multiword tokens included if the token can be
rebuilt. The level `morphology` is the rule's own conditions; each further level narrows down the
candidates that the level before it left.
"""

import hashlib
import random
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...data.items.item import Agreement, Item
from ...data.items.tree import Tree
from ...data.seeds import choose
from ...miner.originals.cue_words import CueWordCounts
from ...miner.originals.wrong_form import UNIMORPH
from ...miner.treebank.paradigms import Paradigms
from ...miner.treebank.view import TreeView
from .ambiguity.pair import MinimalPair, VerbUses
from .levels import MORPHOLOGY
from .levels.level import Donors, Level, Matcher, ReplaceableWord
from .lexicon import CONTENT_UPOS, TREEBANK, Donor, Lexicon
from .pseudo import PseudowordModel
from .realise import Realiser, SentencePlan

MAX_DRAWS_OF_WORD = 20  # draws for one slot before the whole variant is drawn again


@dataclass(frozen=True)
class Matching:
    """The words, rules and levels that variants are made with, as `matching_for` prepares them.

    Attributes:
        lexicon: words that may replace others.
        realiser: writes the new sentences.
        paradigms: all forms of the treebank.
        verbs: counts of the objects, subjects and clauses that verbs have.
        levels: those beyond `morphology`, each with its matcher, which knows the treebank.
        pseudo: makes the pseudo-words that content words become; None: words stay real.
        cue_counts: feature → words that tell its value beyond FEATS.
        digests: digests of further files that variants depend on, the name of the frequencies.
        words_from: treebank of the words and its licence, if it is not the originals' own.
        licences: form in small letters → licences of its sources, in a treebank of several.
    """

    lexicon: Lexicon
    realiser: Realiser
    paradigms: Paradigms
    verbs: VerbUses
    levels: tuple[tuple[Level, Matcher], ...] = ()
    pseudo: PseudowordModel | None = None
    cue_counts: Mapping[str, CueWordCounts] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    words_from: tuple[str, str] = ("", "")
    licences: Mapping[str, Set[str]] = field(default_factory=dict)

    def further_licences(self, licence: str, words: Iterable[str]) -> str:
        """Return the licences that the words of a variant (`words`) add to `licence`, that of its
        original. Several are joined by AND; "" means that no licence is added."""
        own_licences = set(licence.split(" AND "))
        added: set[str] = set()
        for word in words:
            # a word of several sources may be used under any of their licences
            choices = self.licences.get(word.lower(), own_licences)
            if own_licences.isdisjoint(choices):
                added.add(min(choices))
        return " AND ".join(sorted(added))

    def pair_of(self, item: Item) -> MinimalPair:
        """Return an original as the `MinimalPair` that the ambiguity tests take.

        The original must have its dependency tree.
        """
        agreement = item.agreement
        assert agreement is not None
        assert agreement.tree is not None
        return MinimalPair(
            view=TreeView(agreement.tree),
            cue=agreement.cue_node,
            target=agreement.target_node,
            feature=agreement.feature,
            value=agreement.value,
            forms=self.paradigms.form_readings,
            cue_counts=self.cue_counts.get(agreement.feature),
            right=agreement.word(agreement.right),
            wrong=agreement.word(agreement.wrong),
            lemma=agreement.lemma,
            language=item.language.partition("-")[0],
            verbs=self.verbs,
        )

    @cached_property
    def identity(self) -> str:
        """Return a digest of all words, rules and files that a variant depends on. Level, seed and
        the variant's number are not part of it."""
        # "None" stands for a setting that no longer exists, so that ids stay as they were
        digested = [self.lexicon.identity, "None", str(self.pseudo is not None)]
        digested += [f"{name}={value}" for name, value in sorted(self.digests.items())]
        return hashlib.sha256("\n".join(digested).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class VariantBase:
    """An original prepared for making variants: its tree, cue and target, and the plan by which its
    sentences are written."""

    item: Item
    agreement: Agreement
    tree: Tree
    cue: int  # words of the tree
    target: int
    plan: SentencePlan

    @property
    def target_is_token(self) -> bool:
        """Tell whether the target is a whole multiword token, as under mining rules that do not
        split such tokens into words."""
        agreement, token_of = self.agreement, self.tree.tokens
        has_several_words = token_of.count(token_of[self.target]) > 1
        return has_several_words and not agreement.before and not agreement.after

    @property
    def target_is_closed(self) -> bool:
        """Tell whether the target is a function word. Another function word would make another
        construction, so above `morphology` the target stays."""
        return self.agreement.target_upos not in CONTENT_UPOS

    def word_at(self, node: int) -> ReplaceableWord:
        """Return a word of the original in the form in which matching levels receive it. If it is
        the target, it has its right and its wrong form."""
        tree, agreement = self.tree, self.agreement
        form, wrong = tree.forms[node], ""
        if node == self.target:
            form, wrong = agreement.word(agreement.right), agreement.word(agreement.wrong)
        return ReplaceableWord(
            tree, node, form, tree.lemmas[node], tree.upos[node], tree.feats[node], wrong
        )


@dataclass(frozen=True, slots=True)
class LevelSlots:
    """The candidates for each slot of an original at one level."""

    levels: tuple[tuple[Level, Matcher], ...]  # up to this one; none: `morphology`
    pools: Mapping[int, Donors]
    """Word of the tree → candidates, at least one; the target, if it is replaced, comes last."""
    width: int = 0  # the widest window of frequencies that a slot needed
    unrestrained: bool = False  # whether words that higher levels leave alone are replaced

    @property
    def level(self) -> str:
        """Return the name of the level."""
        if not self.levels:
            return MORPHOLOGY
        highest, _ = self.levels[-1]
        return f"+{highest.name}"

    def clashes(self, tree: Tree, chosen: Mapping[int, Donor], node: int, word: Donor) -> bool:
        """Tell whether one of the levels forbids `word` at the place `node` beside the words that
        were drawn before it (`chosen`)."""
        return any(matcher.clashes(tree, chosen, node, word) for _, matcher in self.levels)


def base_of(item: Item, matching: Matching) -> VariantBase | str:
    """Prepare an original for making variants.

    Under a rule that compares first letters, new words already have the capitals of the old ones,
    so the plan adds none.

    Args:
        item: the original.
        matching: the words, rules and levels that variants are made with.

    Returns:
        Its words, and how they become text; or, as a text, why it cannot be varied.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import treebank
    >>> from colorless_green import Recipe
    >>> from colorless_green.nonce import matching_for
    >>> bank, recipe = treebank([sample.treebank("en")]), Recipe(level="morphology")
    >>> matching = matching_for(bank, recipe, "tested", "none")
    >>> base_of(Item("i", "suite", "i", "en", "mine", "", {}), matching)
    'its words carry no annotation'
    """
    agreement = item.agreement
    if agreement is None or agreement.tree is None:
        return "its words carry no annotation"
    if agreement.right == agreement.wrong:
        return "its two forms are equal"
    tree, cue, target = agreement.tree, agreement.cue_node, agreement.target_node
    plan = matching.realiser.plan(tree, agreement.tokens, agreement.spaces)
    if matching.lexicon.conditions.same_class:
        plan = replace(plan, capitals={})
    return VariantBase(item, agreement, tree, cue, target, plan)


def levels_for(
    base: VariantBase, matching: Matching, n_wanted: int
) -> tuple[tuple[LevelSlots, ...], str]:
    """Return the slots of an original at each level that can serve it.

    Args:
        base: the original, as `base_of` returned it.
        matching: the words, rules and levels that variants are made with.
        n_wanted: candidates that a level with a window tries to have for each slot.

    Returns:
        The slots from `morphology` on, and why the next level cannot serve it, "" if all can.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import treebank
    >>> from colorless_green import Recipe
    >>> from colorless_green.nonce import matching_for
    >>> bank, recipe = treebank([sample.treebank("en")]), Recipe(level="morphology")
    >>> matching = matching_for(bank, recipe, "tested", "none")
    >>> original = cg.mine(str(sample.treebank("en"))).originals.items[1]
    >>> (slots,), reason = levels_for(base_of(original, matching), matching, 18)
    >>> {original.agreement.tokens[node]: len(words) for node, words in slots.pools.items()}
    {'mayors': 52, 'criticize': 49, 'woman': 51, 'improvise': 47}
    """
    slots = _morphology_slots(base, matching)
    if not slots.pools:
        return (), "no word of it has a replacement"
    slots_by_level = [slots]  # each level narrows down what the one before it left
    for n_levels in range(1, len(matching.levels) + 1):
        slots = _narrow_slots(base, slots_by_level[-1], matching.levels[:n_levels], n_wanted)
        reason = _reason_unserved(base, slots_by_level[-1], slots)
        if reason:
            return tuple(slots_by_level), reason
        slots_by_level.append(slots)
    return tuple(slots_by_level), ""


def _morphology_slots(base: VariantBase, matching: Matching) -> LevelSlots:
    """Return the slots of an original with all candidates that the mining rule's own conditions
    admit: the level `morphology`, on which further levels build. If words become pseudo-words, only
    words that have a stem are candidates."""
    lexicon, tree, target = matching.lexicon, base.tree, base.target
    pools: dict[int, Donors] = {}
    excluded = {target, *base.plan.closed}
    if base.target_is_token:  # its other words stay, too
        excluded |= {n for n, token in enumerate(tree.tokens) if token == tree.tokens[target]}
    for node, upos in enumerate(tree.upos):
        if node in excluded or upos not in CONTENT_UPOS:
            continue
        pool = lexicon.donors(tree.forms[node], upos, tree.feats[node])
        if not lexicon.conditions.same_class and node in base.plan.fixed:
            pool = tuple([word for word in pool if base.plan.admits(node, word.form)])
        if matching.pseudo is not None:
            cuts = ((word, matching.pseudo.cut_of(word.lemma, upos, word.form)) for word in pool)
            pool = tuple([word for word, cut in cuts if not isinstance(cut, str)])
        if pool:
            pools[node] = pool
    if pairs := _target_pairs(base, matching):
        pools[target] = pairs
    return LevelSlots((), pools)


def _target_pairs(base: VariantBase, matching: Matching) -> Donors:
    """Return the pairs of target forms that the mining rule's conditions admit. If the shape of a
    word before the target depends on the target's first sound (*a*, *an*), both forms must begin
    with the sound of the original target. If words become pseudo-words, both forms must share a
    stem."""
    agreement, lexicon = base.agreement, matching.lexicon
    form, upos = agreement.word(agreement.right), agreement.target_upos
    values = [value for value in agreement.values if value != agreement.value]
    if lexicon.conditions.by_partner and agreement.wrong_value:
        values = [agreement.wrong_value]  # the one that the original's pair contrasts
    feature = agreement.target_feature or agreement.feature
    feats, cue_feats = agreement.target_feats, base.tree.feats[base.cue]
    pairs: list[Donor] = []
    for value in values:
        pairs += lexicon.targets(form, upos, feats, feature, value, cue_feats)
    plan, target = base.plan, base.target
    if not lexicon.conditions.same_class and target in plan.fixed:
        pairs = [
            pair
            for pair in pairs
            if plan.admits(target, pair.form) and plan.admits(target, pair.wrong)
        ]
    if plan.prefix_depends(target):
        sound = matching.realiser.sound
        pairs = [pair for pair in pairs if sound(pair.form) == sound(pair.wrong) == sound(form)]
    if matching.pseudo is not None:
        cuts = [(pair, matching.pseudo.cut_of(pair.lemma, upos, pair.form)) for pair in pairs]
        pairs = [
            pair for pair, cut in cuts if not isinstance(cut, str) and pair.wrong in cut.affixes
        ]
    return tuple(pairs)


def _narrow_slots(
    base: VariantBase,
    slots: LevelSlots,
    levels: tuple[tuple[Level, Matcher], ...],
    n_wanted: int,
) -> LevelSlots:
    """Return the slots of the last level in `levels`: those of the level before it (`slots`), each
    with fewer candidates. A slot is left out if the level does not replace its word, or leaves it
    no candidate."""
    level, matcher = levels[-1]
    pools: dict[int, Donors] = {}
    widest = slots.width
    for node, pool in slots.pools.items():
        if _reason_to_keep(base, level, matcher, node):
            continue
        candidates, width = _narrow(matcher, base.word_at(node), pool, n_wanted)
        if candidates:
            pools[node] = candidates
            widest = max(widest, width)
    return LevelSlots(levels, pools, widest)


def _narrow(matcher: Matcher, word: ReplaceableWord, pool: Donors, n: int) -> tuple[Donors, int]:
    """Return the candidates for a word that a level leaves, and the width (for `+frequency`, the
    distance in octaves) at which they were found. That is the first of the matcher's widths that
    leaves at least `n` candidates, or else the last."""
    for width in matcher.widths:
        candidates = matcher.narrow(word, pool, width)
        if len(candidates) >= n:
            break
    return candidates, width


def restrained_slots(base: VariantBase, slots: LevelSlots, matching: Matching) -> LevelSlots:
    """Return the slots of a lower level, for an original that higher levels cannot serve, without
    the words that higher levels would leave as they are. Only the cue is replaced all the same; the
    result's `unrestrained` tells whether higher levels would leave it as it is."""
    kept_above = {
        node
        for level, matcher in matching.levels
        for node in slots.pools
        if node != base.target and _reason_to_keep(base, level, matcher, node)
    }
    removed = kept_above - {base.cue}
    pools = {node: pool for node, pool in slots.pools.items() if node not in removed}
    return replace(slots, pools=pools, unrestrained=base.cue in kept_above)


def _reason_to_keep(base: VariantBase, level: Level, matcher: Matcher, node: int) -> str:
    """Return the reason why a level does not replace a word, or "" if it does."""
    if node == base.target and base.target_is_closed:
        return "a target of a closed class"
    is_tail = level.keeps_tail and node > base.target
    return "after the target" if is_tail else matcher.stays(base.word_at(node))


def _reason_unserved(base: VariantBase, before: LevelSlots, slots: LevelSlots) -> str:
    """Return the reason why a level beyond `morphology` cannot serve an original, or "" if it can.
    The cue and the target must both be replaced (except a target of a closed class), or variants
    would repeat the treebank. `slots` are those of the level, `before` those of the level before
    it."""
    if base.target not in slots.pools and not base.target_is_closed:
        return f"{slots.level}: no pair of forms for the target {base.agreement.right!r}"
    if base.tree.upos[base.cue] in CONTENT_UPOS and base.cue not in slots.pools:
        if base.cue in before.pools:
            why = _reason_to_keep(base, *slots.levels[-1], base.cue)
            why = why or f"no candidate at {slots.level}"
        else:
            is_closed = base.cue in base.plan.closed
            why = "part of a token that cannot be rebuilt" if is_closed else "no candidate"
        return f"{slots.level}: the cue {base.tree.forms[base.cue]!r} stays ({why})"
    chosen = kept_content_words(base, slots)
    for node, word in chosen.items():
        if slots.clashes(base.tree, chosen, node, word):
            return f"{slots.level}: {word.form!r} stays beside a word it was seen with"
    return ""


def kept_content_words(base: VariantBase, slots: LevelSlots) -> dict[int, Donor]:
    """Return the content words before the target that are not replaced: word of the tree → the word
    itself, as a donor."""
    tree = base.tree
    return {
        node: Donor(tree.forms[node], tree.lemmas[node])
        for node in range(base.target)
        if tree.upos[node] in CONTENT_UPOS and node not in slots.pools
    }


def draw(base: VariantBase, slots: LevelSlots, rng: random.Random) -> Mapping[int, Donor] | None:
    """Draw one variant: return word of the tree → the word drawn for it, the target with its wrong
    form last. Above `morphology` no lemma comes twice or is one of the sentence's own, and no word
    clashes with those before it. Return `None` if no such words were found in a limited number of
    draws."""
    drawn = {base.target: original_pair(base)}  # replaced below if the target is a slot
    if not slots.levels:
        drawn |= {node: choose(rng, pool) for node, pool in slots.pools.items()}
        return {node: drawn[node] for node in (*slots.pools, base.target)}
    tree, chosen = base.tree, kept_content_words(base, slots)
    lemmas = set(tree.lemmas)
    for node in sorted(slots.pools):
        for _ in range(MAX_DRAWS_OF_WORD):
            donor = choose(rng, slots.pools[node])
            forms = [Donor(form, donor.lemma) for form in (donor.form, donor.wrong) if form]
            clashes = any(slots.clashes(tree, chosen, node, word) for word in forms)
            if donor.lemma not in lemmas and not clashes:
                break
        else:
            return None  # no word fits those drawn before it
        lemmas.add(donor.lemma)
        drawn[node] = donor
        if node != base.target:
            chosen[node] = donor
    return {node: drawn[node] for node in (*slots.pools, base.target)}  # the target last


def original_pair(base: VariantBase) -> Donor:
    """Return the original's own target, right and wrong form, for a variant that keeps its
    target."""
    word = base.word_at(base.target)
    source = UNIMORPH if UNIMORPH in base.agreement.flags else TREEBANK
    return Donor(word.form, base.agreement.lemma, word.wrong, source)
