"""Judge instances where their sentence is read: each gives a candidate, or a reason for none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    """An instance of an accepted construction that gave no original, and why."""

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
    distant: bool  # only originals without a word between that reveals the value
    search: Search
    repair: str
    parsed_by: str
    null_subjects: bool  # whether the language leaves subjects unspoken
    words: FormInventory


class ReadSentence(NamedTuple):
    """A sentence of the second pass."""

    surface: Surface  # the words that instances are pairs of
    tokens: Surface  # one row for each token of the text
    feats: Sequence[str]  # of the words, with what dependents reveal of nouns
    value_tokens: Mapping[tuple[str, int], int]  # (feature, noun) → token that reveals its value

    def token(self, index: int) -> int:
        """Return the token that a word is in."""
        return self.surface.tokens[index] if self.surface.tokens else index

    def shown(self, end: InstanceEnd) -> str:
        """Return cue or target as the text has it: where words are apart, the whole token."""
        return self.tokens.forms[end.position] if self.surface.tokens else end.form


class Candidate(NamedTuple):
    """An instance that gives an original, with its wrong form."""

    sentence: ReadSentence
    instance: Instance
    construction: Construction
    cue: InstanceEnd
    target: InstanceEnd
    before: str  # what stands before the target in its multiword token
    after: str
    wrong: WrongForm

    @property
    def right(self) -> str:
        """The target's token."""
        return f"{self.before}{self.target.form}{self.after}"

    @property
    def forms(self) -> tuple[str, ...]:
        """The tokens; a ghost target is put where its position says."""
        forms, index = self.sentence.tokens.forms, self.target.position
        return (*forms[:index], self.right, *forms[index + 1 :])


def outcomes(
    sentence: Sentence,
    instances: Iterable[Instance],
    by_key: Mapping[ConstructionKey, Sequence[Contrasts]],
    facts: MiningFacts,
    exceptions: bool,
) -> Iterator[Candidate | Rejection | Disagreement]:
    """Yield what each instance of a sentence gives under the constructions it counts for."""
    read = _read(sentence, facts.search)
    for instance in instances:
        judging = [
            contrasts
            for contrasts in by_key[ConstructionKey(instance.feature, instance.construction)]
            if all(
                x.holds(read.feats[instance.cue], read.feats[instance.target])
                for x in contrasts.construction.conditions
            )
        ]
        if exceptions and judging and instance.cue_value != instance.target_value:
            # of a construction and its parts the one that counts
            verdicts = (contrasts.construction for contrasts in judging)
            yield _disagreement(
                read, instance, min(verdicts, key=lambda x: VERDICT_ORDER.index(x.verdict))
            )
        accepted = [contrasts for contrasts in judging if contrasts.construction.accepted]
        fitting = [x for x in accepted if instance.cue_value in x.other_values]
        if accepted and not fitting:
            reason = f"its value is in no accepted pair: {instance.cue_value}"
            yield rejection_of(read, instance, accepted[0].construction, reason)
        for contrasts in fitting:
            outcome = _judged(read, instance, contrasts, facts)
            if isinstance(outcome, str):
                yield rejection_of(read, instance, contrasts.construction, outcome)
            else:
                yield outcome


def _read(sentence: Sentence, search: Search) -> ReadSentence:
    """Return a sentence with what is looked up in it for each of its instances."""
    surface = surface_of(sentence, search.selection.merging)
    if not search.value_from:
        return ReadSentence(surface, _token_view(surface), surface.feats, {})
    sources = value_words(sentence, search.features, search.value_from)
    # parts were made of words that carry what they are told
    feats = with_dependent_values(sentence, sources).feats if sources else surface.feats
    token_of = tree_of(sentence).tokens
    value_tokens = {noun: token_of[word] for noun, word in sources.items()}
    return ReadSentence(surface, _token_view(surface), feats, value_tokens)


def _judged(
    read: ReadSentence, instance: Instance, contrasts: Contrasts, facts: MiningFacts
) -> Candidate | str:
    """Return the candidate that an instance gives, or why it gives none."""
    if instance.target >= len(read.surface):  # a ghost may stand after the last token
        return "the merged token is the sentence's last"
    words, rule = facts.words, facts.procedure
    cue, target = _ends(read, instance)
    if reason := rule.unfit(cue, target):
        return reason
    if cue.position == target.position:
        return "cue and target are one token"
    if instance.cue_value != instance.target_value:
        return f"cue and target differ: {instance.cue_value}, {instance.target_value}"
    between = read.tokens.forms[cue.position + 1 : target.position]
    for form in (read.shown(cue), *between, read.shown(target)):
        if form not in words.vocabulary:
            return f"out of vocabulary: {form}"
    before, after = _multiword_parts(read, instance.target)
    if before + target.form + after != read.shown(target):  # French `au` for `à` + `le`
        return "the target's multiword token is not the sum of its words"
    is_inside = words.closed and bool(before or after)
    vocabulary = MultiwordParts(words.vocabulary, before, after) if is_inside else words.vocabulary
    values = instance.features[1], instance.cue_value
    wrong = wrong_form(target, *values, contrasts, rule, words, vocabulary)
    if not wrong.form:
        return wrong.reason
    return Candidate(read, instance, contrasts.construction, cue, target, before, after, wrong)


def _ends(read: ReadSentence, instance: Instance) -> tuple[InstanceEnd, InstanceEnd]:
    """Return cue and target, a ghost with its own annotation."""
    surface, ends = read.surface, []
    words: Surface | Sentence
    for index in (instance.cue, instance.target):
        if instance.ghost >= 0 and index == instance.controller:
            words, row, position = surface.sentence, instance.ghost, index
        else:
            words, row, position = surface, index, read.token(index)
        columns = words.forms, words.lemmas, words.upos, words.feats
        ends.append(InstanceEnd(position, *(column[row] for column in columns)))
    cue, target = ends
    return cue._replace(other_feats=target.feats), target._replace(other_feats=cue.feats)


def _multiword_parts(read: ReadSentence, target: int) -> tuple[str, str]:
    """Return the words before and after the target in its multiword token, each as one text."""
    forms, token_of = read.surface.forms, read.surface.tokens
    if token_of is None:
        return "", ""
    inside = [index for index, token in enumerate(token_of) if token == token_of[target]]
    before, after = (
        "".join(forms[index] for index in inside if sign * (index - target) > 0) for sign in (-1, 1)
    )
    return before, after


def _token_view(surface: Surface) -> Surface:
    """Return the same sentence with one row for each token of its text."""
    if surface.tokens is None:
        return surface
    merged = surface_of(surface.sentence, "merged")
    upos: list[list[str]] = [[] for _ in merged.forms]
    for index, token in enumerate(surface.tokens):
        upos[token].append(surface.upos[index])
    feats = (x if len(tags) == 1 else "_" for x, tags in zip(merged.feats, upos, strict=True))
    return replace(merged, upos=tuple(map("+".join, upos)), feats=tuple(feats))


def rejection_of(
    read: ReadSentence, instance: Instance, construction: Construction, reason: str
) -> Rejection:
    """Return an instance as a rejection of a construction."""
    ends = instance.cue, instance.target
    cue, target = ends if instance.ghost >= 0 else map(read.token, ends)
    return Rejection(read.surface.sentence.sent_id, cue, target, construction.name, reason)


def _disagreement(
    read: ReadSentence, instance: Instance, construction: Construction
) -> Disagreement:
    """Return an instance whose two values differ as an exception to a construction."""
    sentence = read.surface.sentence
    fits = instance.target < len(read.surface)
    cue, target = (end.form for end in _ends(read, instance)) if fits else ("", "")
    rejection = rejection_of(read, instance, construction, "")
    return Disagreement(
        construction.name,
        instance.feature,
        sentence.file,
        rejection.sent_id,
        rejection.cue_index,
        rejection.target_index,
        cue,
        target,
        instance.cue_value,
        instance.target_value,
        sentence.comment("text") or " ".join(read.tokens.forms),
        construction.verdict,
    )
