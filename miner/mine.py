"""A treebank under a rule: constructions, originals, rejections."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, get_args

from colorless_green.data.errors import InputError
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import guess, load, named, nearest
from colorless_green.miner.conllu import OnBad
from colorless_green.miner.construction import Construction, Disagreement, Key, Original, Rejection
from colorless_green.miner.counts import Stages
from colorless_green.miner.features import UNIVERSAL, agreement_value, value_of
from colorless_green.miner.filters import filters_named
from colorless_green.miner.instances import Search
from colorless_green.miner.lines import Span
from colorless_green.miner.originals import originals_of
from colorless_green.miner.paradigms import Analysis, paradigms_of, surface_forms
from colorless_green.miner.partner import Words, asked_contrasts
from colorless_green.miner.patterns.pattern import chosen
from colorless_green.miner.relations import check_relations
from colorless_green.miner.repair import REPAIRS, needs_english_repair, present_feats
from colorless_green.miner.rule import By, GapIn, Rule, Selection, Thresholds
from colorless_green.miner.rules import GROUP, RULES
from colorless_green.miner.shards import (
    PART_BYTES,
    Reading,
    Run,
    Survey,
    sentences_with,
    survey,
)
from colorless_green.miner.treebank import Treebank

if TYPE_CHECKING:
    from colorless_green.miner.unimorph.wordlist import UniMorph

AUTO, NONE, ENGLISH = "auto", "none", "ewt-2.0"
MIN_AGREEMENT = 0.9
FEATURE = re.compile(r"[A-Z][A-Za-z0-9]*(\[[a-z0-9]+\])?")
BEGINNING = Span(0, 1 << 18, 1)


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asks of a mining. `None` and empty leave a part as the rule has it."""

    rule: str = "released"
    features: tuple[str, ...] = ("Number",)
    repair: str = AUTO
    ghosts: bool = True  # false: no arcs of merged words, also where the rule counts them
    min_gap: int | None = None
    max_gap: int | None = None  # 0: no limit
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
    undecided: bool = False  # constructions that are undecided give originals too
    min_agreement: float | None = None  # of two parses, where a second one is given
    renumber: bool = False  # sentence ids get their line, so that none comes twice in a file
    contrasts: tuple[str, ...] = ()  # RIGHT:WRONG, in place of what the rule chooses
    value_from: tuple[str, ...] = ()  # relations that tell a noun's value where it does not
    distant: bool = False  # no original in which a word between cue and target tells the value


DIRECTIONS = {"dependent-first": "L", "head-first": "R"}  # --direction, as selections have it


@dataclass(frozen=True, slots=True)
class MinedTreebank:
    """What mining a treebank gave, and under which conditions."""

    treebank: Treebank
    request: Request
    rule: str
    search: Search
    thresholds: Thresholds | None  # None: the rule makes no test
    repair: str  # the repair that was applied, or "none"
    parsed_by: str  # what parsed the text; empty for a treebank made by hand
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
    """The rule registered under a name. Raises `InputError` that lists those there are."""
    rule: Rule = load(RULES, name, "--rule", GROUP)
    return rule


def search_for(request: Request, rule: Rule, language: str) -> Search:
    """What to look for: the rule's own selection with the parts that the request changes.

    Raises `InputError` for unknown names and for gaps that admit nothing.
    """
    own = rule.selection
    for name in request.features:
        if FEATURE.fullmatch(name) is None:
            right = "one name, as Number or Number[psor]; repeat the option for several"
            right = guess(name, UNIVERSAL.split()) + right
            raise InputError("--feature", f"{name!r}", right, kind="value")
    if not request.ghosts and own.merging != "ghosts":
        raise InputError(
            "--no-ghosts", f"the rule {rule.name} has none", "without it", kind="unsupported"
        )
    if request.value_from and own.merging != "apart":
        raise InputError(
            "--value-from",
            f"the rule {rule.name} merges multiword tokens",
            "--rule tested",
            kind="unsupported",
        )
    if not request.ghosts and own.merging == "ghosts":
        own = replace(own, merging="merged")
    changes: dict[str, Any] = {
        "min_gap": request.min_gap,
        "gap_in": _one_of(GapIn, request.gap_in, "--gap-in"),
        "by": _one_of(By, request.by, "--by"),
        "direction": DIRECTIONS.get(request.direction, request.direction) or None,
        "relations": frozenset(request.relations) or None,
        "projective": request.projective,
        "patterns": request.patterns or None,
        "filters": filters_named(request.filters) if request.filters else None,
    }
    selection = replace(own, **{key: each for key, each in changes.items() if each is not None})
    if request.max_gap is not None:
        selection = replace(selection, max_gap=request.max_gap or None)
    _check(selection, rule)
    features = tuple(dict.fromkeys(request.features))
    return Search(
        selection,
        chosen(selection.patterns, language),
        features,
        language,
        rule.tests,
        frozenset(request.value_from),
    )


def _one_of(names: Any, name: str, option: str) -> str | None:
    if name:
        named(dict.fromkeys(get_args(names)), name, option)
    return name or None


def _check(selection: Selection, rule: Rule) -> None:
    if selection.direction not in ("", "L", "R"):
        named(DIRECTIONS, selection.direction, "--direction")
    if selection.max_gap is not None and selection.max_gap < selection.min_gap:
        raise InputError(
            "--max-gap",
            f"{selection.max_gap}, less than the least gap",
            f"≥ {selection.min_gap}",
            kind="value",
        )
    if selection.gap_in == "tokens" and selection.merging != "apart":
        raise InputError(
            "--gap-in",
            f"the rule {rule.name} merges multiword tokens",
            "words, or --rule tested",
            kind="unsupported",
        )


def thresholds_for(request: Request, rule: Rule) -> Thresholds | None:
    """The thresholds of a rule that tests. Raises `InputError` where the rule makes no use of
    those that were asked for, or one is out of range."""
    asked = {
        name: value
        for name, value in (
            ("min_n", request.min_n),
            ("alpha", request.alpha),
            ("floor", request.floor),
            ("undecided", request.undecided or None),
        )
        if value is not None
    }
    if not rule.tests:
        for name in asked:
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                option, f"the rule {rule.name} makes no test", "--rule tested", kind="unsupported"
            )
        return None
    for name in ("alpha", "floor"):
        if not 0 <= asked.get(name, 0) <= 1:
            raise InputError(f"--{name}", f"{asked[name]}", "a share from 0 to 1", kind="value")
    asked.pop("undecided", None)
    return replace(Thresholds(), **asked)  # type: ignore[arg-type]  # names of its fields


def contrasts_for(request: Request, rule: Rule) -> dict[str, str]:
    """Right value → wrong value, as asked for. Raises `InputError` for what is no contrast, and
    where the values of the wrong form are the rule's own."""
    if request.contrasts and not rule.replacement.by_partner:
        raise InputError(
            "--contrast", f"the rule {rule.name} has its own pairs", "--rule tested",
            kind="unsupported",
        )  # fmt: skip
    return asked_contrasts(request.contrasts)


def _check_contrasts(
    contrasts: Mapping[str, str], analyses: Iterable[Analysis], features: Sequence[str]
) -> None:
    """Raises `InputError` for a value that no word of the treebank carries."""
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
            raise InputError(
                "--contrast", f"no word has the value {value!r}", nearest(value, sorted(carried)),
                kind="unknown",
            )  # fmt: skip


def repair_for(source: Treebank, name: str) -> str:
    """The repair that `--repair NAME` asks for; `auto` looks at the treebank."""
    if name != AUTO:
        if name != NONE:
            named({**REPAIRS, AUTO: None, NONE: None}, name, "--repair")
        return name
    return _fitting(source, (each for path in source.files for each in present_feats(path)))


def _fitting(source: Treebank, feats: Iterable[str]) -> str:
    """The repair that a treebank with these FEATS needs."""
    return ENGLISH if needs_english_repair(source.language, feats) else NONE


def _surveyed(
    source: Treebank,
    search: Search,
    request: Request,
    *,
    second: Treebank | None,
    lenient: bool,
    run: Run,
    part_bytes: int,
    progress: Progress,
) -> tuple[str, Survey]:
    """The first pass, and the repair it was made with. What `auto` takes is guessed from the
    beginning of the first file; a treebank that turns out otherwise is counted again. So nearly
    every treebank is unpacked once less."""

    def counted(repair: str) -> Survey:
        agreement = MIN_AGREEMENT if request.min_agreement is None else request.min_agreement
        reading = Reading(repair, lenient, agreement, request.renumber)
        return survey(
            source,
            search,
            reading,
            second=second,
            run=run,
            part_bytes=part_bytes,
            progress=progress,
        )

    if request.repair != AUTO:
        repair = repair_for(source, request.repair)
        return repair, counted(repair)
    guess = _fitting(source, present_feats(source.files[0], BEGINNING))
    found = counted(guess)
    repair = _fitting(source, (feats for _, _, _, feats in found.counts.analyses))
    return repair, found if repair == guess else counted(repair)


def mine(
    source: Treebank,
    request: Request = Request(),
    *,
    vocabulary: frozenset[str] | None = None,
    unimorph: "UniMorph | None" = None,
    exceptions: bool = False,
    second: Treebank | None = None,
    on_bad: OnBad | None = None,
    run: Run = map,
    part_bytes: int = PART_BYTES,
    progress: Progress = silent,
) -> MinedTreebank:
    """Mines `source` in two passes: one counts, one reads the sentences of what was accepted.

    Without `vocabulary`, every surface form of the treebank is known. Where the treebank does not
    show the target's other form, `unimorph` may give it. With `exceptions`, the
    instances whose values differ are kept, of every construction that was tested or accepted.
    `second` is another parse of the same text: sentences on which the two agree less than the
    request's `min_agreement` are left out. `run` is handed the treebank in parts of at least
    `part_bytes` bytes, each of which any worker can read by itself.
    """
    if second is None and request.min_agreement is not None:
        raise InputError(
            "--min-agreement", "there is no second parse", "--second FILE", kind="conflict"
        )
    rule = rule_named(request.rule)
    search = search_for(request, rule, source.language)
    thresholds = thresholds_for(request, rule)
    contrasts = contrasts_for(request, rule)
    check_relations(request.relations, source.files)
    check_relations(request.value_from, source.files, "--value-from")
    repair, found = _surveyed(
        source,
        search,
        request,
        second=second,
        lenient=on_bad is not None,
        run=run,
        part_bytes=part_bytes,
        progress=progress,
    )
    for fault in found.faults:
        assert on_bad is not None
        on_bad(fault)
    counts = found.counts
    if counts.n_sentences == 0:
        raise InputError(
            source.name, "no sentence is left of it", "at least one good sentence", kind="empty"
        )
    _check_contrasts(contrasts, counts.analyses, search.features)
    constructions = rule.decide(counts.instances, thresholds or Thresholds())
    if request.undecided:
        constructions = [
            replace(each, accepted=each.accepted or each.undecided) for each in constructions
        ]
    stages = counts.stages(search.features, REPAIRS.get(repair))
    wanted = [each for each in constructions if each.accepted or (exceptions and _judged(each))]
    fitting = REPAIRS.get(repair)
    paradigms = paradigms_of(counts.analyses, letters_only=rule.letters_only, repair=fitting)
    originals, rejections, disagreements = originals_of(
        sentences_with(found, [Key(each.feature, each.base or each.name) for each in wanted], run),
        wanted,
        rule,
        search,
        Words(
            paradigms,
            paradigms_of(counts.analyses, letters_only=False, repair=fitting)
            if rule.letters_only
            else paradigms,
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
        thresholds if rule.tests else None,
        repair,
        found.parsed_by,
        replace(stages, n_dropped=dict(found.dropped)),
        tuple(constructions),
        originals,
        rejections,
        disagreements,
    )


def _judged(construction: Construction) -> bool:
    """Whether a construction was tested, under a rule that tests."""
    return construction.p is not None
