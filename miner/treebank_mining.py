"""Mine a treebank under a rule: find its constructions, originals and rejections.

`mine_treebank` is the computation alone: it takes a treebank and a rule and returns records. The
public `cg.mine` in `miner/mine.py` reads paths and options, looks the request up in the store, and
makes a suite of the originals.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import polars as pl

from ..data.errors import InputError
from ..data.files import printable
from ..data.items.features import FEATURE_NAMES, agreement_value, value_of
from ..data.items.item import Agreement, Item
from ..data.progress import Progress, silent
from ..data.registry import did_you_mean, look_up, nearest
from .originals.candidate import Disagreement, MiningFacts, Rejection
from .originals.originals import originals_of
from .originals.wrong_form import FormInventory
from .rule import Rule, contrasts_named
from .search.instances import Search
from .search.pattern import patterns_named
from .shards import PART_BYTES, MapFunction, ReadSettings, sentences_with, survey
from .treebank.conllu import OnBad
from .treebank.conllu_lines import WHOLE_FILE, line_groups
from .treebank.paradigms import Analysis, paradigms_of, surface_forms
from .treebank.treebank import REPAIRS, Treebank, needs_english_repair
from .verdict.construction import Construction, ConstructionKey, Thresholds
from .verdict.counts import Stages

if TYPE_CHECKING:
    from .originals.wordlist import UniMorph

AUTO_REPAIR, NO_REPAIR, ENGLISH_REPAIR = "auto", "none", "ewt-2.0"
N_FIRST_LINES = 60_000  # first lines of a treebank, from which the repair is chosen
FEATURE_NAME = re.compile(r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?")
# The relations of UD with the subtypes that its guidelines list for several languages, then SUD's.
RELATIONS = """
    acl acl:relcl advcl advcl:relcl advmod advmod:emph advmod:lmod amod appos aux aux:pass case cc
    cc:preconj ccomp clf compound compound:lvc compound:prt compound:redup compound:svc conj cop
    csubj csubj:outer csubj:pass dep det det:numgov det:nummod det:poss discourse dislocated expl
    expl:impers expl:pass expl:pv fixed flat flat:foreign flat:name goeswith iobj list mark nmod
    nmod:poss nmod:tmod nsubj nsubj:outer nsubj:pass nummod nummod:gov obj obl obl:agent obl:arg
    obl:lmod obl:tmod orphan parataxis punct reparandum root vocative xcomp
    comp comp:aux comp:cleft comp:obj comp:obl comp:pred mod subj udep unk
"""


@dataclass(frozen=True, slots=True)
class MinedTreebank:
    """The result of mining a treebank, with the conditions under which it was mined.

    Attributes:
        treebank: the treebank.
        rule: the rule.
        search: the conditions that made a pair of words an instance.
        thresholds: the thresholds of the test; `None`: the rule makes no test.
        repair: the repair that was applied, or `none`.
        parsed_by: the parser that made the trees; "" if the files name none.
        stages: the numbers of sentences, dependencies and instances at each stage.
        constructions: all constructions with their verdicts, in the order of the rule.
        originals: the originals of accepted constructions (and of undecided ones, if the rule says
            so).
        rejections: instances of these constructions that gave no original, with reasons.
        disagreements: instances whose two values differ, if exceptions were wanted.
        renumbered: names of files that repeat a sentence id, where each id has its line added.
    """

    treebank: Treebank
    rule: Rule
    search: Search
    thresholds: Thresholds | None
    repair: str
    parsed_by: str
    stages: Stages
    constructions: tuple[Construction, ...]
    originals: tuple[Item, ...]
    rejections: tuple[Rejection, ...]
    disagreements: tuple[Disagreement, ...]
    renumbered: tuple[str, ...] = ()

    @property
    def feature(self) -> str:
        """The features that were mined, joined by commas."""
        return ",".join(self.search.features)

    @property
    def agreements(self) -> tuple[Agreement, ...]:
        """The agreement of each original, in the order of the originals."""
        return tuple(item.agreement for item in self.originals if item.agreement is not None)


def search_for(rule: Rule, features: Sequence[str], language: str) -> Search:
    """Describe the pairs of words that are instances under a rule.

    Args:
        rule: the rule.
        features: names of the features that agree.
        language: BCP-47 code, which selects the patterns.

    Returns:
        The description of what to find in every sentence.

    Raises:
        InputError: a feature's name is malformed, or there is no such pattern.

    >>> search_for(Rule(extends="strict", max_gap=8), ["Number"], "en").selection.gap_text
    '3 to 8 tokens between'
    """
    for name in features:
        if FEATURE_NAME.fullmatch(name) is None:
            right = "one name, as Number or Number[psor]; repeat the option for several"
            right = did_you_mean(name, FEATURE_NAMES.split()) + right
            raise InputError("feature", f"{name!r}", right, kind="value")
    selection = rule.selection
    return Search(
        selection=selection,
        patterns=patterns_named(selection.patterns, language),
        features=tuple(dict.fromkeys(features)),
        language=language,
        evidence=rule.procedure.tests,
        value_from=frozenset(rule.value_from or ()),
    )


def _check_contrasts(
    contrasts: Mapping[str, str], analyses: Iterable[Analysis], features: Sequence[str]
) -> None:
    """Raise `InputError` for a value in the user's contrasts that no word of the treebank has.

    If no word has any value of the features, raise nothing: a warning says so later.
    """
    if not contrasts:
        return
    carried = {
        agreement_value(feature, value)
        for feats in {feats for _, _, _, feats in analyses}
        for feature in features
        if (value := value_of(feats, feature)) is not None
    }
    for value in (*contrasts, *contrasts.values()):
        if carried and value not in carried:
            wrong = f"no word has the value {value!r}"
            raise InputError("contrasts", wrong, nearest(value, sorted(carried)), kind="unknown")


def _check_relations(relations: Sequence[str], present: Collection[str], location: str) -> None:
    """Raise `InputError` for a relation that neither UD nor SUD lists and that is not `present` in
    the treebank, not even by a subtype."""
    main_relations = (name.partition(":")[0] for name in present)  # `nsubj` of `nsubj:pass`
    known = {*RELATIONS.split(), *present, *main_relations}
    for relation in relations:
        if relation not in known:
            wrong = f"no dependency of the treebank has the relation {relation!r}"
            raise InputError(location, wrong, nearest(relation, sorted(present)), kind="unknown")


def repair_for(source: Treebank, name: str) -> str:
    """Choose the repair of FEATS for a treebank.

    Args:
        source: the treebank; for `auto`, its first lines are read.
        name: `auto`, `none` or a name in `REPAIRS`.

    Returns:
        A name in `REPAIRS`, or `none`.

    Raises:
        InputError: there is no repair of this name.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import treebank
    >>> repair_for(treebank([sample.treebank("en")]), "auto")
    'none'
    """
    if name == AUTO_REPAIR:
        groups = (group for path in source.files for group in line_groups(path, WHOLE_FILE))
        lines = (line for _, group_lines, _ in groups for line in group_lines)
        first_lines = islice(lines, N_FIRST_LINES)
        return ENGLISH_REPAIR if needs_english_repair(source.language, first_lines) else NO_REPAIR
    if name != NO_REPAIR:  # raise an error that proposes the names there are
        look_up({**REPAIRS, AUTO_REPAIR: None, NO_REPAIR: None}, name, "repair")
    return name


def mine_treebank(
    source: Treebank,
    rule: Rule,
    *,
    features: Sequence[str] = ("Number",),
    vocabulary: frozenset[str] | None = None,
    unimorph: "UniMorph | None" = None,
    exceptions: bool = False,
    on_bad: OnBad | None = None,
    run: MapFunction = map,
    part_bytes: int = PART_BYTES,
    progress: Progress = silent,
) -> MinedTreebank:
    """Mine a treebank in two passes: count all instances, then read the sentences of accepted
    constructions.

    Args:
        source: the treebank.
        rule: the rule.
        features: names of the features that agree.
        vocabulary: the words that may be cue, target, wrong form or a word in between; `None`: the
            words of the treebank.
        unimorph: a word list for wrong forms that the treebank lacks.
        exceptions: also return the instances whose two values differ, of constructions that were
            tested or accepted.
        on_bad: called with the fault of each sentence that cannot be read; `None`: it is raised.
        run: `map`, or a parallel version that returns results in the same order.
        part_bytes: minimum size in bytes of the parts that are given to `run`.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        Constructions, originals and rejections; they do not depend on `run`.

    Raises:
        InputError: a file is faulty, no sentence is left, or settings do not go together.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import treebank
    >>> mined = mine_treebank(treebank([sample.treebank("en")]), Rule())
    >>> original = mined.agreements[0]
    >>> original.cue, original.right, original.wrong
    ('musicians', 'borrow', 'borrows')
    """
    search = search_for(rule, features, source.language)
    repair = repair_for(source, str(rule.repair))
    reading = ReadSettings(repair, on_bad is not None)
    first_pass = survey(source, search, reading, run=run, part_bytes=part_bytes, progress=progress)
    counts = first_pass.counts
    for fault in counts.faults:
        assert on_bad is not None
        on_bad(fault)
    stages = counts.stages(search.features, REPAIRS.get(repair), vocabulary)
    if stages.n_sentences == 0:
        wrong = "no sentence is left of it"
        raise InputError(source.name, wrong, "at least one good sentence", kind="empty")
    for name in ("relations", "value_from"):
        _check_relations(vars(rule)[name], counts.relations, name)
    constructions = _judged_constructions(rule, counts.instances)
    selected = [
        construction
        for construction in constructions
        if construction.accepted or (exceptions and construction.evidence is not None)
    ]
    # in the table of instances, those of a part of a construction stand under the whole (`base`)
    keys = [ConstructionKey(x.feature, x.base or x.name) for x in selected]
    facts = MiningFacts(
        treebank=source,
        rule=rule.extends,
        procedure=rule.procedure,
        distant=bool(rule.distant),
        search=search,
        repair=repair,
        parsed_by="; ".join(filter(None, counts.parsers)),
        null_subjects=stages.null_subjects,
        words=_form_inventory(rule, counts.analyses, search.features, repair, vocabulary, unimorph),
    )
    originals, rejections, disagreements = originals_of(
        sentences_with(first_pass, keys, run), selected, facts, exceptions=exceptions
    )
    repeating = (part.path for part in first_pass.parts if part.has_repeats)
    return MinedTreebank(
        treebank=source,
        rule=rule,
        search=search,
        thresholds=rule.thresholds,
        repair=repair,
        parsed_by=facts.parsed_by,
        stages=stages,
        constructions=constructions,
        originals=originals,
        rejections=rejections,
        disagreements=disagreements,
        renumbered=tuple(dict.fromkeys(printable(path.name) for path in repeating)),
    )


def _judged_constructions(rule: Rule, instances: pl.DataFrame) -> tuple[Construction, ...]:
    """Return a verdict on every construction of these instances.

    Undecided ones (high agreement rate, few instances) count as accepted if the rule says so.
    """
    return tuple(
        replace(verdict, accepted=verdict.accepted or bool(rule.undecided and verdict.undecided))
        for verdict in rule.procedure.decide(instances, rule.thresholds or Thresholds())
    )


def _form_inventory(
    rule: Rule,
    analyses: Counter[Analysis],
    features: Sequence[str],
    repair: str,
    vocabulary: frozenset[str] | None,
    unimorph: "UniMorph | None",
) -> FormInventory:
    """Make the inventory of forms (vocabulary, paradigms, contrasts) from which wrong forms are
    taken; `analyses` are the counts of the whole treebank."""
    contrasts = contrasts_named(rule.contrasts or ())
    _check_contrasts(contrasts, analyses, features)
    all_paradigms = paradigms_of(analyses, letters_only=False, repair=REPAIRS.get(repair))
    paradigms = all_paradigms
    if rule.procedure.letters_only:
        paradigms = paradigms_of(all_paradigms.counts, letters_only=True)
    return FormInventory(
        paradigms,
        all_paradigms,
        vocabulary if vocabulary is not None else surface_forms(analyses),
        closed=vocabulary is not None,
        unimorph=unimorph,
        contrasts=contrasts,
    )
