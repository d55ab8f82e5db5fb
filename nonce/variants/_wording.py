"""A wording as an item: the two sentences of a pair as they are written, and all that is known of
them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...data.items.item import RIGHT, WRONG, Agreement, Item, Target, wording
from ...data.records import PUBLISHED
from ...miner.originals.cue_words import CUE_COLUMNS
from ...miner.verdict.procedure import InstanceEnd
from .realise.layout import RealisedSentence
from .slots import LevelSlots, Matching, VariantBase, original_pair

PREFIX_DIFFERS = "prefix_differs"  # flag of a pair whose sentences differ beside the target, too
REST_DIFFERS = "rest_differs"


@dataclass(frozen=True, slots=True)
class WordChanges:
    """The words that differ from the original, by word of the tree."""

    forms: Mapping[int, str]  # the target's left out
    right: str  # the target's two forms, as words
    wrong: str
    lemma: str


def item_of(
    base: VariantBase,
    matching: Matching,
    words: WordChanges,
    flags: Collection[str],
    identity: str,
) -> Item:
    """Build the nonce item of a wording. Its facts are the original's without those that belong to
    the original's own forms."""
    right, wrong = _realise(base, words)
    agreement = _facts(base, words, flags, right, wrong)
    if matching.pseudo is None:
        third = _third_values(base, matching, words, agreement)
        if third:
            agreement = replace(agreement, wrong_forms={**agreement.wrong_forms, **third})
    return replace(
        base.item,
        item_id=identity,
        kind="nonce",
        conditions={
            name: (wording(sentence.tokens, sentence.spaces, sentence.token_of[base.target]),)
            for name, sentence in ((RIGHT, right), (WRONG, wrong))
        },
        agreement=agreement,
        facts={
            name: value
            for name, value in base.item.facts.items()
            if name not in ("wrong_form_licence", PUBLISHED)
        },
        set_id="",
        cell="",
    )


def _realise(base: VariantBase, words: WordChanges) -> tuple[RealisedSentence, RealisedSentence]:
    """Return the two sentences of a pair: the same words with the right and with the wrong form."""
    plan, target = base.plan, base.target
    if not base.target_is_token:
        right = plan.realise({**words.forms, target: words.right})
        return right, plan.realise({**words.forms, target: words.wrong})
    surface = plan.realise(words.forms)
    index = surface.token_of[target]
    prefix, rest = surface.tokens[:index], surface.tokens[index + 1 :]
    right = replace(surface, tokens=(*prefix, words.right, *rest))
    return right, replace(surface, tokens=(*prefix, words.wrong, *rest))


def _facts(
    base: VariantBase,
    words: WordChanges,
    flags: Collection[str],
    right: RealisedSentence,
    wrong: RealisedSentence,
) -> Agreement:
    """Return the facts of an original with other words in it; level, seed and variant are the
    caller's."""
    old, tree, target = base.agreement, base.tree, base.target
    token_of, tokens = right.token_of, right.tokens
    cue_index, index, wrong_index = token_of[base.cue], token_of[target], wrong.token_of[target]
    right_form, wrong_form = tokens[index], wrong.tokens[wrong_index]
    raised = {*flags, *({"ghost"} & set(old.flags))}
    if tokens[:index] != wrong.tokens[:wrong_index]:
        raised.add(PREFIX_DIFFERS)
    if tokens[index + 1 :] != wrong.tokens[wrong_index + 1 :]:
        raised.add(REST_DIFFERS)
    replaced = {
        token_of[node]
        for node, form in words.forms.items()
        if form != tree.forms[node] and tokens[token_of[node]] != old.tokens[tree.tokens[node]]
    }
    if right_form != old.right:
        replaced.add(index)
    start = right_form.find(words.right) if right_form != words.right else 0
    end = start + len(words.right)
    affixes = (right_form[:start], right_form[end:]) if start >= 0 else ("", "")
    upos, feats = _annotation(base, right)
    facts = replace(
        old,
        cue_index=cue_index,
        target_index=index,
        cue=old.cue if "ghost" in old.flags else tokens[cue_index],
        lemma=words.lemma,
        right=right_form,
        wrong=wrong_form,
        tokens=tokens,
        upos=upos,
        feats=feats,
        spaces=right.spaces,
        substitutions=tuple(sorted(replaced)),
        flags=tuple(sorted(raised)),
        before=affixes[0],
        after=affixes[1],
        tree=None,
        cue_node=-1,
        target_node=-1,
        wrong_forms={old.wrong_value: wrong_form} if old.wrong_value else {},
    )
    if token_of != tree.tokens:  # token of the original → that in which its last word stands
        moved = dict(zip(tree.tokens, token_of, strict=True))
        nominals = (
            nominal._replace(token=moved[nominal.token], distance=index - moved[nominal.token])
            for nominal in old.nominals
        )
        indices: dict[str, Any] = {
            name: tuple(moved[token] for token in getattr(old, name))
            for name in ("attractors", "value_from", *CUE_COLUMNS)
        }
        leaks = tuple(leak._replace(token=moved[leak.token]) for leak in old.leaks)
        facts = replace(facts, nominals=tuple(nominals), leaks=leaks, **indices)
    return facts


def _annotation(
    base: VariantBase, sentence: RealisedSentence
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return UPOS and FEATS of each token: the original's where the same words are in one token."""
    agreement, tree = base.agreement, base.tree
    if sentence.token_of == tree.tokens:
        return agreement.upos, agreement.feats
    old = {tuple(nodes): token for token, nodes in _words_of(tree.tokens).items()}
    upos: list[str] = []
    feats: list[str] = []
    for _, nodes in sorted(_words_of(sentence.token_of).items()):
        token = old.get(tuple(nodes))
        if token is not None:
            upos.append(agreement.upos[token])
            feats.append(agreement.feats[token])
        elif len(nodes) == 1:
            upos.append(tree.upos[nodes[0]])
            feats.append(tree.feats[nodes[0]])
        else:
            upos.append("+".join(tree.upos[node] for node in nodes))
            feats.append("_")
    return tuple(upos), tuple(feats)


def _words_of(token_of: Sequence[int]) -> dict[int, list[int]]:
    """Token → its words."""
    words: dict[int, list[int]] = {}
    for node, token in enumerate(token_of):
        words.setdefault(token, []).append(node)
    return words


def _third_values(
    base: VariantBase, matching: Matching, words: WordChanges, agreement: Agreement
) -> Mapping[str, str]:
    """Return the new target's forms of the values that the original has beside its own two, by the
    rule that mined it."""
    lexicon, mined = matching.lexicon, base.agreement
    third = [value for value in mined.wrong_forms if value != agreement.wrong_value]
    if lexicon.partner is None or not third:
        return {}
    cue_feats = base.tree.feats[base.cue]
    end = InstanceEnd(0, words.right, words.lemma, mined.target_upos, mined.target_feats, cue_feats)
    feature = mined.target_feature or mined.feature
    forms = {}
    for value in third:
        form, _ = lexicon.partner(lexicon.paradigms, lexicon.vocabulary, end, feature, value)
        if form:
            token = base.plan.cased(base.target, form)
            forms[value] = f"{agreement.before}{token}{agreement.after}"
    return forms


def targets_of(base: VariantBase, slots: LevelSlots, item: Item) -> tuple[Target, ...]:
    """Return every pair that fits an item's prefix, the original's own first, as whole tokens."""
    facts = item.agreement
    assert facts is not None
    targets: dict[tuple[str, str], Target] = {}
    original = () if PREFIX_DIFFERS in facts.flags else (original_pair(base),)
    for pair in (*original, *slots.pairs):
        right, wrong = (
            facts.before + base.plan.cased(base.target, form) + facts.after
            for form in (pair.form, pair.wrong)
        )
        targets.setdefault((right, wrong), Target(right, wrong, pair.lemma, pair.source))
    return tuple(targets.values())
