"""Instances of accepted constructions: each gives an original or a rejection with its reason."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from colorless_green.miner.attractors import attractors, scripts_count
from colorless_green.miner.construction import Construction, Original, Rejection
from colorless_green.miner.features import Values
from colorless_green.miner.paradigms import Paradigms
from colorless_green.miner.rule import End, Instance, Rule, ends, span_fits
from colorless_green.miner.surface import Surface, spaces_before, surface_of
from colorless_green.miner.tree import Sentence


def originals_of(
    sentences: Iterable[Sentence],
    accepted: Sequence[Construction],
    rule: Rule,
    feature: str,
    paradigms: Paradigms,
    vocabulary: frozenset[str],
    *,
    ghosts: bool,
) -> tuple[list[Original], list[Rejection]]:
    """Originals construction by construction (each in the order of the sentences), and everything
    else that was an instance of an accepted construction."""
    by_key: dict[str, list[Construction]] = {}
    for construction in accepted:
        by_key.setdefault(construction.name, []).append(construction)
    found: dict[tuple[str, tuple[str, ...]], list[Original]] = {
        (each.name, each.values): [] for each in accepted
    }
    rejections: list[Rejection] = []
    values = Values(feature)
    for sentence in sentences:
        surface = surface_of(sentence, ghosts=ghosts)
        for instance in rule.instances(surface, values).instances:
            for construction in by_key.get(instance.key, ()):
                if instance.cue_value not in construction.values:
                    continue
                result = _judge(surface, instance, construction, rule, paradigms, vocabulary)
                if isinstance(result, Rejection):
                    rejections.append(result)
                else:
                    rank = found[(construction.name, construction.values)]
                    rank.append(replace(result, number=len(rank)))
    return _flag_shared([each for rank in found.values() for each in rank]), rejections


def _judge(
    surface: Surface,
    instance: Instance,
    construction: Construction,
    rule: Rule,
    paradigms: Paradigms,
    vocabulary: frozenset[str],
) -> Original | Rejection:
    cue, target = ends(surface, instance.arc) if span_fits(surface, instance.arc) else (None, None)
    if cue is None or target is None:
        return _rejection(surface, instance, "the merged token is the sentence's last")
    reason = (
        rule.unfit(cue, target) or _differ(instance) or _unknown(surface, cue, target, vocabulary)
    )
    if reason:
        return _rejection(surface, instance, reason)
    wrong, wrong_value = "", ""
    for wrong_value in construction.values:
        if wrong_value != instance.cue_value and not wrong:
            wrong, reason = rule.partner(
                paradigms, vocabulary, target, construction.feature, wrong_value
            )
    if not wrong:
        return _rejection(surface, instance, reason)
    return _original(surface, instance, construction, paradigms, cue, target, wrong)


def _rejection(surface: Surface, instance: Instance, reason: str) -> Rejection:
    arc = instance.arc
    return Rejection(surface.sentence.sent_id, arc.cue, arc.target, instance.key, reason)


def _differ(instance: Instance) -> str:
    if instance.cue_value == instance.target_value:
        return ""
    return f"cue and target differ: {instance.cue_value}, {instance.target_value}"


def _unknown(surface: Surface, cue: End, target: End, vocabulary: frozenset[str]) -> str:
    between = surface.forms[cue.position + 1 : target.position]
    for form in (cue.form, *between, target.form):
        if form not in vocabulary:
            return f"out of vocabulary: {form}"
    return ""


def _original(
    surface: Surface,
    instance: Instance,
    construction: Construction,
    paradigms: Paradigms,
    cue: End,
    target: End,
    wrong: str,
) -> Original:
    feature, value = construction.feature, instance.cue_value
    sentence = surface.sentence
    flags = ["ghost"] if instance.arc.ghost >= 0 else []
    flags += ["equal_forms"] if wrong == target.form else []
    forms = list(surface.forms)
    forms[target.position] = target.form  # a ghost target is put where its position says
    return Original(
        file=sentence.file,
        sent_id=sentence.sent_id,
        number_in_file=sentence.number,
        construction=construction.name,
        number=0,
        feature=feature,
        values=construction.values,
        value=value,
        cue_index=cue.position,
        target_index=target.position,
        cue=cue.form,
        cue_upos=cue.upos,
        target_upos=target.upos,
        target_feats=target.feats,
        lemma=target.lemma,
        right=target.form,
        wrong=wrong,
        attractors=attractors(
            surface.upos,
            surface.feats,
            cue.position,
            target.position,
            feature,
            cue_upos=cue.upos,
            value=value,
        ),
        n_attr=scripts_count(
            surface.forms,
            cue.position,
            target.position,
            analyses=paradigms.by_form,
            cue_upos=cue.upos,
            feature=feature,
            value=value,
        ),
        forms=tuple(forms),
        upos=surface.upos,
        feats=surface.feats,
        spaces=spaces_before(surface),
        flags=tuple(flags),
    )


def _flag_shared(originals: list[Original]) -> list[Original]:
    """Flags originals whose sentence, or whose very target, another original has too."""
    sentences = Counter(each.forms for each in originals)
    targets = Counter((each.forms, each.target_index) for each in originals)

    def flags(each: Original) -> Iterator[str]:
        yield from each.flags
        if sentences[each.forms] > 1:
            yield "same_sentence"
        if targets[(each.forms, each.target_index)] > 1:
            yield "same_target"

    return [replace(each, flags=tuple(sorted(flags(each)))) for each in originals]
