"""A treebank under a rule: constructions, originals, rejections.

This `mine` is the computation alone: a treebank and a request in, records out. The public `cg.mine`
is in `miner/mine.py`: it reads paths and options, looks in the store whether the same was mined
before, and makes originals a suite, which this room, being left of the suites, cannot know.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ..data.errors import InputError
from ..data.items.features import UNIVERSAL, agreement_value, value_of
from ..data.progress import Progress, silent
from ..data.registry import guess, load, look_up, nearest
from .originals.originals import originals_of
from .originals.wrong_form import FormInventory
from .rules import GROUP, RULES
from .search.candidate_pairs import By, GapIn
from .search.filters import filters_named
from .search.instances import Search
from .search.patterns.pattern import patterns_named
from .shards import PART_BYTES, MapFunction, ReadSettings, Survey, sentences_with, survey
from .treebank.conllu import OnBad
from .treebank.conllu_lines import Span, lines_with
from .treebank.paradigms import Analysis, paradigms_of, surface_forms
from .treebank.repair import REPAIRS, needs_english_repair, present_feats
from .treebank.treebank import Treebank
from .verdict.construction import Construction, ConstructionKey, Disagreement, Original, Rejection
from .verdict.counts import Stages
from .verdict.rule import Rule, Thresholds

if TYPE_CHECKING:
    from .originals.unimorph.wordlist import UniMorph

AUTO, NONE, ENGLISH = "auto", "none", "ewt-2.0"
FEATURE = re.compile(r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?")
BEGINNING = Span(0, 1 << 18, 1)
# the universal relations and the subtypes that UD's guidelines list for several languages; SUD's
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
class MineRequest:
    """The settings of a mining. `None` and empty leave a setting as the rule has it.

    Attributes:
        rule: name of the rule.
        features: names of the features that agree.
        repair: `auto`, `none`, or the name of a repair of FEATS.
        ghosts: false: no arcs of words inside multiword tokens, also where the rule counts them.
        min_gap, max_gap: least and most words between cue and target; a most of 0 is no limit.
        gap_in: `words` of the text, or `tokens` of the tree.
        by: constructions by `pos`, `deprel` or `coarse`.
        direction: `dependent-first` or `head-first`.
        relations: dependencies of these relations only.
        projective: whether everything between must hang on the head.
        patterns: names of paths, `arc`, `all`, or TOML files.
        filters: names of filters, `all` or `none`.
        min_n, alpha, floor: in place of those of `Thresholds`.
        undecided: take originals of undecided constructions, too.
        renumber: sentence ids get their line, so that none comes twice in a file.
        contrasts: `RIGHT:WRONG` values, in place of what the rule chooses.
        value_from: relations of dependents whose value a noun has that does not carry one.
        distant: leave out originals in which a word between cue and target tells the value.
    """

    rule: str = "released"
    features: tuple[str, ...] = ("Number",)
    repair: str = AUTO
    ghosts: bool = True
    min_gap: int | None = None
    max_gap: int | None = None
    gap_in: str = ""
    by: str = ""
    direction: str = ""
    relations: tuple[str, ...] = ()
    projective: bool | None = None
    patterns: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    min_n: int | None = None
    alpha: float | None = None
    floor: float | None = None
    undecided: bool = False
    renumber: bool = False
    contrasts: tuple[str, ...] = ()
    value_from: tuple[str, ...] = ()
    distant: bool = False


DIRECTIONS = {"dependent-first": "L", "head-first": "R"}  # --direction, as selections have it


@dataclass(frozen=True, slots=True)
class MinedTreebank:
    """What mining a treebank gave, and under which conditions.

    Attributes:
        treebank: what was mined.
        request: the settings that were asked for.
        rule: name of the rule.
        search: which pairs of words counted as instances.
        thresholds: those of the test; `None`: the rule makes none.
        repair: the repair that was applied, or `none`.
        parsed_by: the parser that made the trees; "" where the files name none.
        stages: how many sentences, arcs and instances there were at each stage.
        constructions: all that were found, with their verdicts, in the order of the rule.
        originals: those of accepted constructions, and of undecided ones where that was asked for.
        rejections: instances of these that gave no original, with reasons.
        disagreements: instances whose values differ, where exceptions were asked for.
    """

    treebank: Treebank
    request: MineRequest
    rule: str
    search: Search
    thresholds: Thresholds | None
    repair: str
    parsed_by: str
    stages: Stages
    constructions: tuple[Construction, ...]
    originals: tuple[Original, ...]
    rejections: tuple[Rejection, ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def feature(self) -> str:
        """The features that were mined, joined by commas."""
        return ",".join(self.search.features)


def rule_named(name: str) -> Rule:
    """Finds a rule by its name, among the built-in ones and those of other packages.

    Args:
        name: `tested`, `strict`, `released`, or one that another package brings.

    Returns:
        The rule.

    Raises:
        InputError: there is no such rule; the message lists those there are.

    >>> rule_named("strict").about
    "the paper's words"
    """
    rule: Rule = load(RULES, name, "--rule", GROUP)
    return rule


def search_for(request: MineRequest, rule: Rule, language: str) -> Search:
    """Puts together which pairs of words are instances: the rule's selection, changed by a request.

    Args:
        request: the settings that were asked for.
        rule: the rule whose selection they change.
        language: BCP-47 code, by which patterns are chosen.

    Returns:
        What to look for in every sentence.

    Raises:
        InputError: a name is unknown, the gaps admit nothing, or the rule cannot do it.

    >>> search_for(MineRequest("strict", max_gap=8), rule_named("strict"), "en").selection.near
    '3 to 8 tokens between'
    """
    selection = rule.selection
    for name in request.features:
        if FEATURE.fullmatch(name) is None:
            right = "one name, as Number or Number[psor]; repeat the option for several"
            right = guess(name, UNIVERSAL.split()) + right
            raise InputError("--feature", f"{name!r}", right, kind="value")
    merges = f"the rule {rule.name} merges multiword tokens"
    if not request.ghosts:
        if selection.merging != "ghosts":
            wrong = f"the rule {rule.name} has none"
            raise InputError("--no-ghosts", wrong, "without it", kind="unsupported")
        selection = replace(selection, merging="merged")
    if request.value_from and selection.merging != "apart":
        raise InputError("--value-from", merges, "--rule tested", kind="unsupported")
    for choice, names, option in (
        (request.gap_in, get_args(GapIn), "--gap-in"),
        (request.by, get_args(By), "--by"),
    ):
        if choice:
            look_up(dict.fromkeys(names), choice, option)
    changes: dict[str, Any] = {
        "min_gap": request.min_gap,
        "gap_in": request.gap_in or None,
        "by": request.by or None,
        "direction": DIRECTIONS.get(request.direction, request.direction) or None,
        "relations": frozenset(request.relations) or None,
        "projective": request.projective,
        "patterns": request.patterns or None,
        "filters": filters_named(request.filters) if request.filters else None,
    }
    changes = {key: value for key, value in changes.items() if value is not None}
    if request.max_gap is not None:
        changes["max_gap"] = request.max_gap or None
    changed = replace(selection, **changes)
    if changed.direction not in ("", "L", "R"):
        look_up(DIRECTIONS, changed.direction, "--direction")
    if changed.max_gap is not None and changed.max_gap < changed.min_gap:
        wrong = f"{changed.max_gap}, smaller than the minimum gap"
        raise InputError("--max-gap", wrong, f"≥ {changed.min_gap}", kind="value")
    if changed.gap_in == "tokens" and changed.merging != "apart":
        raise InputError("--gap-in", merges, "words, or --rule tested", kind="unsupported")
    return Search(
        changed,
        patterns_named(changed.patterns, language),
        tuple(dict.fromkeys(request.features)),
        language,
        rule.tests,
        frozenset(request.value_from),
    )


def thresholds_for(request: MineRequest, rule: Rule) -> Thresholds | None:
    """The thresholds of a rule that tests. Raises `InputError` where the rule makes no use of
    those that were asked for, or one is out of range."""
    names = ("min_n", "alpha", "floor")
    given = {name: value for name in names if (value := getattr(request, name)) is not None}
    if rule.tests:
        for name in ("alpha", "floor"):
            if not 0 <= given.get(name, 0) <= 1:
                raise InputError(f"--{name}", f"{given[name]}", "a share from 0 to 1", kind="value")
        return replace(Thresholds(), **given)
    for name in (*given, *(["undecided"] if request.undecided else [])):
        option, wrong = f"--{name.replace('_', '-')}", f"the rule {rule.name} makes no test"
        raise InputError(option, wrong, "--rule tested", kind="unsupported")
    return None


def contrasts_for(request: MineRequest, rule: Rule) -> dict[str, str]:
    """`RIGHT:WRONG` … as right value → wrong value. Raises `InputError` for what is no contrast,
    for a right value that comes twice, and where the values of the wrong form are the rule's."""
    if request.contrasts and not rule.replacement.by_partner:
        wrong = f"the rule {rule.name} has its own pairs"
        raise InputError("--contrast", wrong, "--rule tested", kind="unsupported")
    contrasts: dict[str, str] = {}
    for name in request.contrasts:
        right, _, wrong = name.partition(":")
        if not right or not wrong or ":" in wrong or right == wrong:
            remedy = "RIGHT:WRONG, as Plur:Sing; repeat for several"
            raise InputError("--contrast", f"{name!r}", remedy, kind="value")
        if contrasts.setdefault(right, wrong) != wrong:
            wrong = f"{right} beside {contrasts[right]} and beside {wrong}"
            remedy = "one wrong value for each right one"
            raise InputError("--contrast", wrong, remedy, kind="conflict")
    return contrasts


def _check_contrasts(
    contrasts: Mapping[str, str], analyses: Iterable[Analysis], features: Sequence[str]
) -> None:
    """Raises `InputError` for a value that no word of the treebank carries."""
    carried = {
        agreement_value(feature, value)
        for feats in {feats for _, _, _, feats in (analyses if contrasts else ())}
        for feature in features
        if (value := value_of(feats, feature)) is not None
    }
    for value in (*contrasts, *contrasts.values()):
        if carried and value not in carried:
            wrong = f"no word has the value {value!r}"
            raise InputError("--contrast", wrong, nearest(value, sorted(carried)), kind="unknown")


def check_relations(
    relations: Sequence[str], files: Iterable[Path], option: str = "--relation"
) -> None:
    """Raises `InputError` for a relation that is none of UD or SUD nor of the treebank in `files`,
    which is read only if one is neither; a subtype stands for its relation too."""
    unknown = [relation for relation in relations if relation not in RELATIONS.split()]
    if not unknown:
        return
    present = {
        cells[7].decode(errors="replace")
        for path in files
        for line in lines_with(path, b"\t")
        if len(cells := line.split(b"\t", 8)) > 7 and cells[7] != b"_"
    }
    accepted = present | {relation.partition(":")[0] for relation in present}
    for relation in unknown:
        if present and relation not in accepted:
            wrong = f"no dependency of the treebank has the relation {relation!r}"
            raise InputError(option, wrong, nearest(relation, sorted(present)), kind="unknown")


def repair_for(source: Treebank, name: str) -> str:
    """Finds the repair of FEATS that a name asks for.

    Args:
        source: the treebank, which `auto` looks at.
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
    if name == AUTO:
        return _fitting(source, (feats for path in source.files for feats in present_feats(path)))
    if name != NONE:
        look_up({**REPAIRS, AUTO: None, NONE: None}, name, "--repair")
    return name


def _fitting(source: Treebank, feats: Iterable[str]) -> str:
    """The repair that a treebank with these FEATS needs."""
    return ENGLISH if needs_english_repair(source.language, feats) else NONE


def mine_treebank(
    source: Treebank,
    request: MineRequest = MineRequest(),
    *,
    vocabulary: frozenset[str] | None = None,
    unimorph: "UniMorph | None" = None,
    exceptions: bool = False,
    on_bad: OnBad | None = None,
    run: MapFunction = map,
    part_bytes: int = PART_BYTES,
    progress: Progress = silent,
) -> MinedTreebank:
    """Mine a treebank in two passes: one counts, one reads the sentences of what was accepted.

    Args:
        source: the treebank.
        request: the settings.
        vocabulary: the words that cue, target, its other form and all between must be among;
            `None`: those of the treebank.
        unimorph: a word list for wrong forms that the treebank does not show.
        exceptions: keep the instances whose values differ, of constructions tested or accepted.
        on_bad: called with the fault of each sentence that cannot be read; `None`: it is raised.
        run: `map`, or what does the same on several workers, in the same order.
        part_bytes: least bytes of the parts that `run` is handed.
        progress: called with (task, done, total) as the work proceeds.

    Returns:
        Constructions, originals and all that was left out; the same however `run` does the work.

    Raises:
        InputError: a file is faulty, no sentence is left, or settings do not go together.

    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import treebank
    >>> mined = mine_treebank(treebank([sample.treebank("en")]), MineRequest("tested"))
    >>> original = mined.originals[0]
    >>> original.cue, original.right, original.wrong
    ('musicians', 'borrow', 'borrows')
    """
    rule = rule_named(request.rule)
    search = search_for(request, rule, source.language)
    thresholds = thresholds_for(request, rule)
    contrasts = contrasts_for(request, rule)
    check_relations(request.relations, source.files)
    check_relations(request.value_from, source.files, "--value-from")

    def surveyed(repair: str) -> Survey:
        reading = ReadSettings(repair, on_bad is not None, request.renumber)
        return survey(source, search, reading, run=run, part_bytes=part_bytes, progress=progress)

    if request.repair == AUTO:
        # guessed from the beginning of the first file; a treebank that turns out otherwise is
        # counted again, so that nearly every one is unpacked once less
        repair = _fitting(source, present_feats(source.files[0], BEGINNING))
        first_pass = surveyed(repair)
        needed = _fitting(source, (feats for _, _, _, feats in first_pass.counts.analyses))
        if needed != repair:
            repair, first_pass = needed, surveyed(needed)
    else:
        repair = repair_for(source, request.repair)
        first_pass = surveyed(repair)
    counts, fitting = first_pass.counts, REPAIRS.get(repair)
    for fault in counts.faults:
        assert on_bad is not None
        on_bad(fault)
    stages = counts.stages(search.features, fitting)
    if stages.n_sentences == 0:
        wrong = "no sentence is left of it"
        raise InputError(source.name, wrong, "at least one good sentence", kind="empty")
    _check_contrasts(contrasts, counts.analyses, search.features)
    constructions = rule.decide(counts.instances, thresholds or Thresholds())
    if request.undecided:
        constructions = [
            replace(construction, accepted=construction.accepted or construction.undecided)
            for construction in constructions
        ]
    selected = [
        construction
        for construction in constructions
        if construction.accepted or (exceptions and construction.p is not None)
    ]
    all_paradigms = paradigms_of(counts.analyses, letters_only=False, repair=fitting)
    originals, rejections, disagreements = originals_of(
        sentences_with(
            first_pass,
            [
                ConstructionKey(construction.feature, construction.base or construction.name)
                for construction in selected
            ],
            run,
        ),
        selected,
        rule,
        search,
        FormInventory(
            paradigms_of(all_paradigms.counts, letters_only=True)
            if rule.letters_only
            else all_paradigms,
            all_paradigms,
            vocabulary if vocabulary is not None else surface_forms(counts.analyses),
            closed=vocabulary is not None,
            unimorph=unimorph,
            contrasts=contrasts,
        ),
        exceptions=exceptions,
        null_subjects=stages.null_subjects,
        distant=request.distant,
    )
    return MinedTreebank(
        source,
        request,
        rule.name,
        search,
        thresholds,
        repair,
        "; ".join(filter(None, counts.parsers)),
        stages,
        tuple(constructions),
        originals,
        rejections,
        disagreements,
    )
