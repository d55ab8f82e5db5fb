"""The one unit of test material: an item is conditions × regions, and what its maker knows.

A mined pair, a SyntaxGym item, a BLiMP pair and a template item are all of this type. Text
convention: a region's `text` carries the blank before it, so that the texts of a sentence's regions
joined with nothing in between are the sentence as a person reads it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from .tree import Tree

KINDS = ("original", "nonce", "composed", "template", "suite")
OWN = ("item_id", "kind", "cluster_id", "set_id", "cell", "language", "source", "licence")
"""The fields of an item that are one text each."""
RIGHT: str = "right"  # the conditions of a pair
WRONG: str = "wrong"
PREFIX: str = "prefix"  # and the regions of its sentences
TARGET: str = "target"
REST: str = "rest"


@dataclass(frozen=True, slots=True)
class Region:
    """A named stretch of a sentence, in both forms that models ask for.

    Attributes:
        region: its name: prefix, target or rest in a pair, else the suite's own.
        words: tokens in the manner of treebanks, for word-level models.
        text: what a person reads, with the blank before it; for subword models and people.
    """

    region: str
    words: tuple[str, ...]
    text: str


Wording: TypeAlias = tuple[Region, ...]
"""One sentence of a condition, as its regions in order."""


@dataclass(frozen=True, slots=True)
class Target:
    """A further pair of forms that fits the same prefix (EW and MW, Newman et al. 2021).

    Attributes:
        right: the form that agrees.
        wrong: the form that does not.
        lemma: of both forms.
        source: where the wrong form is from: treebank or unimorph.
    """

    right: str
    wrong: str
    lemma: str
    source: str = "treebank"


class Nominal(NamedTuple):
    """A noun, name or pronoun strictly between cue and target that carries the feature.

    Attributes:
        token: surface token, from 0.
        depth: arcs from it up to the cue, the target, or the word above both.
        distance: tokens from it to the target: 1 for the one directly before.
        value: of the feature.
    """

    token: int
    depth: int
    distance: int
    value: str


class Leak(NamedTuple):
    """A word before the target, other than the cue, whose form gives the target's value away.

    Attributes:
        kind: S subject of a coordinated predicate, D determiner or numeral, V verb, A adjective
            (`miner.LEAKS` has the definitions).
        token: surface token, from 0.
        value: of the feature, as the word shows it.
    """

    kind: str
    token: int
    value: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """The facts of agreement of an item, mined or made.

    Indices are those of surface tokens of the right sentence, from 0, multiword tokens merged.
    Fields from `level` on are empty where nothing is known of them.

    Attributes:
        treebank: its name.
        file: its file's name, without folders.
        sent_id: of its sentence.
        rule: that it was mined by.
        construction: as `L__NOUN_VERB_VERB`: direction, POS of cue, context and target, relation.
        number: 0, 1, 2 … within the construction and pair of values (`constr_id` in the files of
            Gulordava et al. 2018).
        feature: that agrees, as `Number`.
        values: those that the construction was accepted for, sorted.
        value: of cue and target in the right form.
        cue_index: of the cue's token.
        target_index: of the target's token; after the cue's.
        cue: its form.
        cue_upos: its part of speech.
        target_upos: part of speech of the target.
        target_feats: FEATS of the target in its right form.
        lemma: of the target.
        right: the target's token with the form that agrees.
        wrong: the target's token with the other form.
        attractors: indices of words between with the cue's POS and another value of the feature.
        tokens: of the right sentence.
        upos: part of speech of each token; empty without annotation.
        feats: FEATS of each token; likewise.
        spaces: what stands before each token in raw text: "" or " ".
        level: matching level of a variant; "" for an original.
        seed: that a variant was drawn with; None for an original.
        variant: number of a variant of its original, from 1; 0 for an original.
        substitutions: indices of tokens whose word is not the original's.
        flags: names of `FINDINGS` that are true of the item, sorted.
        cue_feature: name under which the cue carries the feature; "" means `feature`.
        target_feature: name under which the target carries it; likewise.
        before: what stands in the target's token before the word that agrees, where that is a
            multiword token.
        after: what stands in it after that word.
        tree: the sentence as words; None for a variant, or where the file has none.
        cue_node: the cue as a word of the tree, from 0; −1 without one.
        target_node: the target as a word of the tree; likewise.
        nominals: nouns, names and pronouns between cue and target, in their order.
        leaks: other words before the target that give the value away, in their order.
        wrong_value: value of the wrong form.
        wrong_forms: other value → the target's form with it, for each value of the construction
            that has one.
        value_from: tokens that tell the value of a cue or target which has none itself.
        cues_before: tokens before the cue, other than it, that tell the value.
        cues_between: tokens between cue and target that do.
        cues_beside_target: the target's own (auxiliary, predicate) that do, and those after it.
    """

    treebank: str
    file: str
    sent_id: str
    rule: str
    construction: str
    number: int
    feature: str
    values: tuple[str, ...]
    value: str
    cue_index: int
    target_index: int
    cue: str
    cue_upos: str
    target_upos: str
    target_feats: str
    lemma: str
    right: str
    wrong: str
    attractors: tuple[int, ...]
    tokens: tuple[str, ...]
    upos: tuple[str, ...]
    feats: tuple[str, ...]
    spaces: tuple[str, ...]
    level: str = ""
    seed: int | None = None
    variant: int = 0
    substitutions: tuple[int, ...] = ()
    flags: tuple[str, ...] = ()
    cue_feature: str = ""
    target_feature: str = ""
    before: str = ""
    after: str = ""
    tree: Tree | None = None
    cue_node: int = -1
    target_node: int = -1
    nominals: tuple[Nominal, ...] = ()
    leaks: tuple[Leak, ...] = ()
    wrong_value: str = ""
    wrong_forms: Mapping[str, str] = field(default_factory=dict, hash=False)
    value_from: tuple[int, ...] = ()
    cues_before: tuple[int, ...] = ()
    cues_between: tuple[int, ...] = ()
    cues_beside_target: tuple[int, ...] = ()

    @property
    def gap(self) -> int:
        """The number of tokens strictly between cue and target."""
        return self.target_index - self.cue_index - 1

    def word(self, token: str) -> str:
        """Return the word that agrees, without what else its multiword token holds.

        Args:
            token: of the target: `right`, `wrong` or one of `wrong_forms`.

        Returns:
            The token without `before` and `after`.
        """
        return token[len(self.before) : len(token) - len(self.after)]


@dataclass(frozen=True, slots=True)
class Item:
    """One scored unit of a suite: sentences by condition, and what is known of them.

    Attributes:
        item_id: different for each item of a suite.
        kind: original, nonce, composed, template or suite (published, or a file of one's own).
        cluster_id: the original's id, or the item's own: what intervals resample and the audit
            leaves out together.
        language: BCP-47 code.
        source: treebank or publication, with its release.
        licence: SPDX id, several joined by " AND "; "" where unknown.
        conditions: name → its wordings. Several wordings of a condition are averaged.
        set_id: shared by the items of one set; "" outside of sets.
        cell: the item's place in its set, as `Sing-0`; "" outside of sets.
        targets: further pairs of forms that fit the prefix.
        agreement: what is known of an item of agreement, else None.
        facts: whatever else its file said, by name.
    """

    item_id: str
    kind: str
    cluster_id: str
    language: str
    source: str
    licence: str
    conditions: Mapping[str, tuple[Wording, ...]]
    set_id: str = ""
    cell: str = ""
    targets: tuple[Target, ...] = ()
    agreement: Agreement | None = None
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def construction(self) -> str:
        """The construction, as its maker calls it; see `construction_of`."""
        return construction_of(self.facts, self.agreement)


class Entry(NamedTuple):
    """The fields of an item that tables of results need, under their names there."""

    item_id: str
    kind: str
    cluster_id: str
    construction: str


def item_id(*parts: object) -> str:
    """Return the id of an item, as a digest of everything that makes it.

    Args:
        parts: texts and numbers, in a fixed order.

    Returns:
        The first 16 hexadecimal digits of SHA-256 over the parts.

    >>> item_id("my set", 1, "The keys are old.")
    'e8b9768c98654b31'
    """
    return hashlib.sha256("\x1f".join(map(str, parts)).encode()).hexdigest()[:16]


def sentence_text(wording: Wording) -> str:
    """Return the text of a sentence, as a person reads it.

    Args:
        wording: its regions, in order.

    Returns:
        The regions' texts, joined with nothing in between.

    >>> sentence_text((Region("prefix", ("The", "keys"), "The keys"), Region("rest", (".",), ".")))
    'The keys.'
    """
    return "".join(region.text for region in wording)


def sentence_words(wording: Wording) -> tuple[str, ...]:
    """Return the tokens of a sentence, in the manner of treebanks.

    Args:
        wording: its regions, in order.

    Returns:
        The regions' words, one region after the other.

    >>> sentence_words((Region("prefix", ("The", "keys"), "The keys"), Region("rest", (".",), ".")))
    ('The', 'keys', '.')
    """
    return tuple(word for region in wording for word in region.words)


def wording(tokens: Sequence[str], spaces: Sequence[str], target_index: int) -> Wording:
    """Return prefix, target and rest of a sentence, in words and in raw text."""
    cuts = (0, target_index, target_index + 1, len(tokens))
    return tuple(
        Region(name, tuple(tokens[start:end]), raw_text(tokens[start:end], spaces[start:end]))
        for name, start, end in zip((PREFIX, TARGET, REST), cuts, cuts[1:], strict=False)
    )


def raw_text(tokens: Sequence[str], spaces: Sequence[str]) -> str:
    """Return the text of tokens, as a person reads it.

    Args:
        tokens: surface tokens.
        spaces: what stands before each, "" or " "; as many as tokens.

    Returns:
        Spaces and tokens in turn.

    >>> raw_text(("The", "keys", "."), ("", " ", ""))
    'The keys.'
    """
    return "".join([space + token for space, token in zip(spaces, tokens, strict=True)])


def pair(agreement: Agreement) -> dict[str, tuple[Wording, ...]]:
    """Return the conditions of an item of agreement: its sentence with the right and the wrong
    form.

    Args:
        agreement: with tokens, spaces, `target_index` and `wrong`.

    Returns:
        `right` and `wrong`, each of one wording: prefix, target and rest, of which the target alone
        differs.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> item = cg.mine(str(sample.treebank("en"))).originals.items[0]
    >>> {name: sentence_text(wording) for name, (wording,) in pair(item.agreement).items()}
    {'right': 'Their musicians avoid their poet and borrow the beautiful lamps.',
     'wrong': 'Their musicians avoid their poet and borrows the beautiful lamps.'}
    """
    index = agreement.target_index
    swapped = (*agreement.tokens[:index], agreement.wrong, *agreement.tokens[index + 1 :])
    return {
        RIGHT: (wording(agreement.tokens, agreement.spaces, index),),
        WRONG: (wording(swapped, agreement.spaces, index),),
    }


FACTORS = ("kind", "level", "construction", "value", "n_attractors")


def construction_of(facts: Mapping[str, str], agreement: Agreement | None) -> str:
    """Return the construction of an item: that of its agreement, or what its file calls so, or the
    paradigm (`uid`) there; "" where neither is known."""
    if agreement is not None:
        return agreement.construction
    return facts.get("construction") or facts.get("uid", "")


def factors(facts: Mapping[str, str], agreement: Agreement | None) -> tuple[str, str, str, str]:
    """Return level, construction, value and number of attractors of an item; "" for none."""
    n_attractors = facts.get("n_attr", "")  # the count of a file without annotation
    if agreement is None:
        return "", construction_of(facts, None), "", n_attractors
    if agreement.upos:
        n_attractors = str(len(agreement.attractors))
    return agreement.level, agreement.construction, agreement.value, n_attractors


def factors_of(item: Item) -> dict[str, str]:
    """Return the values of an item by which tables of results are grouped.

    Args:
        item: of any kind.

    Returns:
        kind, level, construction, value and n_attractors, as texts; "" for one that it lacks.

    >>> factors_of(Item("i", "suite", "i", "en", "mine", "", {}, facts={"uid": "number_prep"}))
    {'kind': 'suite', 'level': '', 'construction': 'number_prep', 'value': '', 'n_attractors': ''}
    """
    return dict(zip(FACTORS, (item.kind, *factors(item.facts, item.agreement)), strict=True))


def is_pair(item: Item) -> bool:
    """Tell whether an item is one right and one wrong sentence."""
    return set(item.conditions) == {RIGHT, WRONG} and all(
        len(wordings) == 1 for wordings in item.conditions.values()
    )
