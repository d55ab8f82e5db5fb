"""Make originals: items (a right and a wrong sentence) from instances of accepted constructions.

When a sentence is read, each of its instances (pairs of words that agree) becomes a candidate or a
rejection with a reason. What depends on all sentences is known only afterwards: which words reveal
a value, an original's number, whether two originals share a sentence. Then the items are made.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ...data.items.features import agreement_value, value_of
from ...data.items.item import Agreement, Item, item_id, pair
from ...data.items.tree import Sentence
from ..search.instances import OF_FEATURE
from ..treebank.surface import spaces_before, tree_of
from ..treebank.treebank import licences_by_file
from ..treebank.view import TreeView
from ..verdict.construction import Construction, ConstructionKey
from ..verdict.counts import Instance
from .candidate import (
    NULL_SUBJECT,
    SHARED_SUBJECT,
    Candidate,
    Disagreement,
    MiningFacts,
    Rejection,
    outcomes,
    rejection_of,
)
from .cue_words import AgreementView, CueWordCounts
from .wrong_form import (
    PERSON_TOO,
    UNIMORPH,
    UNIMORPH_LICENCE,
    Contrasts,
    FormInventory,
    contrasts_of,
)


def originals_of(
    sentences: Iterable[tuple[Sentence, Sequence[Instance]]],
    constructions: Sequence[Construction],
    facts: MiningFacts,
    *,
    exceptions: bool = False,
) -> tuple[tuple[Item, ...], tuple[Rejection, ...], tuple[Disagreement, ...]]:
    """Make the originals of accepted constructions from sentences and their instances.

    Args:
        sentences: the sentences with instances of `constructions`, each with these instances.
        constructions: the accepted ones, and others if their exceptions are wanted.
        facts: the facts that all originals of the mining share.
        exceptions: also return the instances whose two values differ.

    Returns:
        The originals, by construction and then in the order of the sentences; the instances of
        accepted constructions that gave none; and the exceptions.
    """
    equivalent = facts.procedure.replacement.by_partner
    by_key: dict[ConstructionKey, list[Contrasts]] = {}  # parts of a construction share its key
    for construction in constructions:
        key = ConstructionKey(construction.feature, construction.base or construction.name)
        contrasts = contrasts_of(construction, equivalent, facts.words.contrasts)
        by_key.setdefault(key, []).append(contrasts)
    candidates: list[Candidate] = []
    rejections: list[Rejection] = []
    disagreements: list[Disagreement] = []
    counts_by_feature = {feature: CueWordCounts(feature) for feature in facts.search.features}
    for sentence, instances in sentences:
        for cue_counts in counts_by_feature.values():
            cue_counts.observe(sentence)
        for outcome in outcomes(sentence, instances, by_key, facts, exceptions):
            if isinstance(outcome, Candidate):
                candidates.append(outcome)
            elif isinstance(outcome, Rejection):
                rejections.append(outcome)
            else:
                disagreements.append(outcome)
    rank_of = {(x.feature, x.name, x.values): rank for rank, x in enumerate(constructions)}

    def construction_rank(candidate: Candidate) -> int:
        """Return the position of a candidate's construction among all."""
        construction = candidate.construction
        return rank_of[construction.feature, construction.name, construction.values]

    candidates.sort(key=construction_rank)  # a stable sort keeps the order of the sentences
    fitting: list[tuple[Candidate, dict[str, Any]]] = []  # with the fields of its tree
    for candidate in candidates:
        fields = _tree_fields(candidate, counts_by_feature, facts.words)
        reason = _not_distant(candidate, fields) if facts.distant else ""
        if reason:
            construction = candidate.construction
            rejections.append(
                rejection_of(candidate.views, candidate.instance, construction, reason)
            )
        else:
            fitting.append((candidate, fields))
    # within a construction, originals whose forms differ in Person too come last
    fitting.sort(key=lambda x: (construction_rank(x[0]), PERSON_TOO in x[0].wrong.flags))
    return tuple(_items(fitting, facts)), tuple(rejections), tuple(disagreements)


def _items(
    candidates: Sequence[tuple[Candidate, Mapping[str, Any]]], facts: MiningFacts
) -> Iterator[Item]:
    """Yield an item (a right and a wrong sentence) for each candidate, numbered within its
    construction.

    Each candidate comes with its fields of `_tree_fields`; those of a construction stand together.
    """
    n_by_sentence = Counter(candidate.forms for candidate, _ in candidates)
    n_by_target = Counter((x.forms, x.target.position) for x, _ in candidates)
    licences = licences_by_file(facts.treebank)
    for _, of_construction in groupby(candidates, lambda x: x[0].construction):
        for number, (candidate, fields) in enumerate(of_construction):
            shared_flags = {
                "same_sentence": n_by_sentence[candidate.forms] > 1,
                "same_target": n_by_target[candidate.forms, candidate.target.position] > 1,
            }
            agreement = _agreement(candidate, number, shared_flags, fields, facts)
            yield _item(candidate, agreement, facts, licences)


def _tree_fields(
    candidate: Candidate, counts_by_feature: Mapping[str, CueWordCounts], words: FormInventory
) -> dict[str, Any]:
    """Return an original's tree, its cue and target nodes, and the words that reveal the value, as
    fields of `Agreement`; {} for a ghost (a word that merging deleted), which no tree has."""
    instance, surface = candidate.instance, candidate.views.surface
    if instance.ghost >= 0:
        return {}
    nodes = surface.first_words or range(len(surface))  # position → word of the tree
    tree, cue, target = tree_of(surface.sentence), nodes[instance.cue], nodes[instance.target]
    view = AgreementView(
        view=TreeView(tree),
        cue=cue,
        target=target,
        feature=instance.feature,
        value=instance.cue_value,
        forms=words.all_paradigms.form_readings,
        cue_counts=next(
            counts_by_feature[name]
            for name in instance.feature.split("~")
            if name in counts_by_feature
        ),
    )
    return {"tree": tree, "cue_node": cue, "target_node": target, **view.cue_columns(tree.tokens)}


def _not_distant(candidate: Candidate, fields: Mapping[str, Any]) -> str:
    """Return the reason why an original is not distant, "" if it is.

    It is distant if no word between cue and target reveals the value; the reason names such words.
    `fields` are those of `_tree_fields`.
    """
    if not fields:
        return "told between: cue or target is not in the tree"
    revealing = sorted((*fields["cues_between"], *fields["cues_beside_target"]))
    forms, target = candidate.forms, candidate.target.position
    words = [forms[index] for index in revealing if index < target]
    return f"told between: {', '.join(words)}" if words else ""


def _agreement(
    candidate: Candidate,
    number: int,
    shared_flags: Mapping[str, bool],
    fields: Mapping[str, Any],
    facts: MiningFacts,
) -> Agreement:
    """Return the record of an original's agreement: words, values, forms and flags.

    `shared_flags` tell what it shares with other originals, `fields` are those of its tree.
    """
    views, instance, construction, cue, target, before, after, wrong = candidate
    sentence, tokens = views.surface.sentence, views.tokens
    cue_feature, target_feature = instance.features
    wrong_token = before + wrong.form + after
    whole_name, _, _ = (construction.base or construction.name).partition(OF_FEATURE)
    _, _, path = whole_name.rpartition("__")  # as L__NOUN__VERB__subject-second-verb
    flags = {
        "ghost": instance.ghost >= 0,
        "equal_forms": wrong_token == candidate.right,
        "multiword": bool(before or after),
        **dict.fromkeys(wrong.flags, True),
        NULL_SUBJECT: facts.null_subjects and path in SHARED_SUBJECT,
        **shared_flags,
    }
    ends = (cue_feature, instance.cue), (target_feature, instance.target)
    value_from = {views.value_tokens[end] for end in ends if end in views.value_tokens}
    return Agreement(
        treebank=facts.treebank.name,
        file=sentence.file.removesuffix(".gz"),
        sent_id=sentence.sent_id,
        rule=facts.rule,
        construction=construction.name,
        number=number,
        feature=instance.feature,
        values=construction.values,
        value=instance.cue_value,
        cue_index=cue.position,
        target_index=target.position,
        cue=views.shown(cue),
        cue_upos=cue.upos,
        target_upos=target.upos,
        target_feats=target.feats,
        lemma=target.lemma,
        right=candidate.right,
        wrong=wrong_token,
        attractors=_attractors(candidate, facts.procedure.replacement.by_partner),
        tokens=candidate.forms,
        upos=tokens.upos,
        feats=tokens.feats,
        spaces=spaces_before(tokens),
        flags=tuple(sorted(name for name, is_set in flags.items() if is_set)),
        cue_feature=cue_feature,
        target_feature=target_feature,
        before=before,
        after=after,
        wrong_value=wrong.value,
        wrong_forms={value: before + form + after for value, form in wrong.forms.items()},
        value_from=tuple(sorted(value_from)),
        **fields,
    )


def _item(
    candidate: Candidate, agreement: Agreement, facts: MiningFacts, licences: Mapping[str, str]
) -> Item:
    """Return an original as an item with the conditions right and wrong, and its file's licence."""
    sentence = candidate.views.surface.sentence
    source = facts.treebank
    identity = item_id(
        agreement.treebank, agreement.file, sentence.number, agreement.sent_id,
        agreement.cue_index, agreement.cue_upos, agreement.target_index, agreement.target_upos,
        agreement.construction, "|".join(agreement.values), agreement.feature, agreement.rule,
        agreement.level, agreement.seed, agreement.variant,
    )  # fmt: skip
    return Item(
        item_id=identity,
        kind="original",
        cluster_id=identity,
        language=source.language,
        source=source.name,
        licence=licences[sentence.file],
        conditions=pair(agreement),
        agreement=agreement,
        facts={
            "n_attr": str(_published_n_attr(agreement, facts.words)),
            "repair": facts.repair,
            **({"parsed_by": facts.parsed_by} if facts.parsed_by else {}),
            **({"wrong_form_licence": UNIMORPH_LICENCE} if UNIMORPH in agreement.flags else {}),
        },
    )


def _attractors(candidate: Candidate, equivalent: bool) -> tuple[int, ...]:
    """Return the attractors: tokens between cue and target that have the cue's POS and another
    value of the feature (Gulordava et al. 2018, §4).

    With `equivalent`, values that agreement does not tell apart count as one, so that a plurale
    tantum is no attractor beside a plural.
    """
    views, instance, _, cue, target, *_ = candidate
    cue_feature, _ = instance.features
    surface = views.surface
    tokens: list[int] = []
    for index in range(instance.cue + 1, instance.target):
        own_value = value_of(surface.feats[index], cue_feature)
        if surface.upos[index] == cue.upos and own_value is not None:
            value = agreement_value(cue_feature, own_value) if equivalent else own_value
            if value != instance.cue_value:
                tokens.append(views.token(index))
    # a word may share a multiword token with cue or target
    return tuple(token for token in dict.fromkeys(tokens) if cue.position < token < target.position)


def _published_n_attr(agreement: Agreement, words: FormInventory) -> int:
    """Count attractors as the published `n_attr` does: by word forms, not by their annotation here.

    A form between cue and target counts if it has, among its analyses at least a tenth as frequent
    as its most frequent one, one with the cue's POS and the opposite of Sing or Plur
    (`utils.is_attr` of the paper's repository). So an ambiguous form counts even if it is something
    else in this sentence. Only the `.tab` export uses the number.
    """
    opposite = {"Sing", "Plur"} - {agreement.value}
    n_attr = 0
    for form in agreement.tokens[agreement.cue_index + 1 : agreement.target_index]:
        analyses = words.paradigms.by_form.get(form, ())
        max_count = max((n for _, _, n in analyses), default=0)
        n_attr += any(
            upos == agreement.cue_upos
            and 10 * n >= max_count
            and value_of(feats, agreement.cue_feature) in opposite
            for upos, feats, n in analyses
        )
    return n_attr
