"""Original + lexicon + generator → nonce variants ("colorless green ideas").

Every content word of the sentence is replaced by another of the same POS and FEATS, the target by
a pair of forms of one lemma, under the conditions of the rule that mined the original and of the
matching level (Gulordava et al. 2018, §2 "Generating nonce sentences"; mining facts §1.6,
invariants I1–I15). Unlike the published files, the form that is evaluated stands in the sentence,
no pair has equal forms, no variant of an original comes twice, and articles, elisions and
contractions follow the new words.
"""

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from colorless_green.data.seeds import generator
from colorless_green.miner.rule import End
from colorless_green.nonce.balance.cells import Cell
from colorless_green.nonce.blocks import cells_of, exchanged, in_cell
from colorless_green.nonce.coining import coined
from colorless_green.nonce.described import evidence
from colorless_green.nonce.draw import Drawn, draw, own_pair
from colorless_green.nonce.formats.records import PUBLISHED
from colorless_green.nonce.frequencies import TREEBANK, WORDFREQ
from colorless_green.nonce.item import Agreement, Item, Target, item_id
from colorless_green.nonce.levels import MORPHOLOGY
from colorless_green.nonce.lexicon import UNIMORPH, Donor
from colorless_green.nonce.matching import Matching
from colorless_green.nonce.mined import UNIMORPH_LICENCE
from colorless_green.nonce.slots import (
    CONTENT_UPOS,
    Climb,
    Frame,
    Slots,
    climb,
    frame_of,
    restrained,
)
from colorless_green.nonce.variant import PREFIX_DIFFERS, Wordings, Words, as_item, varied

TRIES = 100  # draws for one variant before it is given up as a repeat
BLOCK_TRIES = 40  # where each draw is also inflected anew
ENOUGH = 18  # candidates that a level with a window wants: two for each of nine variants
FEW = "its words have too few replacements for another variant"
KEPT_TARGET = "kept_target"  # flag of a variant that has its original's own pair
UNRESTRAINED = "unrestrained"  # of one in which words of fixed use are replaced, since it must be

FREQUENCIES = {WORDFREQ: "wordfreq (CC-BY-SA-4.0)"}  # lists, with their licences


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many variants are made, and of what kind."""

    n_variants: int = 9
    seed: int = 0
    lowest: str = ""  # the level down to which one may be served; "": that of the matching alone
    every: bool = False  # whether a lower level replaces words of fixed use where it must
    all_targets: bool = False  # whether each item lists every pair that fits its prefix


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
class _Family:
    """What was made of one original."""

    items: Sequence[Item]
    n_variants: int
    reason: str  # why there are no more
    levels: Collection[str]  # that can serve it


def variants(
    originals: Iterable[Item],
    matching: Matching,
    wanted: Wanted = Wanted(),
    *,
    progress: Callable[[int], None] = lambda n_done: None,
) -> Made:
    """Each original followed by its variants 1 … n, and the originals that fell short.

    Where the matching asks for balance, each of them is a set of items, one for each cell. A
    variant depends on its original, the matching and what is wanted alone, not on other items.
    Raises nothing: an original that can have no variant is a shortfall.
    """
    items: list[Item] = []
    shortfalls: list[Shortfall] = []
    served = dict.fromkeys([MORPHOLOGY, *(f"+{level.name}" for level, _ in matching.levels)], 0)
    for done, original in enumerate(originals, start=1):
        family = _family(original, matching, wanted)
        items += family.items
        for level in family.levels:
            served[level] += 1
        if family.n_variants < wanted.n_variants:
            short = (original.item_id, family.n_variants, wanted.n_variants, family.reason)
            shortfalls.append(Shortfall(*short))
        progress(done)
    return Made(tuple(items), tuple(shortfalls), served)


def _family(original: Item, matching: Matching, wanted: Wanted) -> _Family:
    frame = frame_of(original, matching)
    if isinstance(frame, str):
        return _Family([original], 0, frame, ())
    itself = _itself(frame, matching)
    if isinstance(itself, str):
        return _Family([], 0, f"no balanced set: {itself}", ())
    climbed = climb(frame, matching, ENOUGH)
    able = [each.level for each in climbed.reached if _can_draw(frame, matching, each, wanted)]
    reason = climbed.reason
    for slots in _tried(frame, climbed, matching, wanted):
        made = list(_made(frame, matching, slots, wanted))
        if made:
            items = [item for each in (itself, *made) for item in each]
            if wanted.all_targets:
                items = [replace(item, targets=_targets(frame, slots, item)) for item in items]
            return _Family(items, len(made), FEW, {*able, slots.level})
        reason = f"{slots.level}: no variant can be drawn"
    return _Family(itself, 0, reason, able)


def _tried(frame: Frame, climbed: Climb, matching: Matching, wanted: Wanted) -> Iterator[Slots]:
    """The slots that may serve an original, from the highest level that is allowed down. What the
    levels above a lower one leave alone stays in its slots; if every original is to be served, all
    but the cue, and in the end nothing of it."""
    every = [MORPHOLOGY, *(f"+{level.name}" for level, _ in matching.levels)]
    asked = every[-1]
    allowed = every[every.index(wanted.lowest or asked) :]
    for slots in reversed(climbed.reached):
        if slots.level == asked:
            yield slots
        elif slots.level in allowed:
            spared = restrained(frame, slots, matching)
            if wanted.every or not spared.unrestrained:
                yield spared
            if wanted.every and len(spared.pools) < len(slots.pools):
                yield replace(slots, unrestrained=True)


def _can_draw(frame: Frame, matching: Matching, slots: Slots, wanted: Wanted) -> bool:
    """Whether words for the first variant can be drawn at a level, before they are coined or
    inflected."""
    identity = item_id(frame.item.item_id, slots.level, wanted.seed, 1, matching.identity)
    rng = generator(wanted.seed, identity)
    draws = (draw(frame, slots, rng) for _ in range(TRIES))
    return any(each is not None and _key(frame, each) != frame.tree.forms for each in draws)


def _itself(frame: Frame, matching: Matching) -> Sequence[Item] | str:
    """The original, in its cells where balance was asked for; or why it has none."""
    if matching.balance is None:
        return [frame.item]
    pair = own_pair(frame)
    words = Words({}, pair.right, pair.wrong, pair.lemma)
    cells = cells_of(frame, words, matching.balance)
    if isinstance(cells, str):
        return cells
    items = []
    for cell in cells:
        set_id, name = frame.item.item_id, cell.name
        if cell.value == frame.agreement.value and not cell.changed:
            items.append(replace(frame.item, set_id=set_id, cell=name))
            continue
        inflected = in_cell(frame, words, cell)
        agreement, wordings = varied(frame, inflected, ())
        agreement = _told_anew(frame, matching, inflected, agreement, wordings)
        identity = item_id(set_id, name, matching.identity)
        items.append(
            as_item(
                frame,
                agreement,
                wordings,
                identity,
                "original",
                facts=_facts(frame, cell),
                set_id=set_id,
                cell=name,
            )
        )
    return items


def _made(
    frame: Frame, matching: Matching, slots: Slots, wanted: Wanted
) -> Iterator[Sequence[Item]]:
    """Variants 1 … n at one level, as many as can be drawn; each one item, or one for each cell."""
    seen = {frame.tree.forms}
    balanced = matching.balance is not None
    for variant in range(1, wanted.n_variants + 1):
        identity = item_id(frame.item.item_id, slots.level, wanted.seed, variant, matching.identity)
        rng = generator(wanted.seed, identity)
        for _ in range(BLOCK_TRIES if balanced else TRIES):
            drawn = draw(frame, slots, rng)
            key = None if drawn is None else _key(frame, drawn)
            if drawn is None or key is None or key in seen:
                continue
            wordings = _wordings(frame, matching, slots, drawn, rng)
            if wordings:
                break
        else:
            return
        seen.add(key)
        yield [
            _item(frame, matching, slots, drawn, words, identity, cell, wanted.seed, variant)
            for cell, words in wordings
        ]


def _key(frame: Frame, drawn: Drawn) -> tuple[str, ...]:
    forms = list(frame.tree.forms)
    for node, donor in drawn.donors.items():
        forms[node] = donor.form
    forms[frame.target] = drawn.pair.right
    return tuple(forms)


def _wordings(
    frame: Frame, matching: Matching, slots: Slots, drawn: Drawn, rng: random.Random
) -> Sequence[tuple[Cell | None, Words]]:
    """What was drawn as it will be written: itself, or in every cell of its block; nothing where
    not every cell, or not every pseudo-word, can be made."""
    words = Words(
        {node: donor.form for node, donor in drawn.donors.items()},
        drawn.pair.right,
        drawn.pair.wrong,
        drawn.pair.lemma,
        {node: donor.lemma for node, donor in drawn.donors.items()},
    )
    cells: Sequence[Cell | None] = [None]
    wordings = [words]
    if matching.balance is not None:
        found = cells_of(frame, words, matching.balance)
        if isinstance(found, str):
            return ()
        cells, wordings = found, [in_cell(frame, words, cell) for cell in found]
        if any(_clashing(frame, slots, each) for each in wordings):
            return ()
    if matching.pseudo is not None:
        new = coined(frame, wordings, matching.pseudo, rng, with_target=bool(slots.pairs))
        if new is None:
            return ()
        wordings = new
    return list(zip(cells, wordings, strict=True))


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


def _item(
    frame: Frame,
    matching: Matching,
    slots: Slots,
    drawn: Drawn,
    words: Words,
    identity: str,
    cell: Cell | None,
    seed: int,
    variant: int,
) -> Item:
    flags = [] if slots.pairs else [KEPT_TARGET]
    if slots.unrestrained:
        flags.append(UNRESTRAINED)
    if matching.pseudo is not None:
        flags.append("pseudo")
    agreement, wordings = varied(frame, words, flags)
    if cell is not None:
        agreement = _told_anew(frame, matching, words, agreement, wordings)
    elif matching.pseudo is None:
        agreement = _with_third_values(frame, matching, words, agreement)
    places = [(frame.place(node), donor) for node, donor in drawn.donors.items()]
    facts = _facts(frame, cell)
    for matcher in slots.matchers:
        facts.update(matcher.facts(places, slots.width))
    if matching.told.get("frequencies", TREEBANK) != TREEBANK:  # looked at, none of its text
        facts["frequencies_from"] = FREQUENCIES.get(matching.told["frequencies"], "a file")
    facts["wrong_form_source"] = drawn.pair.source
    if matching.words_from[0]:
        facts["words_from"], facts["words_licence"] = matching.words_from
    if drawn.pair.source == UNIMORPH:
        facts["wrong_form_licence"] = UNIMORPH_LICENCE
    return as_item(
        frame,
        replace(agreement, level=slots.level, seed=seed, variant=variant),
        wordings,
        identity if cell is None else item_id(identity, cell.name),
        "nonce",
        facts=facts,
        set_id="" if cell is None else identity,
        cell="" if cell is None else cell.name,
    )


def _facts(frame: Frame, cell: Cell | None) -> dict[str, str]:
    """The original's facts, less what its variants need not share."""
    dropped = {"wrong_form_licence", PUBLISHED} | ({"n_attr"} if cell is not None else set())
    return {name: told for name, told in frame.item.facts.items() if name not in dropped}


def _told_anew(
    frame: Frame, matching: Matching, words: Words, agreement: Agreement, wordings: Wordings
) -> Agreement:
    """The facts of a cell with the nominals, leaks and telling words that its own words make."""
    found = evidence(
        exchanged(frame, words),
        wordings.right.places,
        frame.cue,
        frame.target,
        agreement.feature,
        agreement.value,
        matching.all_paradigms,
        matching.tellings.get(agreement.feature),
    )
    return replace(agreement, **found)


def _with_third_values(
    frame: Frame, matching: Matching, words: Words, agreement: Agreement
) -> Agreement:
    """The facts with the new target's forms of the values that the original has beside its own
    two, by the rule that mined it."""
    lexicon, mined = matching.lexicon, frame.agreement
    third = [value for value in mined.wrong_forms if value != agreement.wrong_value]
    if lexicon.partner is None or not third:
        return agreement
    cue_feats = frame.tree.feats[frame.cue]
    end = End(0, words.right, words.lemma, mined.target_upos, mined.target_feats, cue_feats)
    feature = mined.target_feature or mined.feature
    forms = dict(agreement.wrong_forms)
    for value in third:
        form, _ = lexicon.partner(lexicon.paradigms, lexicon.vocabulary, end, feature, value)
        if form:
            token = frame.plan.in_place(frame.target, form)
            forms[value] = f"{agreement.before}{token}{agreement.after}"
    return replace(agreement, wrong_forms=forms)


def _targets(frame: Frame, slots: Slots, item: Item) -> tuple[Target, ...]:
    """Every pair that fits an item's prefix, the original's own first, as whole tokens; the other
    way round in a cell of the other value."""
    facts = item.agreement
    assert facts is not None
    before, after = facts.before, facts.after
    in_place = frame.plan.in_place
    found: dict[tuple[str, str], Target] = {}
    own = () if PREFIX_DIFFERS in facts.flags else (own_pair(frame),)
    for pair in (*own, *slots.pairs):
        right, wrong = (
            before + in_place(frame.target, form) + after for form in (pair.right, pair.wrong)
        )
        if facts.value != frame.agreement.value:
            right, wrong = wrong, right
        found.setdefault((right, wrong), Target(right, wrong, pair.lemma, pair.source))
    return tuple(found.values())
