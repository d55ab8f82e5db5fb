"""A wording as an item: the two sentences of a pair as they are written, and all that is known of
them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from colorless_green.miner.agreement_view import CUE_COLUMNS, AgreementView
from colorless_green.miner.rule import InstanceEnd
from colorless_green.miner.tree import Tree
from colorless_green.miner.view import TreeView
from colorless_green.nonce.annotate import evidence
from colorless_green.nonce.balance.cells import BalancedCell
from colorless_green.nonce.formats.records import PUBLISHED
from colorless_green.nonce.item import RIGHT, WRONG, Agreement, Item, Target, item_id, wording
from colorless_green.nonce.realise.layout import RealisedSentence
from colorless_green.nonce.slots import LevelSlots, Matching, VariantBase, own_pair

PREFIX_DIFFERS = "prefix_differs"  # flag of a pair whose sentences differ beside the target, too
REST_DIFFERS = "rest_differs"


@dataclass(frozen=True, slots=True)
class WordChanges:
    """What differs from the original, by word of the tree."""

    forms: Mapping[int, str]  # the target's left out
    right: str  # the target's two forms, as words
    wrong: str
    lemma: str
    lemmas: Mapping[int, str] = field(default_factory=dict)  # of the words in `forms`
    feats: Mapping[int, str] = field(default_factory=dict)  # of words in another inflection
    cell: BalancedCell | None = (
        None  # of a balanced set; none: value and attractors are the original's
    )


def tree_with(base: VariantBase, words: WordChanges) -> Tree:
    """The original's tree with new words, their lemmas and, in a cell, their FEATS."""
    tree = base.tree
    forms, lemmas, feats = list(tree.forms), list(tree.lemmas), list(tree.feats)
    for node, form in words.forms.items():
        forms[node] = form
        lemmas[node] = words.lemmas.get(node, lemmas[node])
    forms[base.target] = words.right
    lemmas[base.target] = words.lemma
    for node, new in words.feats.items():
        feats[node] = new
    return replace(tree, forms=tuple(forms), lemmas=tuple(lemmas), feats=tuple(feats))


def item_of(
    base: VariantBase,
    matching: Matching,
    words: WordChanges,
    flags: Collection[str],
    identity: str,
    kind: str,
) -> Item:
    """The item of a wording; in a cell, of the set with this identity. Its facts are the original's
    less what its variants need not share."""
    right, wrong = _written(base, words)
    agreement, cell = _facts(base, words, flags, right, wrong), words.cell
    dropped = {"wrong_form_licence", PUBLISHED}
    if cell is not None:
        dropped.add("n_attr")
        pair = AgreementView(
            view=TreeView(tree_with(base, words)),
            cue=base.cue,
            target=base.target,
            feature=agreement.feature,
            value=agreement.value,
            forms=matching.all_paradigms.form_readings,
            telling=matching.tellings.get(agreement.feature),
        )
        # the nominals, leaks and telling words that the cell's own words make
        agreement = replace(agreement, **evidence(pair, right.places))
    elif matching.pseudo is None:
        third = _third_values(base, matching, words, agreement)
        if third:
            agreement = replace(agreement, wrong_forms={**agreement.wrong_forms, **third})
    return replace(
        base.item,
        item_id=identity if cell is None else item_id(identity, cell.name),
        kind=kind,
        conditions={
            name: (wording(sentence.tokens, sentence.spaces, sentence.places[base.target]),)
            for name, sentence in ((RIGHT, right), (WRONG, wrong))
        },
        agreement=agreement,
        facts={name: value for name, value in base.item.facts.items() if name not in dropped},
        set_id="" if cell is None else identity,
        cell="" if cell is None else cell.name,
    )


def _written(base: VariantBase, words: WordChanges) -> tuple[RealisedSentence, RealisedSentence]:
    """The two sentences of a pair: the same words with the right and with the wrong form."""
    plan, target = base.plan, base.target
    if not base.target_is_token:
        right = plan.realise({**words.forms, target: words.right})
        return right, plan.realise({**words.forms, target: words.wrong})
    surface = plan.realise(words.forms)
    at = surface.places[target]
    before, after = surface.tokens[:at], surface.tokens[at + 1 :]
    right = replace(surface, tokens=(*before, words.right, *after))
    return right, replace(surface, tokens=(*before, words.wrong, *after))


def _facts(
    base: VariantBase,
    words: WordChanges,
    flags: Collection[str],
    right: RealisedSentence,
    wrong: RealisedSentence,
) -> Agreement:
    """The facts of an original with other words in it; level, seed and variant are the caller's."""
    old, tree, target, cell = base.agreement, base.tree, base.target, words.cell
    places, tokens = right.places, right.tokens
    cue_index, at, wrong_at = places[base.cue], places[target], wrong.places[target]
    right_form, wrong_form = tokens[at], wrong.tokens[wrong_at]
    raised = {*flags, *({"ghost"} & set(old.flags))}
    if tokens[:at] != wrong.tokens[:wrong_at]:
        raised.add(PREFIX_DIFFERS)
    if tokens[at + 1 :] != wrong.tokens[wrong_at + 1 :]:
        raised.add(REST_DIFFERS)
    replaced = {
        places[node]
        for node, form in words.forms.items()
        if form != tree.forms[node] and tokens[places[node]] != old.tokens[tree.tokens[node]]
    }
    if right_form != old.right:
        replaced.add(at)
    start = right_form.find(words.right) if right_form != words.right else 0
    end = start + len(words.right)
    affixes = (right_form[:start], right_form[end:]) if start >= 0 else ("", "")
    upos, feats = _annotation(base, right, words.feats)
    value = old.value if cell is None else cell.value
    wrong_value = old.wrong_value if value == old.value else old.value
    facts = replace(
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
        flags=tuple(sorted(raised)),
        before=affixes[0],
        after=affixes[1],
        tree=None,
        cue_node=-1,
        target_node=-1,
        wrong_value=wrong_value,
        wrong_forms={wrong_value: wrong_form} if wrong_value else {},
    )
    if places != tree.tokens:  # token of the original → that in which its last word stands
        moved = dict(zip(tree.tokens, places, strict=True))
        nominals = (
            nominal._replace(token=moved[nominal.token], distance=at - moved[nominal.token])
            for nominal in old.nominals
        )
        indices: dict[str, Any] = {
            name: tuple(moved[token] for token in getattr(old, name))
            for name in ("attractors", "value_from", *CUE_COLUMNS)
        }
        leaks = tuple(leak._replace(token=moved[leak.token]) for leak in old.leaks)
        facts = replace(facts, nominals=tuple(nominals), leaks=leaks, **indices)
    if cell is None:
        return facts
    between = dict.fromkeys(places[node] for node in cell.attractors)
    return replace(facts, attractors=tuple(token for token in between if cue_index < token < at))


def _annotation(
    base: VariantBase, sentence: RealisedSentence, other_feats: Mapping[int, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """UPOS and FEATS of each token: the original's where the same words stand together."""
    agreement, tree = base.agreement, base.tree
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
    base: VariantBase, matching: Matching, words: WordChanges, agreement: Agreement
) -> Mapping[str, str]:
    """The new target's forms of the values that the original has beside its own two, by the rule
    that mined it."""
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
            token = base.plan.in_place(base.target, form)
            forms[value] = f"{agreement.before}{token}{agreement.after}"
    return forms


def targets_of(base: VariantBase, slots: LevelSlots, item: Item) -> tuple[Target, ...]:
    """Every pair that fits an item's prefix, the original's own first, as whole tokens; the other
    way round in a cell of the other value."""
    facts = item.agreement
    assert facts is not None
    targets: dict[tuple[str, str], Target] = {}
    original = () if PREFIX_DIFFERS in facts.flags else (own_pair(base),)
    for pair in (*original, *slots.pairs):
        right, wrong = (
            facts.before + base.plan.in_place(base.target, form) + facts.after
            for form in (pair.right, pair.wrong)
        )
        if facts.value != base.agreement.value:
            right, wrong = wrong, right
        targets.setdefault((right, wrong), Target(right, wrong, pair.lemma, pair.source))
    return tuple(targets.values())
