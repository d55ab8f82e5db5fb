"""Composed sets: short beginnings with all their cells, made of what a treebank shows.

A set has one head, one predicate and one or two modifiers. Its cells are value × what stands
between (nothing; a modifier in the same number; in the opposite one; for each kind of modifier, and
two of them), with the same words in all.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from colorless_green.data.errors import InputError
from colorless_green.data.files import Paths, listed_paths
from colorless_green.data.progress import Progress, silent
from colorless_green.data.registry import Names, listed
from colorless_green.data.result import Result
from colorless_green.data.seeds import generator, shuffled
from colorless_green.data.store import Kept, Where, home, now, open_store
from colorless_green.data.tables import Row
from colorless_green.miner.mine import repair_for
from colorless_green.miner.repair import REPAIRS
from colorless_green.miner.rows import load_constructions, load_mining, mined_files
from colorless_green.miner.treebank import Treebank, named_word_lists, sentences
from colorless_green.miner.treebank import treebank as treebank_of
from colorless_green.nonce.composed.blocks import Blocks, Option, shortfalls
from colorless_green.nonce.composed.harvest import harvest
from colorless_green.nonce.composed.phrase import (
    Modifier,
    Token,
    Word,
    definite_of,
)
from colorless_green.nonce.composed.predicates import Target
from colorless_green.nonce.composed.rules import NUMBERS, RULE, UNIMORPH, Filled
from colorless_green.nonce.composed.thresholds import T
from colorless_green.nonce.formats import write_suite
from colorless_green.nonce.item import Agreement, Item, item_id
from colorless_green.nonce.mine import Mining
from colorless_green.nonce.mined import pair
from colorless_green.nonce.rows import save_suite
from colorless_green.nonce.suite import Suite

NONE, SAME, OPPOSITE = "none", "same", "opposite"
LEAST = 100  # sets; where limits leave fewer, that on copula and auxiliaries is lifted
TRIES = 60  # heads that are tried with a predicate before it is passed over


class Cell(NamedTuple):
    """One cell of a set."""

    name: str  # "Sing.none", "Plur.nmod:of.Sing"
    value: str
    relation: str  # none, same, opposite
    modifiers: tuple[int, ...]  # which of the set's modifiers stand between
    words: tuple[Word, ...]


@dataclass(frozen=True)
class Set:
    """The words of a set, and its cells."""

    option: Option
    forms: Mapping[str, Filled]  # of the target
    head: str
    modifiers: tuple[Modifier, ...]
    nouns: tuple[str, ...]  # of the modifiers
    verb: Target | None  # of a relative clause
    cells: tuple[Cell, ...]

    @property
    def combination(self) -> tuple[str, ...]:
        """Its blocks: no more than two sets share them."""
        kinds = tuple(each.name for each in self.modifiers)
        return (self.head, self.option.name or self.forms["Sing"].form, *kinds)


def compose(
    mining: Mining | None = None,
    *,
    n_sets: int = 500,
    attractors: int = 2,
    treebank: Paths = None,
    unimorph: Names = None,
    seed: int = 0,
    out: str | Path | None = None,
    store: Where = None,
    progress: Progress = silent,
) -> Suite:
    """Makes sets of short beginnings whose words come from productive blocks of a treebank.

    Args:
        mining: whose accepted constructions are composed, and whose files are one lexicon; None:
            the newest mining of the store.
        n_sets: most sets; fewer are made where limits on the spread of words ask for it.
        attractors: most modifiers between head and target, 1 or 2.
        treebank: where blocks come from; None: what was mined.
        unimorph: `LANGUAGE=FILE` of UniMorph lists, for forms that the treebank lacks.
        seed: the same seed gives the same sets.
        out: a file for the items, in the format its ending says.
        store: where the sets are kept and the mining is looked up; None: that of the mining.
        progress: is told how far it is.

    Returns:
        Items of kind `composed`; `set_id` and `cell` say what belongs together. Its `account` says
        what blocks there were, and what stands against more sets.

    Raises:
        InputError: for numbers out of range, or files that cannot be found.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> suite = cg.compose(cg.mine(str(sample.treebank("en"))), n_sets=5)
    >>> suite.account.rows[0]["n_sets"], suite.items[0].cell
    (5, 'Sing.none')
    """
    if n_sets < 1:
        raise InputError("--sets", f"{n_sets} sets", "1 or more", kind="value")
    if attractors not in (1, 2):
        raise InputError("--attractors", f"{attractors} attractors", "1 or 2", kind="value")
    if store is None and mining is not None:
        store = mining.kept.store
    with open_store(store) as kept:
        row = load_mining(kept, mining.kept.id if mining is not None else None)
        if row is None:
            raise InputError("--composed", "no mining in the store", "colorless mine", kind="empty")
        treebank_id = int(row["treebank_id"])
        source = _source(row, listed_paths(treebank))
        verdicts: dict[str, str] = {}
        for each in load_constructions(kept, treebank_id):
            name, verdict = str(each["construction"]), str(each["verdict"])
            verdicts[name] = min(verdict, verdicts.get(name, verdict))  # accepted comes first
        repair = REPAIRS.get(repair_for(source, "auto"))
        on_bad = None if treebank is not None else (lambda fault: None)
        found = harvest(each for _, each in sentences(source, repair=repair, on_bad=on_bad))
        progress("blocks", 1, 2)
        lists = named_word_lists(listed(unimorph))
        blocks = Blocks(found, source.language, verdicts, lists.get(source.language.split("-")[0]))
        sets, n_within = choose(blocks, n_sets, seed, attractors)
        progress("sets", 2, 2)
        items = tuple(
            item
            for number, made in enumerate(sets)
            for item in items_of(made, number, blocks, source, seed, over=n_within < len(sets))
        )
        suite_name = f"{source.name}/composed" + (f"/seed{seed}" if seed else "")
        account = composition(blocks, sets, source.name, n_sets, n_within)
        suite = Suite(suite_name, items, account=account)
        if items:
            with kept.transaction():
                saved = save_suite(kept, suite, "composed", treebank_id=treebank_id, now=now())
            suite = replace(suite, kept=Kept(home(kept), saved))
    if out is not None and items:
        write_suite(suite, Path(out))
    return suite


def _source(row: Mapping[str, Any], named: Sequence[Path]) -> Treebank:
    """The treebank that was named, or the one that was mined."""
    language = str(row["language"])
    if named:
        return treebank_of(named, renumber=True, language=language)
    files = mined_files(row)
    if not files:
        raise InputError(
            "--treebank", "the store does not know what was mined", "name it", kind="missing"
        )
    renumber = bool(json.loads(row["request"]).get("renumber"))
    return treebank_of(files, name=str(row["name"]), language=language, renumber=renumber)


def choose(blocks: Blocks, n_sets: int, seed: int, attractors: int) -> tuple[list[Set], int]:
    """As many sets as the limits on the spread of words allow, `n_sets` at most, and how many.

    The limits are shares of all sets, so fewer sets have narrower ones: from `n_sets` downwards,
    the first number that can be filled. Where copula and auxiliaries would have to be the target in
    more than their share to make `LEAST` sets, they are; the number returned is then that of the
    sets within the share.
    """
    strict = _most(blocks, n_sets, seed, attractors, T["spread_auxiliary"])
    if len(strict) >= min(LEAST, n_sets):
        return strict, len(strict)
    loose = _most(blocks, n_sets, seed, attractors, 1.0)
    return (loose, len(strict)) if len(loose) > len(strict) else (strict, len(strict))


def _most(blocks: Blocks, n_sets: int, seed: int, attractors: int, share: float) -> list[Set]:
    best: list[Set] = []
    wanted = n_sets
    while wanted > len(best):
        choice = _Choice(blocks, wanted, seed, attractors, share)
        if choice.bound >= wanted:
            made = choice.sets()
            if len(made) >= wanted:
                return made
        wanted -= max(1, wanted // 12)
    return best


class _Choice:
    """One choice of sets under the limits for so many."""

    def __init__(
        self, blocks: Blocks, wanted: int, seed: int, attractors: int, share: float
    ) -> None:
        self.blocks, self.wanted, self.attractors = blocks, wanted, attractors
        self.rng = generator(seed, f"composed {blocks.language}")
        self.most_predicate = max(1, int(T["spread_predicate"] * wanted))
        self.most_head = max(1, int(T["spread_head"] * wanted))
        self.most_closed = int(share * wanted)
        self.predicates: Counter[str] = Counter()
        self.heads: Counter[str] = Counter()
        self.nouns: Counter[str] = Counter()
        self.verbs: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.combinations: Counter[tuple[str, ...]] = Counter()
        self.rank: dict[str, int] = {}
        lemmas = {each for pool in self.pools for each in pool}
        for number, lemma in enumerate(shuffled(self.rng, sorted(lemmas))):
            self.rank[lemma] = number

    @cached_property
    def pools(self) -> list[Iterable[str]]:
        """The nouns of each place."""
        cases = sorted({kind.case for kind in self.blocks.kinds})
        heads: list[Iterable[str]] = [self.blocks.subjects(case) for case in cases]
        return [*heads, *self.blocks.inner.values()]

    @property
    def bound(self) -> int:
        """A number of sets that the limits do not let pass."""
        names = {each.name for each in self.blocks.options if not each.is_closed}
        closed = any(each.is_closed for each in self.blocks.options)
        room = len(names) * self.most_predicate + closed * self.most_closed
        return min(room, len(self.rank) * self.most_head)

    def sets(self) -> list[Set]:
        """The sets: predicates in turn, those least used first."""
        if not self.blocks.found_modifiers:
            return []
        groups: dict[str, list[Option]] = {}
        closed: dict[str, list[Option]] = {}
        for option in shuffled(self.rng, self.blocks.options):
            own = closed if option.is_closed else groups
            own.setdefault(_counted(option), []).append(option)
        room = len(groups) * self.most_predicate
        n_closed = min(self.most_closed, max(self.wanted // 3, self.wanted - room))
        made: list[Set] = []
        n_made_closed = 0
        while len(made) < self.wanted:
            first = closed if n_made_closed * self.wanted < n_closed * (len(made) + 1) else groups
            if first is closed and n_made_closed >= self.most_closed:
                first = groups
            each = self._next(first)
            if each is None:
                other = groups if first is closed else closed
                if other is groups or n_made_closed < self.most_closed:
                    each = self._next(other)
            if each is None:
                break
            n_made_closed += each.option.is_closed
            made.append(each)
            self._count(each)
        return made

    def _next(self, groups: dict[str, list[Option]]) -> Set | None:
        """A set of the predicate least used that still goes with something; others are dropped."""
        while groups:
            name = min(groups, key=lambda each: (self.predicates[each], -len(groups[each])))
            limited = bool(groups[name][0].name)
            if limited and self.predicates[name] >= self.most_predicate:
                del groups[name]
                continue
            for _ in range(len(groups[name])):
                option = groups[name].pop(0)
                groups[name].append(option)
                made = self._made(option)
                if made is not None:
                    return made
            del groups[name]
        return None

    def _count(self, made: Set) -> None:
        option = made.option
        self.predicates[_counted(option)] += 1
        self.heads[made.head] += 1
        self.nouns.update(made.nouns)
        self.kinds.update(each.name for each in made.modifiers)
        self.combinations[made.combination] += 1
        if made.verb is not None:
            self.verbs[made.verb.predicate.lemma] += 1

    def _made(self, option: Option) -> Set | None:
        """A set with an option, its head and modifiers those least used; none if none fits."""
        blocks = self.blocks
        case = option.kind.case
        definite = definite_of(blocks.subject(case))
        pool = (each for each in blocks.subjects(case) if self.heads[each] < self.most_head)
        for head in sorted(pool, key=self._use)[:TRIES]:
            forms = blocks.fits(option, head, definite)
            if forms is None:
                continue
            for chosen in self._modifiers():
                if option.kind.target == "adjective" and any(map(blocks.writer.leans, chosen)):
                    continue  # Hebrew *בבית גדול* is a big house
                made = self._filled(option, forms, head, chosen)
                if made is not None and self.combinations[made.combination] < T["combination"]:
                    return made
        return None

    def _use(self, lemma: str) -> tuple[int, int]:
        """How often a noun was used, and its place in a random order."""
        return self.heads[lemma] + self.nouns[lemma], self.rank[lemma]

    def _modifiers(self) -> Iterator[tuple[Modifier, ...]]:
        """Modifiers for a set, those first that were used least for how frequent they are."""
        order = sorted(
            self.blocks.found_modifiers,
            key=lambda each: (
                (self.kinds[each.name] + 1) / (1 + each.n_subjects) ** 0.5,
                each.name,
            ),
        )
        for first in order[:3]:
            others = [each for each in order if _goes_with(each, first)]
            for second in others[:3] if self.attractors > 1 else ():
                yield tuple(sorted((first, second), key=_closeness))
            yield (first,)

    def _filled(
        self, option: Option, forms: Mapping[str, Filled], head: str, chosen: tuple[Modifier, ...]
    ) -> Set | None:
        """A set with all its cells, its nouns those least used; none where there are none."""
        inner = self.blocks.inner
        pools: list[Iterable[str]] = [inner[each] for each in chosen]
        common = set(pools[0]).intersection(*pools[1:]) - {head}
        first = min(common, key=self._use, default=None)
        if first is None:
            return None
        nouns = [first]
        for pool in pools[1:]:
            other = min((each for each in pool if each not in (head, first)), key=self._use,
                        default=None)  # fmt: skip
            if other is None:
                return None
            nouns.append(other)
        verb = None
        if any(each.relative for each in chosen):
            verb = min(
                (each for each in self.blocks.transitive
                 if each.predicate.lemma != option.target.predicate.lemma),
                key=lambda each: (self.verbs[each.predicate.lemma], each.predicate.lemma),
                default=None,
            )  # fmt: skip
        cells = self._cells(option, forms, head, chosen, nouns, verb)
        return cells and Set(option, forms, head, chosen, tuple(nouns), verb, cells)

    def _cells(
        self,
        option: Option,
        forms: Mapping[str, Filled],
        head: str,
        chosen: tuple[Modifier, ...],
        nouns: Sequence[str],
        verb: Target | None,
    ) -> tuple[Cell, ...] | None:
        """The cells of a set: each modifier with the first noun, and all of them in a row."""
        blocks = self.blocks
        alone = [((index, nouns[0]),) for index in range(len(chosen))]
        together = [tuple(enumerate(nouns))] if len(chosen) > 1 else []
        cells: list[Cell] = []
        for value in NUMBERS:
            subject = blocks.subjects(option.kind.case)[head][value]
            end = _end(option, forms[value].form, value)
            cells.append(Cell(f"{value}.{NONE}", value, NONE, (), (*subject, *end)))
            for filled in (*alone, *together):
                names = "+".join(chosen[index].name for index, _ in filled)
                for number in NUMBERS:
                    words = list(subject)
                    for index, lemma in filled:
                        part = blocks.between(chosen[index], lemma, number, verb)
                        if part is None:
                            return None
                        words += part
                    relation = SAME if number == value else OPPOSITE
                    indices = tuple(index for index, _ in filled)
                    name = f"{value}.{names}.{number}"
                    cells.append(Cell(name, value, relation, indices, (*words, *end)))
        return tuple(cells)


def _closeness(each: Modifier) -> tuple[bool, bool, int, str]:
    """Genitives stand next to their noun, relative clauses after all else."""
    return bool(each.relative), bool(each.place.adposition), -each.n_subjects, each.name


def _counted(option: Option) -> str:
    """What of an option is used in turn: its predicate, or the copula or auxiliary itself."""
    return option.name or option.target.predicate.lemma


def _goes_with(one: Modifier, other: Modifier) -> bool:
    """Whether two modifiers can stand in a row: of different words, one relative at most."""
    if one == other or (one.relative and other.relative):
        return False
    return (one.place.adposition, one.place.case) != (other.place.adposition, other.place.case)


def _end(option: Option, form: str, value: str) -> list[Word]:
    """The target, with the predicate before it where the language has it there."""
    predicate = option.target.predicate
    own = predicate.feats.rpartition("@")[0].strip("|")
    feats = "|".join(sorted(filter(None, (own, f"{option.kind.feature}={value}"))))
    target = Word(form, predicate.upos, feats, "target", predicate.lemma)
    if option.before is None:
        return [target]
    before = option.before
    return [Word(before.form, before.upos, "_", "", before.lemma), target]


def items_of(
    each: Set, number: int, blocks: Blocks, source: Treebank, seed: int, *, over: bool = False
) -> list[Item]:
    """The items of a set, one a cell. `over`: whether the sets are more than the limit on copula
    and auxiliaries lets pass."""
    kind = each.option.kind
    forms = {value: filled.form for value, filled in each.forms.items()}
    set_id = item_id(
        source.name, "composed", seed, number, kind, each.head, *each.nouns, *forms.values(),
        *(modifier.name for modifier in each.modifiers), each.option.name,
    )  # fmt: skip
    construction = blocks.construction(kind)
    shared = {
        "target_kind": kind.target,
        "head": each.head,
        "predicate": each.option.name,
        "evidence": json.dumps(_evidence(each, blocks), ensure_ascii=False),
    }
    sources = {filled.source for filled in each.forms.values()}
    flags = tuple(
        flag for flag, name in (("filled_form", RULE), ("unimorph", UNIMORPH)) if name in sources
    )
    made = []
    for cell in each.cells:
        tokens = blocks.writer.tokens(cell.words)
        wrong = "Plur" if cell.value == "Sing" else "Sing"
        agreement = _agreement(
            tokens, cell, each, forms[cell.value], forms[wrong], source,
            construction=construction, number=number, seed=seed, flags=flags,
        )  # fmt: skip
        between = "+".join(each.modifiers[index].name for index in cell.modifiers)
        made.append(
            Item(
                item_id=item_id(set_id, cell.name),
                kind="composed",
                cluster_id=set_id,
                language=source.language,
                source=source.name,
                licence=source.licence,
                conditions=pair(agreement),
                set_id=set_id,
                cell=cell.name,
                agreement=agreement,
                facts={
                    **shared,
                    "relation": cell.relation,
                    "modifier": between,
                    "n_modifiers": str(len(cell.modifiers)),
                    **({"over_limit": "auxiliary"} if over else {}),
                },
            )
        )
    return made


def _agreement(
    tokens: Sequence[Token],
    cell: Cell,
    each: Set,
    right: str,
    wrong: str,
    source: Treebank,
    *,
    construction: str,
    number: int,
    seed: int,
    flags: tuple[str, ...],
) -> Agreement:
    cue = next(index for index, token in enumerate(tokens) if token.role == "cue")
    target = len(tokens) - 1
    kind, predicate = each.option.kind, each.option.target.predicate
    other = "Plur" if cell.value == "Sing" else "Sing"
    return Agreement(
        treebank=source.name,
        file="",
        sent_id="",
        rule="composed",
        construction=construction,
        number=number,
        feature=kind.feature if kind.feature == "Number" else f"Number~{kind.feature}",
        values=("Plur", "Sing"),
        value=cell.value,
        cue_index=cue,
        target_index=target,
        cue=tokens[cue].form,
        cue_upos="NOUN",
        target_upos=predicate.upos,
        target_feats=tokens[target].feats,
        lemma=predicate.lemma,
        right=right,
        wrong=wrong,
        gap=target - cue - 1,
        attractors=tuple(
            index
            for index, token in enumerate(tokens)
            if token.role == "attractor" and cell.relation == OPPOSITE and index > cue
        ),
        tokens=tuple(token.form for token in tokens),
        upos=tuple(token.upos for token in tokens),
        feats=tuple(token.feats for token in tokens),
        spaces=tuple(token.space for token in tokens),
        seed=seed,
        flags=flags,
        cue_feature="Number",
        target_feature=kind.feature,
        wrong_value=other,
        wrong_forms={other: wrong},
    )


def _evidence(each: Set, blocks: Blocks) -> dict[str, object]:
    """The blocks of a set with how often each was seen."""
    agreement = blocks.harvest.agreement[each.option.kind]
    return {
        "agreement": [agreement[True], agreement.total()],
        "head": [each.head, sum(c.total() for c in blocks.harvest.nouns[each.head].values())],
        "modifiers": [[modifier.name, modifier.n] for modifier in each.modifiers],
        "nouns": list(each.nouns),
        "target": [
            [filled.form, filled.n, filled.source] for _, filled in sorted(each.forms.items())
        ],
    }


def composition(
    blocks: Blocks, sets: Sequence[Set], name: str, n_sets: int, n_within: int
) -> Result:
    """What blocks there were and what was made of them: one row, and what stands against more."""
    cases = sorted({(kind.case, definite_of(blocks.subject(kind.case))) for kind in blocks.kinds})
    heads = {lemma for cell in cases for lemma in blocks.pairs(*cell)}
    options = blocks.options if blocks.kinds else ()
    predicates = Counter[str]()
    for kind in blocks.kinds:
        own = {option.name or option.target.predicate.lemma for option in options
               if option.kind == kind}  # fmt: skip
        predicates[kind.target] += len(own)
    used = Counter(each.name for made in sets for each in made.modifiers)
    row: Row = {
        "treebank": name,
        "language": blocks.language,
        "n_sets": len(sets),
        "n_within_limits": n_within,
        "n_items": sum(len(made.cells) for made in sets),
        "n_heads": len(heads),
        "n_heads_used": len({made.head for made in sets}),
        "n_modifiers": len(blocks.found_modifiers) if blocks.kinds else 0,
        "modifiers": ", ".join(f"{kind} {n}" for kind, n in used.most_common()) or None,
        **{f"n_{kind}": predicates[kind] for kind in PREDICATES},
        "n_predicates_used": len({made.option.name for made in sets} - {""}),
        "n_filled": sum(any(f.source != "treebank" for f in made.forms.values()) for made in sets),
    }
    few = len(sets) < n_sets or n_within < len(sets)
    reasons = shortfalls(blocks, len(heads), options) if few else []
    row["reason"] = "; ".join(reasons) or None
    messages = [f"{name}: {len(sets):,} sets" + (f" ({'; '.join(reasons)})" if reasons else "")]
    if n_within < len(sets):
        n_closed = sum(each.option.is_closed for each in sets)
        messages.append(
            f"copula or auxiliary is the target in {n_closed / len(sets):.0%} of them; no more "
            f"than {n_within} sets keep that to {T['spread_auxiliary']:.0%}"
        )
    columns = [key for key in row if key not in HIDDEN]
    return Result(rows=[row], columns=columns, messages=messages, found=bool(sets))


HIDDEN = ("language", "n_heads_used", "n_predicates_used", "n_filled", "reason")
PREDICATES = ("verb", "participle", "adjective", "auxiliary", "copula")
