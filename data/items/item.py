"""The item, the one unit of test material: sentences by condition, cut into regions, and facts.

A mined pair, a SyntaxGym item, a BLiMP pair and a template item are all of this type. A condition
is a version of the item's sentence, such as `right` and `wrong` in a pair; a region is a named
stretch of a sentence. The `text` of a region includes the blank before it, so that the texts of all
regions, joined with nothing in between, are the sentence as a person reads it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from .tree import Tree

KINDS = ("original", "nonce", "composed", "template", "suite")
TEXT_FIELDS = ("item_id", "kind", "cluster_id", "set_id", "cell", "language", "source", "licence")
"""The fields of an item that are one text each."""
# The two conditions of a pair:
RIGHT: str = "right"
WRONG: str = "wrong"
# The three regions of each of its sentences; the target is the word that differs:
PREFIX: str = "prefix"
TARGET: str = "target"
REST: str = "rest"


@dataclass(frozen=True, slots=True)
class Region:
    """A named stretch of a sentence, as words and as text.

    Attributes:
        region: its name: prefix, target or rest in a pair, else the suite's own.
        words: its tokens, cut as in treebanks, for word-level models.
        text: its text with the blank before it, for subword models and people.
    """

    region: str
    words: tuple[str, ...]
    text: str


Wording: TypeAlias = tuple[Region, ...]
"""One sentence, as its regions in order."""


@dataclass(frozen=True, slots=True)
class Target:
    """A further pair of target forms that fits the same prefix (EW and MW, Newman et al. 2021).

    Attributes:
        right: the form that agrees.
        wrong: the form that does not.
        lemma: the lemma of both forms.
        source: where the wrong form comes from: treebank or unimorph.
    """

    right: str
    wrong: str
    lemma: str
    source: str = "treebank"


class Nominal(NamedTuple):
    """A noun, name or pronoun strictly between cue and target that carries the feature.

    Attributes:
        token: index of its surface token, from 0.
        depth: number of arcs from it up to the cue, the target, or the word above both.
        distance: number of tokens from it to the target; 1 for the token directly before.
        value: its value of the feature.
    """

    token: int
    depth: int
    distance: int
    value: str


class Leak(NamedTuple):
    """A word before the target, other than the cue, whose form gives the target's value away.

    Attributes:
        kind: S subject of a coordinated predicate, D determiner or numeral, V verb, A adjective
            (`miner.LEAK_KINDS` has the definitions).
        token: index of its surface token, from 0.
        value: the value of the feature that the word shows.
    """

    kind: str
    token: int
    value: str


@dataclass(frozen=True, slots=True)
class Agreement:
    """Facts about the agreement in an item, mined or made.

    The *cue* is the word that demands a value of the feature, such as the subject; the *target* is
    the word that must agree with it, such as the verb. Indices are those of surface tokens of the
    right sentence, from 0; a multiword token counts as one. Fields from `level` on are empty if
    nothing is known of them.

    Attributes:
        treebank: name of the treebank.
        file: name of the treebank's file, without folders.
        sent_id: id of the sentence.
        rule: name of the rule that mined it.
        construction: as `L__NOUN_VERB_VERB`: direction, POS of cue, context and target, relation.
        number: 0, 1, 2 … within the construction and pair of values (`constr_id` in the files of
            Gulordava et al. 2018).
        feature: name of the feature that agrees, such as `Number`.
        values: the values that the construction was accepted for, sorted.
        value: the value of cue and target in the right sentence.
        cue_index: index of the cue's token.
        target_index: index of the target's token, which comes after the cue's.
        cue: form of the cue.
        cue_upos: part of speech of the cue.
        target_upos: part of speech of the target.
        target_feats: FEATS of the target in its right form.
        lemma: lemma of the target.
        right: the target's token with the form that agrees.
        wrong: the target's token with the other form.
        attractors: indices of words between cue and target that have the cue's part of speech and
            another value of the feature.
        tokens: tokens of the right sentence.
        upos: part of speech of each token; empty without annotation.
        feats: FEATS of each token; empty without annotation.
        spaces: the blank before each token in raw text, "" or " ".
        level: matching level of a nonce variant; "" for an original (an item as mined).
        seed: seed that a variant was drawn with; None for an original.
        variant: number of a variant of its original, from 1; 0 for an original.
        substitutions: indices of tokens whose word is not the original's.
        flags: names of the remarks on the item that are true of it (`miner.FINDINGS`), sorted.
        cue_feature: name under which the cue carries the feature; "" means `feature`.
        target_feature: name under which the target carries it; "" means `feature`.
        before: the part of the target's token before the word that agrees; "" unless it is a
            multiword token.
        after: the part of that token after the word that agrees.
        tree: the sentence as words; None for a variant, or if the file has none.
        cue_node: index of the cue among the words of the tree, from 0; −1 without a tree.
        target_node: index of the target among the words of the tree; −1 without a tree.
        nominals: nouns, names and pronouns between cue and target, in their order.
        leaks: other words before the target that give the value away, in their order.
        wrong_value: value of the wrong form.
        wrong_forms: other value → the target's form with it, for each value of the construction
            that has such a form.
        value_from: indices of the tokens that show the value of a cue or target which shows none.
        cues_before: indices of tokens before the cue that also show the value.
        cues_between: indices of tokens between cue and target that show it.
        cues_beside_target: indices of the target's own tokens (auxiliary, predicate) that show it,
            and of those after the target.
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
        """Return the word that agrees, cut out of its token, which may hold other words, too.

        Args:
            token: the target's token: `right`, `wrong` or one of `wrong_forms`.

        Returns:
            The token without `before` and `after`.
        """
        return token[len(self.before) : len(token) - len(self.after)]


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a suite: the sentences that are scored together, by condition, and their facts.

    Attributes:
        item_id: different for each item of a suite.
        kind: original, nonce, composed, template or suite (published, or a file of one's own).
        cluster_id: id of the item's original, or its own id. Items of one cluster count as one case
            in intervals, and an audit leaves them out together.
        language: BCP-47 code.
        source: treebank or publication, with its release.
        licence: SPDX id, several joined by " AND "; "" where unknown.
        conditions: name of a condition → its sentences. If there are several, they are averaged.
        set_id: shared by the items of one set; "" outside of sets.
        cell: the item's combination of properties in its set, as `Sing-0` (value and number of
            attractors); "" outside of sets.
        targets: further pairs of forms that fit the prefix.
        agreement: the facts of an agreement item, else None.
        facts: name → text, for everything else that the item's file says of it.
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
    """The four fields of an item that tables of results need; columns there have the same names."""

    item_id: str
    kind: str
    cluster_id: str
    construction: str


def item_id(*parts: object) -> str:
    """Return an id for an item: a digest of everything that makes the item what it is.

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
    """Cut a sentence into the three regions of a pair: prefix, target (one token) and rest.

    `spaces` has what stands before each token, "" or " "; `target_index` is the target's token.
    """
    bounds = pairwise((0, target_index, target_index + 1, len(tokens)))
    return tuple(
        Region(name, tuple(tokens[start:end]), raw_text(tokens[start:end], spaces[start:end]))
        for name, (start, end) in zip((PREFIX, TARGET, REST), bounds, strict=True)
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
    """Return the two conditions of an agreement item: its sentence with the right form, and with
    the wrong one.

    Args:
        agreement: the facts of the item; tokens, spaces, `target_index` and `wrong` are used.

    Returns:
        Condition → its one sentence, for `right` and `wrong`. The regions are prefix, target and
        rest; only the target differs.

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
"""The properties of items by which tables of results are grouped"""


def construction_of(facts: Mapping[str, str], agreement: Agreement | None) -> str:
    """Return the name of the construction that an item tests; "" if it is unknown.

    An agreement item has it in its agreement. For any other it is the fact `construction` or, if
    there is none, the fact `uid`, the name of a BLiMP paradigm.
    """
    if agreement is not None:
        return agreement.construction
    return facts.get("construction") or facts.get("uid", "")


def factors(facts: Mapping[str, str], agreement: Agreement | None) -> tuple[str, str, str, str]:
    """Return an item's matching level, construction, value and number of attractors, as texts.

    Tables of results are grouped by these. "" stands for one that the item lacks.
    """
    n_attractors = facts.get("n_attr", "")  # as counted by a file without annotation
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
    """Return whether an item has two conditions, right and wrong, of one sentence each."""
    return set(item.conditions) == {RIGHT, WRONG} and all(
        len(wordings) == 1 for wordings in item.conditions.values()
    )
