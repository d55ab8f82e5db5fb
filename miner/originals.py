"""Instances of accepted constructions: each gives an original or a rejection with its reason."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from colorless_green.miner.attractors import attractors, scripts_count
from colorless_green.miner.construction import Construction, Disagreement, Key, Original, Rejection
from colorless_green.miner.cue_words import LeakCounter, Telling
from colorless_green.miner.forms import Forms
from colorless_green.miner.instances import Finder, Instance, Search
from colorless_green.miner.leaks import AgreementView
from colorless_green.miner.partner import (
    PERSON_TOO,
    Contrasts,
    Inside,
    Words,
    WrongForm,
    contrasts_of,
    wrong_form,
)
from colorless_green.miner.rule import End, Rule, ends, span_fits
from colorless_green.miner.surface import Arc, Surface, spaces_before, surface_of, tree_of
from colorless_green.miner.tree import Sentence
from colorless_green.miner.values import tellers, with_told
from colorless_green.miner.view import TreeView

SHARED_SUBJECT = ("subject-second-verb", "subject-second-auxiliary")
NULL_SUBJECT = "null_subject"  # flag: the second verb may have an unspoken subject of its own


@dataclass(frozen=True, slots=True)
class Yield:
    """What the sentences of a treebank gave."""

    originals: tuple[Original, ...]
    rejections: tuple[Rejection, ...]
    disagreements: tuple[Disagreement, ...]


def originals_of(
    sentences: Iterable[Sentence],
    constructions: Sequence[Construction],
    rule: Rule,
    search: Search,
    words: Words,
    *,
    exceptions: bool = False,
    null_subjects: bool = False,
    distant: bool = False,
) -> Yield:
    """Originals construction by construction (each in the order of the sentences), everything else
    that was an instance of an accepted construction, and with `exceptions` each instance of
    `constructions`, accepted or not, whose values differ. `null_subjects`: whether the language
    leaves subjects unspoken. `distant` leaves out originals in which
    a word between cue and target tells the value, too."""
    equivalent = rule.replacement.by_partner
    by_key: dict[Key, list[Contrasts]] = {}
    for construction in constructions:
        key = Key(construction.feature, construction.base or construction.name)
        judged = contrasts_of(construction, equivalent, words.contrasts)
        by_key.setdefault(key, []).append(judged)
    found: dict[tuple[str, str, tuple[str, ...]], list[Original]] = {
        (each.feature, each.name, each.values): [] for each in constructions if each.accepted
    }
    rejections: list[Rejection] = []
    disagreements: list[Disagreement] = []
    counters = {feature: LeakCounter(feature) for feature in search.features}
    for surface, instances in Finder(search).instances(sentences):
        for counter in counters.values():
            counter.observe(surface.sentence)
        for instance in instances:
            judging = [
                each
                for each in by_key.get(Key(instance.feature, instance.key), ())
                if _has_what_it_asks(surface, instance, each.construction, search)
            ]
            accepted = [each for each in judging if each.construction.accepted]
            if exceptions and judging and instance.cue_value != instance.target_value:
                # of a construction and its parts the one that counts
                own = min((each.construction for each in judging), key=_standing)
                disagreements.append(_disagreement(surface, instance, own))
            if accepted and not any(instance.cue_value in each.others for each in accepted):
                reason = f"its value is in no accepted pair: {instance.cue_value}"
                name = accepted[0].construction.name
                rejections.append(_rejection(surface, instance, reason, name))
            for contrasts in accepted:
                if instance.cue_value not in contrasts.others:
                    continue
                result = _judge(surface, instance, contrasts, rule, words)
                if isinstance(result, Rejection):
                    rejections.append(result)
                    continue
                if search.value_from:
                    result = replace(result, value_from=_value_from(surface, instance, search))
                if null_subjects and instance.pattern in SHARED_SUBJECT:
                    result = replace(result, flags=(*result.flags, NULL_SUBJECT))
                own = contrasts.construction
                found[(own.feature, own.name, own.values)].append(result)
    tellings = {feature: counter.telling() for feature, counter in counters.items()}
    for rank in found.values():
        told = [_with_cues(each, words, tellings) for each in rank]
        if distant:
            rejections += [_not_distant(each) for each in told if not _is_distant(each)]
            told = [each for each in told if _is_distant(each)]
        told.sort(key=lambda each: PERSON_TOO in each.flags)  # stable
        rank[:] = [replace(each, number=number) for number, each in enumerate(told)]
    originals = _flag_shared([each for rank in found.values() for each in rank])
    return Yield(tuple(originals), tuple(rejections), tuple(disagreements))


def _standing(construction: Construction) -> int:
    return ("accepted", "undecided", "rejected").index(construction.verdict)


def _has_what_it_asks(
    surface: Surface, instance: Instance, construction: Construction, search: Search
) -> bool:
    """Whether an instance is of the part that a construction is."""
    if not construction.conditions:
        return True
    feats = surface.feats
    if search.value_from:  # parts were made of words that carry what they are told
        told = tellers(surface.sentence, search.features, search.value_from)
        feats = with_told(surface.sentence, told).feats
    cue, target = (feats[each] for each in (instance.arc.cue, instance.arc.target))
    return all(each.holds(cue, target) for each in construction.conditions)


def _value_from(surface: Surface, instance: Instance, search: Search) -> tuple[int, ...]:
    """The tokens that tell the value of a cue or target that does not carry it."""
    told = tellers(surface.sentence, search.features, search.value_from)
    ends = (
        (instance.cue_feature, instance.arc.cue),
        (instance.target_feature, instance.arc.target),
    )
    places = tree_of(surface.sentence).tokens
    return tuple(places[node] for node in sorted({told[end] for end in ends if end in told}))


def _with_cues(original: Original, words: Words, tellings: Mapping[str, Telling]) -> Original:
    """An original with the words that tell its value besides the cue; unchanged where it has no
    tree."""
    tree = original.tree
    if tree is None:
        return original
    found = AgreementView(
        view=TreeView(tree),
        cue=original.cue_node,
        target=original.target_node,
        feature=original.feature,
        value=original.value,
        forms=Forms.of(words.all_paradigms),
        telling=next(tellings[each] for each in original.feature.split("~") if each in tellings),
    ).cue_words
    return replace(
        original, **found.on_tokens(tree.tokens, original.cue_node, original.target_node)
    )


def _between(original: Original) -> list[int]:
    """The tokens between cue and target that tell the value."""
    found = (*original.cues_between, *original.cues_beside_target)
    return sorted(each for each in found if each < original.target_index)


def _is_distant(original: Original) -> bool:
    return original.tree is not None and not _between(original)


def _not_distant(original: Original) -> Rejection:
    told = ", ".join(original.forms[each] for each in _between(original))
    return Rejection(
        original.sent_id,
        original.cue_index,
        original.target_index,
        original.construction,
        f"told between: {told}" if told else "told between: cue or target is not in the tree",
    )


def _judge(
    surface: Surface, instance: Instance, contrasts: Contrasts, rule: Rule, words: Words
) -> Original | Rejection:
    if not span_fits(surface, instance.arc):
        reason = "the merged token is the sentence's last"
        return _rejection(surface, instance, reason, contrasts.construction.name)
    cue, target = ends(surface, instance.arc)
    tokens = _token_view(surface)
    if instance.arc.ghost < 0 and target.form != tokens.forms[target.position]:
        around = _around(surface, instance.arc.target, tokens.forms[target.position])
    else:
        around = ("", "")
    reason = (
        rule.unfit(cue, target)
        or ("cue and target are one token" if cue.position == target.position else "")
        or _differ(instance)
        or _unknown(tokens, cue, target, words.vocabulary, surface.tokens is not None)
        or ("" if around else "the target's multiword token is not the sum of its words")
    )
    if reason or around is None:
        return _rejection(surface, instance, reason, contrasts.construction.name)
    known: Container[str] = words.vocabulary
    if words.closed and any(around):
        known = Inside(words.vocabulary, *around)
    wrong = wrong_form(target, instance, contrasts, rule, words, known)
    if not wrong.form:
        return _rejection(surface, instance, wrong.reason, contrasts.construction.name)
    return _original(surface, tokens, instance, contrasts, words, (cue, target), wrong, around)


def _token_view(surface: Surface) -> Surface:
    """The same sentence with one row for each token of its text."""
    if surface.tokens is None:
        return surface
    merged = surface_of(surface.sentence, "merged")
    upos: list[list[str]] = [[] for _ in merged.forms]
    for index, token in enumerate(surface.tokens):
        upos[token].append(surface.upos[index])
    return replace(
        merged,
        upos=tuple("+".join(tags) for tags in upos),
        feats=tuple(
            feats if len(tags) == 1 else "_" for feats, tags in zip(merged.feats, upos, strict=True)
        ),
    )


def _around(surface: Surface, index: int, token: str) -> tuple[str, str] | None:
    """What stands before and after a word inside its multiword token; `None` where the token is
    not written as its words in a row (French `au` for `à` + `le`)."""
    assert surface.tokens is not None
    place = surface.tokens[index]
    inside = [i for i, each in enumerate(surface.tokens) if each == place]
    before = "".join(surface.forms[i] for i in inside if i < index)
    after = "".join(surface.forms[i] for i in inside if i > index)
    return (before, after) if before + surface.forms[index] + after == token else None


def _position(surface: Surface, index: int) -> int:
    return surface.tokens[index] if surface.tokens else index


def _rejection(surface: Surface, instance: Instance, reason: str, construction: str) -> Rejection:
    arc = instance.arc
    return Rejection(
        surface.sentence.sent_id,
        arc.cue if arc.ghost >= 0 else _position(surface, arc.cue),
        arc.target if arc.ghost >= 0 else _position(surface, arc.target),
        construction,
        reason,
    )


def _disagreement(surface: Surface, instance: Instance, own: Construction) -> Disagreement:
    arc = instance.arc
    fits = span_fits(surface, arc)
    cue, target = (each.form for each in ends(surface, arc)) if fits else ("", "")
    rejection = _rejection(surface, instance, "", own.name)
    return Disagreement(
        own.name,
        instance.feature,
        surface.sentence.file,
        rejection.sent_id,
        rejection.cue_index,
        rejection.target_index,
        cue,
        target,
        instance.cue_value,
        instance.target_value,
        surface.sentence.comment("text") or " ".join(_token_view(surface).forms),
        own.verdict,
    )


def _differ(instance: Instance) -> str:
    if instance.cue_value == instance.target_value:
        return ""
    return f"cue and target differ: {instance.cue_value}, {instance.target_value}"


def _unknown(
    tokens: Surface, cue: End, target: End, vocabulary: frozenset[str], apart: bool
) -> str:
    """The first form from cue to target that is not in the vocabulary. Where words are apart, the
    two ends too are looked up as the tokens they stand in."""
    first = tokens.forms[cue.position] if apart else cue.form
    last = tokens.forms[target.position] if apart else target.form
    between = tokens.forms[cue.position + 1 : target.position]
    for form in (first, *between, last):
        if form not in vocabulary:
            return f"out of vocabulary: {form}"
    return ""


def _original(
    surface: Surface,
    tokens: Surface,
    instance: Instance,
    contrasts: Contrasts,
    words: Words,
    pair: tuple[End, End],
    other: WrongForm,
    around: tuple[str, str],
) -> Original:
    cue, target = pair
    before, after = around
    value, sentence, arc = instance.cue_value, surface.sentence, instance.arc
    right, wrong = before + target.form + after, before + other.form + after
    forms = list(tokens.forms)
    forms[target.position] = right  # a ghost target is put where its position says
    rivals = attractors(
        surface.upos,
        surface.feats,
        arc.cue,
        arc.target,
        instance.cue_feature,
        cue_upos=cue.upos,
        value=value,
        equivalent=contrasts.equivalent,
    )
    flags = {
        "ghost": arc.ghost >= 0,
        "equal_forms": wrong == right,
        "multiword": bool(before or after),
        **dict.fromkeys(other.flags, True),
    }
    return Original(
        file=sentence.file,
        sent_id=sentence.sent_id,
        number_in_file=sentence.number,
        construction=contrasts.construction.name,
        number=0,
        feature=instance.feature,
        values=contrasts.construction.values,
        value=value,
        cue_index=cue.position,
        target_index=target.position,
        cue=tokens.forms[cue.position] if surface.tokens else cue.form,
        cue_upos=cue.upos,
        target_upos=target.upos,
        target_feats=target.feats,
        lemma=target.lemma,
        right=right,
        wrong=wrong,
        attractors=_on_tokens(surface, rivals, cue, target),
        n_attr=scripts_count(
            tokens.forms,
            cue.position,
            target.position,
            analyses=words.paradigms.by_form,
            cue_upos=cue.upos,
            feature=instance.cue_feature,
            value=value,
        ),
        forms=tuple(forms),
        upos=tokens.upos,
        feats=tokens.feats,
        spaces=spaces_before(tokens),
        flags=tuple(name for name, is_set in flags.items() if is_set),
        cue_feature=instance.cue_feature,
        target_feature=instance.target_feature,
        before=before,
        after=after,
        wrong_value=other.value,
        wrong_forms={value: before + form + after for value, form in other.forms.items()},
        **_tree(surface, arc),
    )


def _tree(surface: Surface, arc: Arc) -> dict[str, Any]:
    """Tree, cue and target in it; nothing for an arc with a ghost."""
    if arc.ghost >= 0:
        return {}
    words = surface.first_words or range(len(surface))
    return {
        "tree": tree_of(surface.sentence),
        "cue_node": words[arc.cue],
        "target_node": words[arc.target],
    }


def _on_tokens(surface: Surface, indices: Sequence[int], cue: End, target: End) -> tuple[int, ...]:
    """Words as the tokens they stand in, those of cue and target left out."""
    found = dict.fromkeys(_position(surface, index) for index in indices)
    return tuple(each for each in found if cue.position < each < target.position)


def _flag_shared(originals: list[Original]) -> list[Original]:
    """Flags originals whose sentence, or whose very target, another original has too."""
    sentences = Counter(each.forms for each in originals)
    targets: Mapping[tuple[tuple[str, ...], int], int] = Counter(
        (each.forms, each.target_index) for each in originals
    )

    def flags(each: Original) -> Iterator[str]:
        yield from each.flags
        if sentences[each.forms] > 1:
            yield "same_sentence"
        if targets[(each.forms, each.target_index)] > 1:
            yield "same_target"

    return [replace(each, flags=tuple(sorted(flags(each)))) for each in originals]
