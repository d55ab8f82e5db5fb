"""Judge the instances of a sentence while it is read: each becomes a candidate for an original, or
a rejection with its reason.

An *instance* is a pair of words that both carry the feature: the *cue*, which comes first, and the
*target*. A *ghost* is a word inside a multiword token whose arc the released scripts kept by
mistake (see `treebank/surface.py`).
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...data.items.tree import Sentence
from ..search.instances import Search, value_words, with_dependent_values
from ..treebank.surface import Surface, surface_of, tree_of
from ..treebank.treebank import Treebank
from ..verdict.construction import Construction, ConstructionKey, InstanceEnd, Procedure
from ..verdict.counts import Instance
from .wrong_form import (
    Contrasts,
    FormInventory,
    MultiwordParts,
    WrongForm,
    wrong_form,
)

SHARED_SUBJECT = ("subject-second-verb", "subject-second-auxiliary")
NULL_SUBJECT = "null_subject"  # flag: the second verb may have an unspoken subject of its own
VERDICT_ORDER = ("accepted", "undecided", "rejected")


@dataclass(frozen=True, slots=True)
class Rejection:
    """An instance of an accepted construction that gave no original, with the reason."""

    sent_id: str
    cue_index: int
    target_index: int
    construction: str
    reason: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An instance whose two values differ: an exception, or an error of annotation."""

    construction: str
    feature: str
    file: str
    sent_id: str
    cue_index: int  # 0-based surface tokens
    target_index: int
    cue: str
    target: str
    cue_value: str
    target_value: str
    text: str
    verdict: str  # of the construction: accepted or rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class MiningFacts:
    """The facts that all originals of a mining share."""

    treebank: Treebank
    rule: str  # its name
    procedure: Procedure
    distant: bool  # leave out originals in which a word in between reveals the value
    search: Search
    repair: str
    parsed_by: str
    null_subjects: bool  # whether the language may leave subjects unspoken
    words: FormInventory


class SentenceViews(NamedTuple):
    """A sentence of the second pass, in the views that its instances need."""

    surface: Surface  # one row per word; instances are pairs of these
    tokens: Surface  # one row per token of the text
    feats: Sequence[str]  # of the words; nouns may have values from their dependents
    value_tokens: Mapping[tuple[str, int], int]  # (feature, noun) → token that gives its value

    def token(self, index: int) -> int:
        """Return the token that a word is in."""
        return self.surface.tokens[index] if self.surface.tokens else index

    def shown(self, end: InstanceEnd) -> str:
        """Return the form of cue or target, or the whole multiword token that it is part of."""
        return self.tokens.forms[end.position] if self.surface.tokens else end.form


class Candidate(NamedTuple):
    """An instance that can become an original, with its wrong form."""

    views: SentenceViews
    instance: Instance
    construction: Construction
    cue: InstanceEnd
    target: InstanceEnd
    before: str  # the part of the target's multiword token before the target
    after: str  # the part after it
    wrong: WrongForm

    @property
    def right(self) -> str:
        """The right token: the target, with the rest of its multiword token."""
        return f"{self.before}{self.target.form}{self.after}"

    @property
    def forms(self) -> tuple[str, ...]:
        """The tokens of the right sentence; a ghost target replaces the token at its position."""
        forms, index = self.views.tokens.forms, self.target.position
        return (*forms[:index], self.right, *forms[index + 1 :])


def outcomes(
    sentence: Sentence,
    instances: Iterable[Instance],
    by_key: Mapping[ConstructionKey, Sequence[Contrasts]],
    facts: MiningFacts,
    exceptions: bool,
) -> Iterator[Candidate | Rejection | Disagreement]:
    """Judge each instance of a sentence under every construction that it belongs to.

    Yield a candidate, or a rejection with its reason; with `exceptions`, yield a disagreement too
    if the two values of the instance differ.
    """
    views = _views_of(sentence, facts.search)
    for instance in instances:
        matching = [
            contrasts
            for contrasts in by_key[ConstructionKey(instance.feature, instance.construction)]
            if all(  # a part of a construction has conditions on the FEATS of both words
                condition.holds(views.feats[instance.cue], views.feats[instance.target])
                for condition in contrasts.construction.conditions
            )
        ]
        if exceptions and matching and instance.cue_value != instance.target_value:
            # a construction and its parts may have different verdicts: the best one counts
            constructions = (contrasts.construction for contrasts in matching)
            best = min(constructions, key=lambda x: VERDICT_ORDER.index(x.verdict))
            yield _disagreement(views, instance, best)
        accepted = [contrasts for contrasts in matching if contrasts.construction.accepted]
        # a rule may accept a construction for some pairs of values only
        covering_value = [x for x in accepted if instance.cue_value in x.other_values]
        if accepted and not covering_value:
            reason = f"its value is in no accepted pair: {instance.cue_value}"
            yield rejection_of(views, instance, accepted[0].construction, reason)
        for contrasts in covering_value:
            outcome = _candidate_or_reason(views, instance, contrasts, facts)
            if isinstance(outcome, str):
                yield rejection_of(views, instance, contrasts.construction, outcome)
            else:
                yield outcome


def _views_of(sentence: Sentence, search: Search) -> SentenceViews:
    """Return a sentence as rows of words and of tokens, with the FEATS that are compared."""
    surface = surface_of(sentence, search.selection.merging)
    if not search.value_from:
        return SentenceViews(surface, _token_view(surface), surface.feats, {})
    sources = value_words(sentence, search.features, search.value_from)
    # the first pass took a noun's missing value from its dependents, so do the same here
    feats = with_dependent_values(sentence, sources).feats if sources else surface.feats
    token_of = tree_of(sentence).tokens
    value_tokens = {noun: token_of[word] for noun, word in sources.items()}
    return SentenceViews(surface, _token_view(surface), feats, value_tokens)


def _candidate_or_reason(
    views: SentenceViews, instance: Instance, contrasts: Contrasts, facts: MiningFacts
) -> Candidate | str:
    """Return the candidate that an instance gives, or the reason why it gives none."""
    if instance.target >= len(views.surface):  # a ghost's position may be after the last token
        return "the merged token is the sentence's last"
    words, rule = facts.words, facts.procedure
    cue, target = _both_ends(views, instance)
    if reason := rule.unfit(cue, target):
        return reason
    if cue.position == target.position:
        return "cue and target are one token"
    if instance.cue_value != instance.target_value:
        return f"cue and target differ: {instance.cue_value}, {instance.target_value}"
    between = views.tokens.forms[cue.position + 1 : target.position]
    for form in (views.shown(cue), *between, views.shown(target)):
        if form not in words.vocabulary:
            return f"out of vocabulary: {form}"
    before, after = _multiword_context(views, instance.target)
    if before + target.form + after != views.shown(target):  # French `au` for `à` + `le`
        return "the target's multiword token is not the sum of its words"
    vocabulary: Container[str] = words.vocabulary
    if words.closed and (before or after):  # the user gave a vocabulary, which has whole tokens
        vocabulary = MultiwordParts(words.vocabulary, before, after)
    _, target_feature = instance.features
    wrong = wrong_form(
        target,
        target_feature,
        right=instance.cue_value,
        contrasts=contrasts,
        rule=rule,
        words=words,
        vocabulary=vocabulary,
    )
    if not wrong.form:
        return wrong.reason
    return Candidate(views, instance, contrasts.construction, cue, target, before, after, wrong)


def _both_ends(views: SentenceViews, instance: Instance) -> tuple[InstanceEnd, InstanceEnd]:
    """Return cue and target of an instance with form, lemma, POS and FEATS.

    A ghost (a word that merging deleted) has those of its own word, not of its position.
    """

    def end_of(index: int) -> InstanceEnd:
        """Return the word at a position of the surface; for a ghost, the deleted word."""
        words: Surface | Sentence = views.surface
        row, position = index, views.token(index)
        if instance.ghost >= 0 and index == instance.controller:  # only a controller is a ghost
            words, row, position = views.surface.sentence, instance.ghost, index
        columns = words.forms, words.lemmas, words.upos, words.feats
        return InstanceEnd(position, *(column[row] for column in columns))

    cue, target = end_of(instance.cue), end_of(instance.target)
    return cue._replace(other_feats=target.feats), target._replace(other_feats=cue.feats)


def _multiword_context(views: SentenceViews, target: int) -> tuple[str, str]:
    """Return the text before and the text after the target within its multiword token."""
    forms, token_of = views.surface.forms, views.surface.tokens
    if token_of is None:
        return "", ""
    inside = [index for index, token in enumerate(token_of) if token == token_of[target]]
    before = "".join(forms[index] for index in inside if index < target)
    after = "".join(forms[index] for index in inside if index > target)
    return before, after


def _token_view(surface: Surface) -> Surface:
    """Return the same sentence with one row per token; a multiword token has the POS of all its
    words, joined by `+`, and no FEATS."""
    if surface.tokens is None:
        return surface
    merged = surface_of(surface.sentence, "merged")
    tags_by_token: list[list[str]] = [[] for _ in merged.forms]
    for upos, token in zip(surface.upos, surface.tokens, strict=True):
        tags_by_token[token].append(upos)
    feats = tuple(
        token_feats if len(tags) == 1 else "_"
        for token_feats, tags in zip(merged.feats, tags_by_token, strict=True)
    )
    return replace(merged, upos=tuple(map("+".join, tags_by_token)), feats=feats)


def rejection_of(
    views: SentenceViews, instance: Instance, construction: Construction, reason: str
) -> Rejection:
    """Return the record of an instance that gave no original of a construction."""
    cue, target = _token_indices(views, instance)
    return Rejection(views.surface.sentence.sent_id, cue, target, construction.name, reason)


def _token_indices(views: SentenceViews, instance: Instance) -> tuple[int, int]:
    """Return the tokens of cue and target; with a ghost, words are merged and so tokens already."""
    if instance.ghost >= 0:
        return instance.cue, instance.target
    return views.token(instance.cue), views.token(instance.target)


def _disagreement(
    views: SentenceViews, instance: Instance, construction: Construction
) -> Disagreement:
    """Return the record of an instance of a construction whose two values differ."""
    sentence = views.surface.sentence
    is_inside = instance.target < len(views.surface)  # a ghost's position may be after the end
    cue, target = (end.form for end in _both_ends(views, instance)) if is_inside else ("", "")
    cue_index, target_index = _token_indices(views, instance)
    return Disagreement(
        construction=construction.name,
        feature=instance.feature,
        file=sentence.file,
        sent_id=sentence.sent_id,
        cue_index=cue_index,
        target_index=target_index,
        cue=cue,
        target=target,
        cue_value=instance.cue_value,
        target_value=instance.target_value,
        text=sentence.comment("text") or " ".join(views.tokens.forms),
        verdict=construction.verdict,
    )
