"""The settings of a mining: which pairs of words are instances, and which constructions agree."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Gt, Le

from ..data.configuration import Configuration
from ..data.errors import InputError
from ..data.memo import content_digest
from ..data.registry import plugins
from .rules import GROUP, RULES, procedure_named
from .search.filters import ALL, FILTERS, NONE, filters_named
from .search.instances import By, GapIn, Selection
from .verdict.construction import Procedure, Thresholds

DIRECTIONS: Mapping[str, Literal["", "L", "R"]] = {  # setting → `Selection.direction`
    "any": "", "dependent-first": "L", "head-first": "R",
}  # fmt: skip
THRESHOLDS = ("min_n", "alpha", "floor")
SAME_IN_SELECTION = ("by", "min_gap", "gap_in", "projective", "patterns")  # name and value
TESTED = "tested"
# reasons why a rule does not support a setting
NO_TEST, OWN_PAIRS, MERGES = "makes no test", "has its own pairs", "merges multiword tokens"


@dataclass(frozen=True, kw_only=True)
class Rule(Configuration):
    """An agreement rule with all its settings; those not given are as in the rule it extends.

    Attributes:
        patterns: pairs of words to look at: `arc` (the two ends of any dependency), a named path
            such as `subject-copula`, `all` (every named path), or a TOML file of your own.
        by: the facts that make a construction: `pos` (parts of speech of cue, words between and
            target), `deprel` (those and the relation) or `coarse` (order, parts of speech of cue
            and target, relation).
        min_gap: minimum number of words between cue and target.
        max_gap: maximum number of words between cue and target; 0 for no limit.
        gap_in: unit of the gap: `words` of the text, or `tokens` of the tree.
        direction: `any` order of the two words, `dependent-first` or `head-first`.
        relations: only dependencies with these relations; none for all.
        projective: require that all words between depend on the head.
        filters: kinds of instances to leave out, such as `conjuncts`; `all` or `none`.
        min_n: minimum number of instances of a construction that is tested.
        alpha: false discovery rate: the share of the accepted constructions that may owe their
            agreement to chance.
        floor: share of instances that agree which a construction must reach with 95 % confidence.
        undecided: also take originals of constructions with too few instances for a verdict.
        contrasts: `RIGHT:WRONG`, which value the wrong form has for a right value, such as
            `Dual:Sing`; else Sing and Plur for each other, or the most frequent other value.
        value_from: a noun without the feature takes the value of its dependents with these
            relations, such as `det` or `clf`.
        distant: leave out originals in which a word between cue and target reveals the value.
        repair: correct known gaps of the annotation: `ewt-2.0` (present-tense plurals of English),
            `none` (nothing), or `auto` (what the treebank needs).
        ghosts: count dependencies of words inside multiword tokens, as the released scripts do.

    >>> Rule(max_gap=8).label, Rule(extends="strict").digest == Rule().digest
    ('tested~03c7ff', False)
    """

    FILES = ("patterns",)
    NOUN: ClassVar[str] = "rule"
    DEFAULT: ClassVar[str] = TESTED

    patterns: tuple[str | Path, ...] | None = None
    by: By | None = None
    min_gap: Annotated[int, Ge(0)] | None = None
    max_gap: Annotated[int, Ge(0)] | None = None
    gap_in: GapIn | None = None
    direction: Literal["any", "dependent-first", "head-first"] | None = None
    relations: tuple[str, ...] | None = None
    projective: bool | None = None
    filters: tuple[str, ...] | None = None
    min_n: Annotated[int, Ge(1)] | None = None
    alpha: Annotated[float, Gt(0), Le(1)] | None = None
    floor: Annotated[float, Ge(0), Le(1)] | None = None
    undecided: bool | None = None
    contrasts: tuple[str, ...] | None = None
    value_from: tuple[str, ...] | None = None
    distant: bool | None = None
    repair: Literal["auto", "none", "ewt-2.0"] | None = None
    ghosts: bool | None = None

    @classmethod
    def known(cls) -> Iterator[str]:
        """Yield the names of all rules, those of other packages last."""
        yield from RULES
        yield from plugins(GROUP)

    @classmethod
    def settings_of(cls, name: str) -> Mapping[str, Any]:
        """Return all settings of a named rule, from its procedure's selection and thresholds."""
        procedure = procedure_named(name)
        selection = procedure.selection
        direction_of = {letter: direction for direction, letter in DIRECTIONS.items()}
        has_all = selection.filters == tuple(FILTERS)
        filters = (ALL,) if has_all else selection.filters or (NONE,)
        return {
            **{setting: getattr(selection, setting) for setting in SAME_IN_SELECTION},
            "max_gap": selection.max_gap or 0,
            "direction": direction_of[selection.direction],
            "relations": tuple(sorted(selection.relations)),
            "filters": filters,
            **(asdict(Thresholds()) if procedure.tests else {}),
            "contrasts": (),
            "value_from": (),
            "undecided": False,
            "distant": False,
            "repair": "auto",
            "ghosts": selection.merging == "ghosts",
        }

    @property
    def procedure(self) -> Procedure:
        """The functions of the named rule that this one extends."""
        return procedure_named(self.extends)

    @property
    def selection(self) -> Selection:
        """The conditions that make a pair of words an instance: those of the procedure, as the
        settings change them."""
        selection = self.procedure.selection
        same: dict[str, Any] = {setting: vars(self)[setting] for setting in SAME_IN_SELECTION}
        drops_ghosts = selection.merging == "ghosts" and not self.ghosts
        return replace(
            selection,
            **same | {"patterns": tuple(map(str, self.patterns or ()))},
            max_gap=self.max_gap or None,
            direction=DIRECTIONS[self.direction or "any"],
            relations=frozenset(self.relations or ()),
            filters=filters_named(self.filters or ()),
            merging="merged" if drops_ghosts else selection.merging,
        )

    @property
    def thresholds(self) -> Thresholds | None:
        """The thresholds of the test; `None`: the rule makes no test."""
        if not self.procedure.tests:
            return None
        return Thresholds(**{name: vars(self)[name] for name in THRESHOLDS})

    def contents(self) -> dict[str, Any]:
        """Return all settings as JSON values, in a form that is the same for rules that mean the
        same; a file of patterns is represented by a digest of its content."""
        settings = super().contents()
        unordered = {  # lists whose order means nothing
            name: sorted(set(settings[name])) for name in ("relations", "contrasts", "value_from")
        }
        patterns = [_pattern_content(str(pattern)) for pattern in self.patterns or ()]
        filters = [*filters_named(self.filters or ())]
        return {**settings, **unordered, "patterns": patterns, "filters": filters}

    def conflicts(self) -> Iterator[InputError]:
        """Yield an error for each pair of settings that contradict each other, and for each setting
        that the procedure does not support."""
        if self.max_gap and self.max_gap < (self.min_gap or 0):
            wrong = f"{self.max_gap}, smaller than the minimum gap"
            yield InputError("max_gap", wrong, f"at least {self.min_gap}, or 0", kind="value")
        for parse, names in ((filters_named, self.filters), (contrasts_named, self.contrasts)):
            try:
                parse(names or ())  # raises an error for a malformed name
            except InputError as error:
                yield error
        procedure, merging = self.procedure, self.procedure.selection.merging
        unsupported: dict[str, str] = {}  # setting that the user gave → reason
        if not procedure.tests:
            given = [name for name in THRESHOLDS if vars(self)[name] is not None]
            given += ["undecided"] if self.undecided else []
            unsupported |= dict.fromkeys(given, NO_TEST)
        if self.contrasts and not procedure.replacement.by_partner:
            unsupported["contrasts"] = OWN_PAIRS
        if merging != "apart":  # the rule joins the words of a multiword token
            unsupported |= {"gap_in": MERGES} if self.gap_in == "tokens" else {}
            unsupported |= {"value_from": MERGES} if self.value_from else {}
        for name, reason in unsupported.items():
            wrong = f"the rule {self.extends} {reason}"
            yield InputError(name, wrong, f"the rule {TESTED}", kind="unsupported")
        if merging != "ghosts" and self.ghosts:
            wrong = f"the rule {self.extends} has none"
            yield InputError("ghosts", wrong, "false, or the rule released", kind="unsupported")


def _pattern_content(pattern: str) -> str:
    """Return a digest of the content of a pattern file; the name of a pattern as it is."""
    path = Path(pattern)
    return content_digest(path) if pattern.endswith(".toml") and path.is_file() else pattern


def contrasts_named(names: Iterable[str]) -> dict[str, str]:
    """Parse contrasts `RIGHT:WRONG`; return right value → wrong value. Raises `InputError` for
    another form, and for a right value with two wrong ones."""
    contrasts: dict[str, str] = {}
    for name in names:
        right, _, wrong = name.partition(":")
        if not right or not wrong or ":" in wrong or right == wrong:
            remedy = "RIGHT:WRONG, such as Plur:Sing"
            raise InputError("contrasts", f"{name!r}", remedy, kind="value")
        if contrasts.setdefault(right, wrong) != wrong:
            fault = f"{right} with both {contrasts[right]} and {wrong}"
            remedy = "one wrong value for each right one"
            raise InputError("contrasts", fault, remedy, kind="conflict")
    return contrasts
