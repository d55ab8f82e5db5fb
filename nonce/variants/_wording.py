"""A wording as an item: the two sentences of a pair as they are written, and all that is known of
them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...data.formats.published_records import PUBLISHED
from ...data.items.item import RIGHT, WRONG, Agreement, Item, Target, wording
from ...miner.originals.cue_words import CUE_COLUMNS
from .realise.layout import RealisedSentence
from .slots import LevelSlots, VariantBase, original_pair

PREFIX_DIFFERS = "prefix_differs"  # flag of a pair whose sentences differ beside the target, too
REST_DIFFERS = "rest_differs"


@dataclass(frozen=True, slots=True)
class WordChanges:
    """The words that differ from the original, by word of the tree."""

    forms: Mapping[int, str]  # the target's left out
    right: str  # the target's two forms, as words
    wrong: str
    lemma: str


def item_of(base: VariantBase, words: WordChanges, flags: Collection[str], identity: str) -> Item:
    """Build the nonce item of a wording. Its facts are the original's without those that belong to
    the original's own forms."""
    right, wrong = _realise(base, words)
    return replace(
        base.item,
        item_id=identity,
        kind="nonce",
        conditions={
            name: (wording(sentence.tokens, sentence.spaces, sentence.token_of[base.target]),)
            for name, sentence in ((RIGHT, right), (WRONG, wrong))
        },
        agreement=_facts(base, words, flags, right, wrong),
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
    old, tree = base.agreement, base.tree
    token_of, tokens = right.token_of, right.tokens
    index, wrong_index = (each.token_of[base.target] for each in (right, wrong))
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
    before, found, after = right_form.partition(words.right)
    upos, feats = _annotation(base, right)
    # token of the original → that in which its last word stands
    moved = dict(zip(tree.tokens, token_of, strict=True))
    indices: dict[str, Any] = {
        name: tuple(moved[token] for token in getattr(old, name))
        for name in ("attractors", "value_from", *CUE_COLUMNS)
    }
    return replace(
        old,
        cue_index=token_of[base.cue],
        target_index=index,
        cue=old.cue if "ghost" in old.flags else tokens[token_of[base.cue]],
        lemma=words.lemma,
        right=right_form,
        wrong=wrong_form,
        tokens=tokens,
        upos=upos,
        feats=feats,
        spaces=right.spaces,
        substitutions=tuple(sorted(replaced | ({index} if right_form != old.right else set()))),
        flags=tuple(sorted(raised)),
        before=before if found else "",
        after=after,
        tree=None,
        cue_node=-1,
        target_node=-1,
        wrong_forms={old.wrong_value: wrong_form} if old.wrong_value else {},
        nominals=tuple(
            nominal._replace(token=moved[nominal.token], distance=index - moved[nominal.token])
            for nominal in old.nominals
        ),
        leaks=tuple(leak._replace(token=moved[leak.token]) for leak in old.leaks),
        **indices,
    )


def _annotation(
    base: VariantBase, sentence: RealisedSentence
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return UPOS and FEATS of each token: the original's where the same words are in one token."""
    agreement, tree = base.agreement, base.tree
    old = {nodes: token for token, nodes in _words_of(tree.tokens).items()}
    upos: list[str] = []
    feats: list[str] = []
    for nodes in _words_of(sentence.token_of).values():
        token = old.get(nodes)
        upos.append(
            "+".join(tree.upos[node] for node in nodes) if token is None else agreement.upos[token]
        )
        own = tree.feats[nodes[0]] if len(nodes) == 1 else "_"
        feats.append(own if token is None else agreement.feats[token])
    return tuple(upos), tuple(feats)


def _words_of(token_of: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """Return token → its words, in the order of the tokens."""
    words: dict[int, tuple[int, ...]] = {}
    for node, token in enumerate(token_of):
        words[token] = (*words.get(token, ()), node)
    return words


def targets_of(base: VariantBase, slots: LevelSlots, item: Item) -> tuple[Target, ...]:
    """Return every pair that fits an item's prefix, the original's own first, as whole tokens."""
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
