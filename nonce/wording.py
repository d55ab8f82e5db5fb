"""A wording as an item: the two sentences of a pair as they are written, and all that is known of
them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from colorless_green.miner.cue_words import AgreementView
from colorless_green.miner.rule import End
from colorless_green.miner.tree import Tree
from colorless_green.miner.view import TreeView
from colorless_green.nonce.balance.cells import Cell
from colorless_green.nonce.described import evidence
from colorless_green.nonce.formats.records import PUBLISHED
from colorless_green.nonce.item import RIGHT, WRONG, Agreement, Item, Target, item_id, wording
from colorless_green.nonce.realise.layout import Realised
from colorless_green.nonce.slots import Frame, Matching, Slots, own_pair

PREFIX_DIFFERS = "prefix_differs"  # flag of a pair whose sentences differ beside the target, too
REST_DIFFERS = "rest_differs"
TOKENS = ("attractors", "value_from", "cues_before", "cues_between", "cues_beside_target")
"""Facts of agreement that are tokens of the sentence"""

Sentences: TypeAlias = tuple[Realised, Realised]
"""The two sentences of a pair as they are written: with the right form and with the wrong one"""


@dataclass(frozen=True, slots=True)
class Words:
    """What differs from the original, by word of the tree."""

    forms: Mapping[int, str]  # the target's left out
    right: str  # the target's two forms, as words
    wrong: str
    lemma: str
    lemmas: Mapping[int, str] = field(default_factory=dict)  # of the words in `forms`
    feats: Mapping[int, str] = field(default_factory=dict)  # of words in another inflection
    cell: Cell | None = None  # of a balanced set; none: value and attractors are the original's


def tree_with(frame: Frame, words: Words) -> Tree:
    """The original's tree with new words, their lemmas and, in a cell, their FEATS."""
    tree = frame.tree
    forms, lemmas, feats = list(tree.forms), list(tree.lemmas), list(tree.feats)
    for node, form in words.forms.items():
        forms[node] = form
        lemmas[node] = words.lemmas.get(node, lemmas[node])
    forms[frame.target] = words.right
    lemmas[frame.target] = words.lemma
    for node, new in words.feats.items():
        feats[node] = new
    return replace(tree, forms=tuple(forms), lemmas=tuple(lemmas), feats=tuple(feats))


def item_of(
    frame: Frame,
    matching: Matching,
    words: Words,
    flags: Collection[str],
    identity: str,
    kind: str,
) -> Item:
    """The item of a wording; in a cell, of the set with this identity. Its facts are the original's
    less what its variants need not share."""
    right, wrong = sentences = _written(frame, words)
    agreement, cell = _described(frame, words, flags, sentences), words.cell
    dropped = {"wrong_form_licence", PUBLISHED}
    if cell is not None:
        dropped.add("n_attr")
        pair = AgreementView(
            view=TreeView(tree_with(frame, words)),
            cue=frame.cue,
            target=frame.target,
            feature=agreement.feature,
            value=agreement.value,
            forms=matching.all_paradigms.form_readings,
            telling=matching.tellings.get(agreement.feature),
        )
        # the nominals, leaks and telling words that the cell's own words make
        found = evidence(pair, right.places)
        agreement = replace(agreement, **found)
    elif matching.pseudo is None:
        third = _third_values(frame, matching, words, agreement)
        if third:
            agreement = replace(agreement, wrong_forms={**agreement.wrong_forms, **third})
    return replace(
        frame.item,
        item_id=identity if cell is None else item_id(identity, cell.name),
        kind=kind,
        conditions={
            name: (wording(each.tokens, each.spaces, each.places[frame.target]),)
            for name, each in ((RIGHT, right), (WRONG, wrong))
        },
        agreement=agreement,
        facts={name: told for name, told in frame.item.facts.items() if name not in dropped},
        set_id="" if cell is None else identity,
        cell="" if cell is None else cell.name,
    )


def _written(frame: Frame, words: Words) -> Sentences:
    """The two sentences of a pair: the same words with the right and with the wrong form."""
    plan, target = frame.plan, frame.target
    if not frame.target_is_token:
        right = plan.realise({**words.forms, target: words.right})
        return right, plan.realise({**words.forms, target: words.wrong})
    around = plan.realise(words.forms)
    at = around.places[target]
    before, after = around.tokens[:at], around.tokens[at + 1 :]
    return (
        replace(around, tokens=(*before, words.right, *after)),
        replace(around, tokens=(*before, words.wrong, *after)),
    )


def _described(
    frame: Frame, words: Words, flags: Collection[str], sentences: Sentences
) -> Agreement:
    """The facts of an original with other words in it; level, seed and variant are the caller's."""
    old, tree, target = frame.agreement, frame.tree, frame.target
    cell, (right, wrong) = words.cell, sentences
    places, tokens = right.places, right.tokens
    cue_index, at, wrong_at = places[frame.cue], places[target], wrong.places[target]
    right_form, wrong_form = tokens[at], wrong.tokens[wrong_at]
    told = {*flags, *({"ghost"} & set(old.flags))}
    if tokens[:at] != wrong.tokens[:wrong_at]:
        told.add(PREFIX_DIFFERS)
    if tokens[at + 1 :] != wrong.tokens[wrong_at + 1 :]:
        told.add(REST_DIFFERS)
    replaced = {
        places[node]
        for node, form in words.forms.items()
        if form != tree.forms[node] and tokens[places[node]] != old.tokens[tree.tokens[node]]
    }
    if right_form != old.right:
        replaced.add(at)
    start = right_form.find(words.right) if right_form != words.right else 0
    end = start + len(words.right)
    around = (right_form[:start], right_form[end:]) if start >= 0 else ("", "")
    upos, feats = _annotation(frame, right, words.feats)
    value = old.value if cell is None else cell.value
    wrong_value = old.wrong_value if value == old.value else old.value
    found = replace(
        old,
        value=value,
        target_feats=old.target_feats if cell is None else cell.target_feats,
        cue_index=cue_index,
        target_index=at,
        gap=at - cue_index - 1,
        cue=old.cue if "ghost" in old.flags else tokens[cue_index],
        lemma=words.lemma,
        right=right_form,
        wrong=wrong_form,
        tokens=tokens,
        upos=upos,
        feats=feats,
        spaces=right.spaces,
        substitutions=tuple(sorted(replaced)),
        flags=tuple(sorted(told)),
        before=around[0],
        after=around[1],
        tree=None,
        cue_node=-1,
        target_node=-1,
        wrong_value=wrong_value,
        wrong_forms={wrong_value: wrong_form} if wrong_value else {},
    )
    if places != tree.tokens:  # token of the original → that in which its last word stands
        moved = dict(zip(tree.tokens, places, strict=True))
        placed: dict[str, Any] = {
            name: tuple(moved[each] for each in getattr(old, name)) for name in TOKENS
        }
        placed["leaks"] = tuple(each._replace(token=moved[each.token]) for each in old.leaks)
        placed["nominals"] = tuple(
            each._replace(token=moved[each.token], distance=at - moved[each.token])
            for each in old.nominals
        )
        found = replace(found, **placed)
    if cell is None:
        return found
    between = dict.fromkeys(places[node] for node in cell.attractors)
    return replace(found, attractors=tuple(each for each in between if cue_index < each < at))


def _annotation(
    frame: Frame, sentence: Realised, other_feats: Mapping[int, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """UPOS and FEATS of each token: the original's where the same words stand together."""
    agreement, tree = frame.agreement, frame.tree
    if sentence.places == tree.tokens and not other_feats:
        return agreement.upos, agreement.feats
    old = {tuple(nodes): token for token, nodes in _words_of(tree.tokens).items()}
    upos: list[str] = []
    feats: list[str] = []
    for _, nodes in sorted(_words_of(sentence.places).items()):
        token = old.get(tuple(nodes))
        if token is not None and other_feats.keys().isdisjoint(nodes):
            upos.append(agreement.upos[token])
            feats.append(agreement.feats[token])
        elif len(nodes) == 1:
            upos.append(tree.upos[nodes[0]])
            feats.append(other_feats.get(nodes[0], tree.feats[nodes[0]]))
        else:
            upos.append("+".join(tree.upos[node] for node in nodes))
            feats.append("_")
    return tuple(upos), tuple(feats)


def _words_of(places: Sequence[int]) -> dict[int, list[int]]:
    """Token → its words."""
    words: dict[int, list[int]] = {}
    for node, token in enumerate(places):
        words.setdefault(token, []).append(node)
    return words


def _third_values(
    frame: Frame, matching: Matching, words: Words, agreement: Agreement
) -> Mapping[str, str]:
    """The new target's forms of the values that the original has beside its own two, by the rule
    that mined it."""
    lexicon, mined = matching.lexicon, frame.agreement
    third = [value for value in mined.wrong_forms if value != agreement.wrong_value]
    if lexicon.partner is None or not third:
        return {}
    cue_feats = frame.tree.feats[frame.cue]
    end = End(0, words.right, words.lemma, mined.target_upos, mined.target_feats, cue_feats)
    feature = mined.target_feature or mined.feature
    forms = {}
    for value in third:
        form, _ = lexicon.partner(lexicon.paradigms, lexicon.vocabulary, end, feature, value)
        if form:
            token = frame.plan.in_place(frame.target, form)
            forms[value] = f"{agreement.before}{token}{agreement.after}"
    return forms


def targets_of(frame: Frame, slots: Slots, item: Item) -> tuple[Target, ...]:
    """Every pair that fits an item's prefix, the original's own first, as whole tokens; the other
    way round in a cell of the other value."""
    facts = item.agreement
    assert facts is not None
    found: dict[tuple[str, str], Target] = {}
    own = () if PREFIX_DIFFERS in facts.flags else (own_pair(frame),)
    for pair in (*own, *slots.pairs):
        right, wrong = (
            facts.before + frame.plan.in_place(frame.target, form) + facts.after
            for form in (pair.right, pair.wrong)
        )
        if facts.value != frame.agreement.value:
            right, wrong = wrong, right
        found.setdefault((right, wrong), Target(right, wrong, pair.lemma, pair.source))
    return tuple(found.values())
