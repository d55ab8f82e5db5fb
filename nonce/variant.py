"""Original + lexicon + generator → nonce variants ("colorless green ideas").

Every content word of the sentence is replaced by another of the same POS and FEATS, the target by
a pair of forms of one lemma, under the conditions of the rule that mined the original and of the
matching level (Gulordava et al. 2018, §2 "Generating nonce sentences"; mining facts §1.6,
invariants I1–I15). Unlike the published files, the form that is evaluated stands in the sentence,
no pair has equal forms, no variant of an original comes twice, and articles, elisions and
contractions follow the new words.

A balanced *set* is one wording, an original's or a variant's, in both values and with the numbers
of attractors that can be made of it (`balance/cells.py`); its items have one `set_id`, and `cell`
says which is which. Pseudo-words come last: the real words are drawn first, under all conditions
of the level, and lend them their inflection class, gender and frame.
"""

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from colorless_green.data.seeds import generator
from colorless_green.miner.cue_words import AgreementView
from colorless_green.miner.rule import End
from colorless_green.miner.tree import Tree
from colorless_green.miner.view import TreeView
from colorless_green.nonce.balance.cells import Cell, cells
from colorless_green.nonce.described import evidence
from colorless_green.nonce.formats.records import PUBLISHED
from colorless_green.nonce.frequencies import TREEBANK, WORDFREQ
from colorless_green.nonce.item import RIGHT, WRONG, Agreement, Item, Target, item_id, wording
from colorless_green.nonce.levels import MORPHOLOGY
from colorless_green.nonce.lexicon import UNIMORPH, UNIMORPH_LICENCE, Donor, TargetPair
from colorless_green.nonce.realise.layout import Realised
from colorless_green.nonce.slots import (
    CONTENT_UPOS,
    Frame,
    Matching,
    Slots,
    draw,
    frame_of,
    levels_for,
    own_pair,
    restrained,
)

TRIES = 100  # draws for one variant before it is given up as a repeat
SET_TRIES = 40  # where each draw is also inflected anew
ENOUGH = 18  # candidates that a level with a window wants: two for each of nine variants
MOST_ATTRACTORS = 2  # of balanced sets, where no number was asked for
FEW = "its words have too few replacements for another variant"
FREQUENCIES = {WORDFREQ: "wordfreq (CC-BY-SA-4.0)"}  # lists, with their licences
KEPT_TARGET = "kept_target"  # flag of a variant that has its original's own pair
UNRESTRAINED = "unrestrained"  # of one in which words of fixed use are replaced, since it must be
PREFIX_DIFFERS = "prefix_differs"  # of a pair whose sentences differ beside the target, too
REST_DIFFERS = "rest_differs"

Sentences: TypeAlias = tuple[Realised, Realised]
"""The two sentences of a pair as they are written: with the right form and with the wrong one"""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """An original that has fewer variants than were asked for, and why."""

    item_id: str
    n_made: int
    n_asked: int
    reason: str


@dataclass(frozen=True, slots=True)
class Made:
    """Each original followed by its variants."""

    items: tuple[Item, ...]
    shortfalls: tuple[Shortfall, ...]
    served: Mapping[str, int]  # level → originals that it can serve, each level that was asked for


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
) -> Made:
    """Each original followed by its variants 1 … n, and the originals that fell short.

    Where the matching asks for balance, each of them is a set of items, one for each cell. A
    variant depends on its original and the options alone, not on other items. Raises nothing: an
    original that can have no variant is a shortfall.

    Args:
        originals: mined items.
        matching: what variants are made with.
        n: variants of each.
        seed: the same seed gives the same variants.
        lowest: the level down to which an original may be served; "": that of the matching alone.
        every: whether a lower level replaces words of fixed use where it must.
        all_targets: whether each item lists every pair that fits its prefix.
        progress: is told how many originals are done.
    """
    items: list[Item] = []
    shortfalls: list[Shortfall] = []
    names = [MORPHOLOGY, *(f"+{level.name}" for level, _ in matching.levels)]
    allowed = names[names.index(lowest or names[-1]) :]
    served = dict.fromkeys(names, 0)
    for done, original in enumerate(originals, start=1):
        n_made, reason, able = 0, "", set[str]()
        frame = frame_of(original, matching)
        itself = [original] if isinstance(frame, str) else _itself(frame, matching)
        if isinstance(frame, str):
            items.append(original)
            reason = frame
        elif isinstance(itself, str):
            reason = f"no balanced set: {itself}"
        else:
            reached, reason = levels_for(frame, matching, ENOUGH)
            able = {each.level for each in reached if _can_draw(frame, matching, each, seed)}
            family = [itself]
            for slots in _tried(frame, reached, matching, allowed, every):
                family += _made(frame, matching, slots, n, seed)
                n_made = len(family) - 1
                if n_made:
                    reason = FEW
                    able.add(slots.level)
                    break
                reason = f"{slots.level}: no variant can be drawn"
            own = [item for each in family for item in each]
            if n_made and all_targets:
                own = [replace(item, targets=_targets(frame, slots, item)) for item in own]
            items += own
        for level in able:
            served[level] += 1
        if n_made < n:
            shortfalls.append(Shortfall(original.item_id, n_made, n, reason))
        progress(done)
    return Made(tuple(items), tuple(shortfalls), served)


def _tried(
    frame: Frame,
    reached: Sequence[Slots],
    matching: Matching,
    allowed: Sequence[str],
    every: bool,
) -> Iterator[Slots]:
    """The slots that may serve an original, from the highest level that is allowed down. What the
    levels above a lower one leave alone stays in its slots; if every original is to be served, all
    but the cue, and in the end nothing of it."""
    for slots in reversed(reached):
        if slots.level == allowed[-1]:
            yield slots
        elif slots.level in allowed:
            spared = restrained(frame, slots, matching)
            if every or not spared.unrestrained:
                yield spared
            if every and len(spared.pools) < len(slots.pools):
                yield replace(slots, unrestrained=True)


def _can_draw(frame: Frame, matching: Matching, slots: Slots, seed: int) -> bool:
    """Whether words for the first variant can be drawn at a level, before they are coined or
    inflected."""
    identity = item_id(frame.item.item_id, slots.level, seed, 1, matching.identity)
    rng = generator(seed, identity)
    draws = (draw(frame, slots, rng) for _ in range(TRIES))
    return any(each is not None and _forms(frame, *each) != frame.tree.forms for each in draws)


def _forms(frame: Frame, donors: Mapping[int, Donor], pair: TargetPair) -> tuple[str, ...]:
    """The words of the tree with what was drawn in their places."""
    forms = list(frame.tree.forms)
    for node, donor in donors.items():
        forms[node] = donor.form
    forms[frame.target] = pair.right
    return tuple(forms)


def _itself(frame: Frame, matching: Matching) -> Sequence[Item] | str:
    """The original, in its cells where balance was asked for; or why it has none."""
    if matching.inflections is None:
        return [frame.item]
    pair = own_pair(frame)
    wordings = _in_cells(frame, Words({}, pair.right, pair.wrong, pair.lemma), matching)
    if isinstance(wordings, str):
        return wordings
    items = []
    for words in wordings:
        set_id, cell = frame.item.item_id, words.cell
        assert cell is not None
        if cell.value == frame.agreement.value and not cell.changed:
            items.append(replace(frame.item, set_id=set_id, cell=cell.name))
        else:
            item = _item_of(frame, matching, words, (), set_id, "original")
            identity = item_id(set_id, cell.name, matching.identity)
            items.append(replace(item, item_id=identity))
    return items


def _made(
    frame: Frame, matching: Matching, slots: Slots, n: int, seed: int
) -> Iterator[Sequence[Item]]:
    """Variants 1 … n at one level, as many as can be drawn; each one item, or one for each cell."""
    seen = {frame.tree.forms}
    flags = [] if slots.pairs else [KEPT_TARGET]
    flags += [UNRESTRAINED] * slots.unrestrained + ["pseudo"] * (matching.pseudo is not None)
    for variant in range(1, n + 1):
        identity = item_id(frame.item.item_id, slots.level, seed, variant, matching.identity)
        rng = generator(seed, identity)
        for _ in range(TRIES if matching.inflections is None else SET_TRIES):
            drawn = draw(frame, slots, rng)
            if drawn is None:
                continue
            donors, pair = drawn
            forms = _forms(frame, donors, pair)
            if forms in seen:
                continue
            wordings = _wordings(frame, matching, slots, donors, pair, rng)
            if wordings:
                break
        else:
            return
        seen.add(forms)
        facts: dict[str, str] = {}
        places = [(frame.place(node), donor) for node, donor in donors.items()]
        for matcher in slots.matchers:
            facts.update(matcher.facts(places, slots.width))
        if matching.told.get("frequencies", TREEBANK) != TREEBANK:  # looked at, none of its text
            facts["frequencies_from"] = FREQUENCIES.get(matching.told["frequencies"], "a file")
        facts["wrong_form_source"] = pair.source
        if matching.words_from[0]:
            facts["words_from"], facts["words_licence"] = matching.words_from
        if pair.source == UNIMORPH:
            facts["wrong_form_licence"] = UNIMORPH_LICENCE
        items = []
        for words in wordings:
            item = _item_of(frame, matching, words, flags, identity, "nonce")
            assert item.agreement is not None
            agreement = replace(item.agreement, level=slots.level, seed=seed, variant=variant)
            items.append(replace(item, agreement=agreement, facts={**item.facts, **facts}))
        yield items


def _wordings(
    frame: Frame,
    matching: Matching,
    slots: Slots,
    donors: Mapping[int, Donor],
    pair: TargetPair,
    rng: random.Random,
) -> Sequence[Words]:
    """What was drawn as it will be written: itself, or in every cell of its set; nothing where not
    every cell, or not every pseudo-word, can be made."""
    forms = {node: donor.form for node, donor in donors.items()}
    lemmas = {node: donor.lemma for node, donor in donors.items()}
    words = Words(forms, pair.right, pair.wrong, pair.lemma, lemmas)
    found: Sequence[Words] = [words]
    if matching.inflections is not None:
        in_cells = _in_cells(frame, words, matching)
        if isinstance(in_cells, str) or any(_clashing(frame, slots, each) for each in in_cells):
            return ()
        found = in_cells
    if matching.pseudo is None:
        return found
    new: dict[int, Mapping[str, str]] = {}
    taken: set[str] = set()
    wanted = [(node, [each.forms[node] for each in found]) for node in lemmas]
    if slots.pairs:
        both = [form for each in found for form in (each.right, each.wrong)]
        wanted.append((frame.target, both))
    for node, own in wanted:  # a stem of one word for all forms that it has in the cells
        lemma = pair.lemma if node == frame.target else lemmas[node]
        made = matching.pseudo.of(rng, lemma, frame.tree.upos[node], own[0], taken)
        if made is None or not made.keys() >= set(own):
            return ()
        new[node] = made
        taken.update(made.values())
    return [_in_pseudo_words(frame, each, new) for each in found]


def _in_pseudo_words(frame: Frame, words: Words, new: Mapping[int, Mapping[str, str]]) -> Words:
    forms = {node: new[node][form] if node in new else form for node, form in words.forms.items()}
    if frame.target not in new:
        return replace(words, forms=forms)
    target = new[frame.target]
    right, wrong = target[words.right], target[words.wrong]
    lemma = target.get(words.lemma, right)
    return replace(words, forms=forms, right=right, wrong=wrong, lemma=lemma)


def _in_cells(frame: Frame, words: Words, matching: Matching) -> Sequence[Words] | str:
    """A wording in its cells, each number of attractors in both values; or why it has none."""
    agreement = frame.agreement
    if agreement.tree is None:
        return "its sentence has no tree"
    feature = agreement.cue_feature or agreement.feature
    others = [value for value in agreement.values if value != agreement.value]
    if len(others) != 1:
        return f"its construction has {len(agreement.values)} values, a block has two"
    assert matching.inflections is not None
    asked = matching.attractors
    block = cells(
        _tree_with(frame, words),
        frame.cue,
        frame.target,
        feature=feature,
        values=sorted((agreement.value, *others), key=lambda value: (value != "Sing", value)),
        inflection=matching.inflections[feature],
        target_pair=(words.right, words.wrong),
        max_attractors=MOST_ATTRACTORS if asked is None else asked,
        target_feature=agreement.target_feature,
    )
    forms, is_open = frame.tree.forms, frame.plan.open
    found = [  # those of which every word can be written in its place
        cell
        for cell in block.cells
        if all(form == forms[node] or is_open(node) for node, (form, _) in cell.changed.items())
    ]
    missing = list(dict.fromkeys(block.missing.values()))
    if len(found) < len(block.cells):
        missing.append("part of a token that cannot be rebuilt")
    if missing:
        numbers = [cell.n_attractors for cell in found]
        found = [cell for cell in found if asked is None and numbers.count(cell.n_attractors) == 2]
    return [
        replace(
            words,
            forms={**words.forms, **{node: form for node, (form, _) in cell.changed.items()}},
            feats={
                frame.target: cell.target_feats,
                **{node: feats for node, (_, feats) in cell.changed.items()},
            },
            right=cell.right,
            wrong=cell.wrong,
            cell=cell,
        )
        for cell in found
    ] or "; ".join(missing)


def _tree_with(frame: Frame, words: Words) -> Tree:
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


def _clashing(frame: Frame, slots: Slots, words: Words) -> bool:
    """Whether two words of a cell clash, up to the target."""
    lemmas = {**dict(enumerate(frame.tree.lemmas)), **words.lemmas}
    standing = {
        node: Donor(words.forms.get(node, form), lemmas[node], 0)
        for node, form in enumerate(frame.tree.forms[: frame.target])
        if frame.tree.upos[node] in CONTENT_UPOS
    }
    both = [Donor(form, words.lemma, 0) for form in (words.right, words.wrong) if slots.pairs]
    looked_at = [*standing.items(), *((frame.target, each) for each in both)]
    return any(
        matcher.clashes(frame.tree, standing, node, word)
        for matcher in slots.matchers
        for node, word in looked_at
    )


def _item_of(
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
            view=TreeView(_tree_with(frame, words)),
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
        nominals = (
            each._replace(token=moved[each.token], distance=at - moved[each.token])
            for each in old.nominals
        )
        found = replace(
            found,
            attractors=tuple(moved[each] for each in old.attractors),
            nominals=tuple(nominals),
            leaks=tuple(each._replace(token=moved[each.token]) for each in old.leaks),
            value_from=tuple(moved[each] for each in old.value_from),
            cues_before=tuple(moved[each] for each in old.cues_before),
            cues_between=tuple(moved[each] for each in old.cues_between),
            cues_beside_target=tuple(moved[each] for each in old.cues_beside_target),
        )
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


def _targets(frame: Frame, slots: Slots, item: Item) -> tuple[Target, ...]:
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
