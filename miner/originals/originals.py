"""Instances of accepted constructions: each gives an original or a rejection with its reason."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...data.items.features import agreement_value, value_of
from ...data.items.tree import Sentence
from ..search.instances import Finder, Instance, Search
from ..search.values import value_words, with_dependent_values
from ..treebank.surface import Surface, spaces_before, surface_of, tree_of
from ..treebank.view import TreeView
from ..verdict.construction import Construction, ConstructionKey, Disagreement, Original, Rejection
from ..verdict.procedure import InstanceEnd, Procedure
from .agreement_view import AgreementView
from .cue_words import CueWordCounter
from .wrong_form import (
    PERSON_TOO,
    Contrasts,
    FormInventory,
    MultiwordParts,
    contrasts_of,
    wrong_form,
)

SHARED_SUBJECT = ("subject-second-verb", "subject-second-auxiliary")
NULL_SUBJECT = "null_subject"  # flag: the second verb may have an unspoken subject of its own
VERDICT_ORDER = ("accepted", "undecided", "rejected")


def originals_of(
    sentences: Iterable[Sentence],
    constructions: Sequence[Construction],
    rule: Procedure,
    search: Search,
    words: FormInventory,
    *,
    exceptions: bool = False,
    null_subjects: bool = False,
    distant: bool = False,
) -> tuple[tuple[Original, ...], tuple[Rejection, ...], tuple[Disagreement, ...]]:
    """Originals construction by construction (each in the order of the sentences), everything else
    that was an instance of an accepted construction, and with `exceptions` each instance of
    `constructions`, accepted or not, whose values differ. `null_subjects`: whether the language
    leaves subjects unspoken. `distant` leaves out originals in which
    a word between cue and target tells the value, too."""
    by_key: dict[ConstructionKey, list[Contrasts]] = {}
    ranks: dict[tuple[str, str, tuple[str, ...]], list[Original]] = {}
    for construction in constructions:
        contrasts = contrasts_of(construction, rule.replacement.by_partner, words.contrasts)
        by_key.setdefault(
            ConstructionKey(construction.feature, construction.base or construction.name), []
        ).append(contrasts)
        if construction.accepted:
            ranks[(construction.feature, construction.name, construction.values)] = []
    rejections: list[Rejection] = []
    disagreements: list[Disagreement] = []
    counters = {feature: CueWordCounter(feature) for feature in search.features}
    for surface, instances in Finder(search).instances(sentences):
        sentence = surface.sentence
        for counter in counters.values():
            counter.observe(sentence)
        # parts were made of words that carry what they are told
        sources = (
            value_words(sentence, search.features, search.value_from) if search.value_from else {}
        )
        feats = with_dependent_values(sentence, sources).feats if sources else surface.feats
        for instance in instances:
            arc, value = instance.arc, instance.cue_value
            judging = [
                contrasts
                for contrasts in by_key.get(ConstructionKey(instance.feature, instance.key), ())
                if all(
                    x.holds(feats[arc.cue], feats[arc.target])
                    for x in contrasts.construction.conditions
                )
            ]
            accepted = [contrasts for contrasts in judging if contrasts.construction.accepted]
            if exceptions and judging and value != instance.target_value:
                # of a construction and its parts the one that counts
                judged = min(
                    (x.construction for x in judging), key=lambda x: VERDICT_ORDER.index(x.verdict)
                )
                disagreements.append(_disagreement(surface, instance, judged))
            if accepted and not any(value in contrasts.other_values for contrasts in accepted):
                reason = f"its value is in no accepted pair: {value}"
                name = accepted[0].construction.name
                rejections.append(_rejection(surface, instance, reason, name))
            for contrasts in accepted:
                if value not in contrasts.other_values:
                    continue
                judged = contrasts.construction
                original = _make_original(surface, instance, contrasts, rule, words)
                if isinstance(original, str):
                    rejections.append(_rejection(surface, instance, original, judged.name))
                    continue
                ends = (instance.cue_feature, arc.cue), (instance.target_feature, arc.target)
                if value_nodes := sorted({sources[end] for end in ends if end in sources}):
                    tokens = tree_of(sentence).tokens
                    original = replace(original, value_from=tuple(tokens[x] for x in value_nodes))
                if null_subjects and instance.pattern in SHARED_SUBJECT:
                    original = replace(original, flags=(*original.flags, NULL_SUBJECT))
                ranks[(judged.feature, judged.name, judged.values)].append(original)
    counts = {feature: counter.counts() for feature, counter in counters.items()}
    for rank in ranks.values():
        for number, original in enumerate(rank):
            if (tree := original.tree) is None:
                continue
            ends_of = original.cue_node, original.target_node
            names = original.feature.split("~")
            cues = AgreementView(
                view=TreeView(tree),
                cue=original.cue_node,
                target=original.target_node,
                feature=original.feature,
                value=original.value,
                forms=words.all_paradigms.form_readings,
                cue_counts=next(counts[name] for name in names if name in counts),
            ).cue_words
            rank[number] = replace(original, **cues.token_columns(tree.tokens, *ends_of))
        if distant:
            rejections += [
                Rejection(x.sent_id, x.cue_index, x.target_index, x.construction, reason)
                for x in rank
                if (reason := _not_distant_reason(x))
            ]
            rank[:] = [original for original in rank if not _not_distant_reason(original)]
        rank.sort(key=lambda original: PERSON_TOO in original.flags)  # stable
    return tuple(_numbered(ranks.values())), tuple(rejections), tuple(disagreements)


def _numbered(ranks: Iterable[Sequence[Original]]) -> Iterator[Original]:
    """The originals with their places in their construction; flagged where another one has the
    sentence, or its very target, too."""
    in_order = [(number, original) for rank in ranks for number, original in enumerate(rank)]
    sentences = Counter(original.forms for _, original in in_order)
    targets = Counter((original.forms, original.target_index) for _, original in in_order)
    for number, original in in_order:
        flags = [*original.flags]
        if sentences[original.forms] > 1:
            flags.append("same_sentence")
        if targets[original.forms, original.target_index] > 1:
            flags.append("same_target")
        yield replace(original, number=number, flags=tuple(sorted(flags)))


def _not_distant_reason(original: Original) -> str:
    """Why an original is not distant; empty where it is."""
    if original.tree is None:
        return "told between: cue or target is not in the tree"
    cues = sorted((*original.cues_between, *original.cues_beside_target))
    words = [original.forms[index] for index in cues if index < original.target_index]
    return f"told between: {', '.join(words)}" if words else ""


def _make_original(
    surface: Surface,
    instance: Instance,
    contrasts: Contrasts,
    rule: Procedure,
    words: FormInventory,
) -> Original | str:
    """The original that an instance gives, or why it gives none."""
    arc, sentence, value = instance.arc, surface.sentence, instance.cue_value
    if arc.target >= len(surface):  # a ghost may stand after the last token
        return "the merged token is the sentence's last"
    cue, target = _ends(surface, instance)
    if reason := rule.unfit(cue, target):
        return reason
    if cue.position == target.position:
        return "cue and target are one token"
    if value != instance.target_value:
        return f"cue and target differ: {value}, {instance.target_value}"
    tokens = _token_view(surface)
    # where words are apart, the two ends too are looked up as the tokens they stand in
    ends = cue, target
    first_form, last_form = (tokens.forms[x.position] if surface.tokens else x.form for x in ends)
    for form in (first_form, *tokens.forms[cue.position + 1 : target.position], last_form):
        if form not in words.vocabulary:
            return f"out of vocabulary: {form}"
    before = after = ""  # what stands beside the target in its multiword token
    if arc.ghost < 0 and target.form != (token := tokens.forms[target.position]):
        assert surface.tokens is not None
        inside = [i for i, position in enumerate(surface.tokens) if position == target.position]
        before = "".join(surface.forms[i] for i in inside if i < arc.target)
        after = "".join(surface.forms[i] for i in inside if i > arc.target)
        if before + target.form + after != token:  # French `au` for `à` + `le`
            return "the target's multiword token is not the sum of its words"
    is_inside = words.closed and bool(before or after)
    vocabulary = MultiwordParts(words.vocabulary, before, after) if is_inside else words.vocabulary
    wrong = wrong_form(target, instance, contrasts, rule, words, vocabulary)
    if not wrong.form:
        return wrong.reason
    right = before + target.form + after
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
        equivalent=rule.replacement.by_partner,
    )
    attractor_positions = dict.fromkeys(_position(surface, index) for index in rivals)
    nodes = surface.first_words or range(len(surface))
    in_tree: dict[str, Any] = {  # nothing for an arc with a ghost
        "tree": tree_of(sentence),
        "cue_node": nodes[arc.cue],
        "target_node": nodes[arc.target],
    }
    flags = {
        "ghost": arc.ghost >= 0,
        "equal_forms": before + wrong.form + after == right,
        "multiword": bool(before or after),
        **dict.fromkeys(wrong.flags, True),
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
        wrong=before + wrong.form + after,
        attractors=tuple(x for x in attractor_positions if cue.position < x < target.position),
        n_attr=published_n_attr(
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
        wrong_value=wrong.value,
        wrong_forms={value: before + form + after for value, form in wrong.forms.items()},
        **({} if arc.ghost >= 0 else in_tree),
    )


def _ends(surface: Surface, instance: Instance) -> tuple[InstanceEnd, InstanceEnd]:
    """Cue and target, a ghost with its own annotation."""
    arc, ends = instance.arc, []
    words: Surface | Sentence
    for index in (arc.cue, arc.target):
        if arc.ghost >= 0 and index == arc.dependent:
            words, row, position = surface.sentence, arc.ghost, index
        else:
            words, row, position = surface, index, _position(surface, index)
        columns = words.forms, words.lemmas, words.upos, words.feats
        ends.append(InstanceEnd(position, *(column[row] for column in columns)))
    cue, target = ends
    return cue._replace(other_feats=target.feats), target._replace(other_feats=cue.feats)


def _position(surface: Surface, index: int) -> int:
    return surface.tokens[index] if surface.tokens else index


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


def _rejection(surface: Surface, instance: Instance, reason: str, construction: str) -> Rejection:
    arc = instance.arc
    cue, target = (
        index if arc.ghost >= 0 else _position(surface, index) for index in (arc.cue, arc.target)
    )
    return Rejection(surface.sentence.sent_id, cue, target, construction, reason)


def _disagreement(surface: Surface, instance: Instance, construction: Construction) -> Disagreement:
    fits = instance.arc.target < len(surface)
    cue, target = (end.form for end in _ends(surface, instance)) if fits else ("", "")
    rejection = _rejection(surface, instance, "", construction.name)
    return Disagreement(
        construction.name,
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
        construction.verdict,
    )


def attractors(
    upos: Sequence[str],
    feats: Sequence[str],
    cue: int,
    target: int,
    feature: str,
    *,
    cue_upos: str,
    value: str,
    equivalent: bool = False,
) -> tuple[int, ...]:
    """Finds the attractors of a pair: words between with the cue's POS and another value.

    By the words' own annotation (Gulordava et al. 2018, §4); a word without the feature is none.

    Args:
        upos: POS of each word.
        feats: FEATS of each word.
        cue: index of the cue, 0-based.
        target: index of the target, above `cue`.
        feature: the feature.
        cue_upos: POS that attractors have.
        value: the value that they do not have.
        equivalent: count values that agreement does not tell apart as one, so that a plurale
            tantum is no attractor beside a plural.

    Returns:
        Their indices, in order.

    >>> upos = ["DET", "NOUN", "ADP", "DET", "NOUN", "VERB"]
    >>> feats = ["_", "Number=Plur", "_", "_", "Number=Sing", "Number=Plur"]
    >>> attractors(upos, feats, 1, 5, "Number", cue_upos="NOUN", value="Plur")
    (4,)
    """
    indices: list[int] = []
    for index in range(cue + 1, target):
        carried = value_of(feats[index], feature) if upos[index] == cue_upos else None
        if (
            carried is not None
            and (agreement_value(feature, carried) if equivalent else carried) != value
        ):
            indices.append(index)
    return tuple(indices)


def published_n_attr(
    forms: Sequence[str],
    cue: int,
    target: int,
    *,
    analyses: Mapping[str, Sequence[tuple[str, str, int]]],
    cue_upos: str,
    feature: str,
    value: str,
) -> int:
    """The published `n_attr`: a look-up of word forms, not of this sentence's annotation.

    `analyses`: form (all letters) → (UPOS, FEATS, count). A form between cue and target counts if
    some analysis seen at least a tenth as often as its most frequent one has the cue's POS and
    another value, Sing or Plur, than the target's (`utils.is_attr` of the paper's repository). An
    ambiguous form counts although it is something else here; used for the `.tab` export alone.
    """
    n_attr = 0
    for form in forms[cue + 1 : target]:
        seen = analyses.get(form, ())
        max_count = max((n for _, _, n in seen), default=0)
        n_attr += any(
            upos == cue_upos
            and 10 * n >= max_count
            and value_of(feats, feature) in {"Sing", "Plur"} - {value}
            for upos, feats, n in seen
        )
    return n_attr
