"""Composed sets: short sentence beginnings made of words and phrases of a treebank.

A set has one head, one predicate and one or two modifiers. Its sentences, the *cells*, have the
same words. They cross the head's number with what stands between head and target: nothing, each
modifier or both, in the same number or the other. Further cells begin with a matrix clause or a
fronted phrase; they cross the numbers of the first noun, the head and a modifier.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge

from ..data.configuration import configured
from ..data.errors import InputError
from ..data.files import Paths, demand_file, listed_paths
from ..data.formats import format_to_write, write_suite
from ..data.items.item import Agreement, Item, item_id, pair
from ..data.items.suite import Suite, names_fitting
from ..data.memo import request_key
from ..data.progress import Progress, silent
from ..data.registry import Names, listed
from ..data.result import Result
from ..data.store import Store, StoreLike, open_store, reference_to
from ..data.stored_suites import find_suite, originals_of_mining, stored_suite
from ..miner.mine import Mining
from ..miner.mining_rows import load_mining, load_rows, mined_treebank
from ..miner.originals.wordlist import word_list_of
from ..miner.originals.wrong_form import UNIMORPH_LICENCE
from ..miner.treebank.treebank import REPAIRS, Treebank, named_word_lists, sentences
from ..miner.treebank.treebank import treebank as treebank_of
from ..miner.treebank_mining import repair_for
from .composed.blocks import SetMaterial
from .composed.choice import SetChoice, choose
from .composed.clause import count_treebank
from .composed.composed_set import CLAUSE, OPPOSITE, ComposedCell, ComposedSet, PredicateOptions
from .composed.phrase import shortages
from .composed.suffixes import RULE, UNIMORPH
from .composed.thresholds import LIMIT
from .variants.recipe import Recipe, SuiteRequest, make_once, with_newest_mining_note

UNPRINTED_COLUMNS = ("treebank", "language", "n_within_limits", "n_heads_used", "reason")
PREDICATE_KINDS = ("verb", "participle", "adjective", "auxiliary", "copula")


def composition(material: SetMaterial, choice: SetChoice, name: str, n_sets: int) -> Result:
    """Return the account of composed sets: one row with the numbers of available words and of sets
    made, and messages, which also say why there are fewer sets than `n_sets`, if there are.

    `name` is the treebank's.
    """
    # `wider`: the limit on the spread of words that was widened to make so many sets; "" for none
    sets, n_within, wider, relatives, predicates = choice
    cases = {kind.case for kind in material.kinds}
    heads = {noun for case in cases for noun in material.pairs(case, material.definite(case))}
    distinct = {(option.kind.target, option.kind, option.key) for option in predicates.main}
    n_by_target = Counter(target for target, _, _ in distinct)  # verb, participle, …
    used_modifiers = Counter(modifier.name for chosen in sets for modifier in chosen.modifiers)
    falls_short = len(sets) < n_sets or n_within < len(sets)
    reasons = list(_shortfalls(material, len(heads), predicates)) if falls_short else []
    row: dict[str, str | int | None] = {
        "treebank": name,
        "language": material.language,
        "n_sets": len(sets),
        "n_within_limits": n_within,
        "n_relative_sets": len(relatives),
        "n_items": sum(len(chosen.cells) for chosen in (*sets, *relatives)),
        "n_heads": len(heads),
        "n_heads_used": len({chosen.head for chosen in sets}),
        "n_modifiers": len(material.modifier_pools),
        "modifiers": ", ".join(f"{x} {n}" for x, n in used_modifiers.most_common()) or None,
        **{f"n_{kind}": n_by_target[kind] for kind in PREDICATE_KINDS},
        "reason": "; ".join(reasons) or None,
    }
    messages = [f"{name}: {len(sets):,} sets" + (f" ({row['reason']})" if reasons else "")]
    if relatives:
        messages.append(f"{len(relatives):,} sets more whose target is in a relative clause")
    if wider:
        messages.append(f"{n_within} sets are within all limits; that on {wider} is wider")
    columns = [x for x in row if x == "n_sets" or (row[x] and x not in UNPRINTED_COLUMNS)]
    return Result(rows=[row], columns=columns, messages=messages, found=bool(sets))


def _shortfalls(material: SetMaterial, n_heads: int, predicates: PredicateOptions) -> Iterator[str]:
    """Yield the reasons why there are not more sets of a language, as texts: no construction, no
    modifier, too few heads or predicates. `n_heads`: number of nouns that can be heads."""
    if not material.kinds:
        yield f"no subject construction is accepted ({_agreement_rates(material)})"
        return
    if not material.modifier_pools:
        yield f"nothing is productive between subject and target{_nearly_productive(material)}"
        return
    # a head, or a predicate, may be in at most this share of the sets
    max_share_of_head, max_share_of_predicate = LIMIT["spread_head"], LIMIT["spread_predicate"]
    if n_heads < 1 / max_share_of_head:
        yield f"{n_heads} heads"
    usable = [option for option in predicates.main if len(predicates.heads_fitting(option)) > 1]
    names = {option.name for option in usable if option.name}
    if len(names) < 1 / max_share_of_predicate:
        rejections = sum((counts for _, counts in material.targets.values()), Counter[str]())
        reasons = ", ".join(f"{reason} {n}" for reason, n in rejections.most_common(3))
        others = f" (others: {reasons})" if reasons else ""
        yield f"{len(names)} predicates that go with more than one head{others}"
    headless = {option.key for option in predicates.main if not predicates.heads_fitting(option)}
    if headless:
        yield f"{len(headless)} predicates with which no head is a subject alone"


def _agreement_rates(material: SetMaterial) -> str:
    """Return the three most frequent kinds of targets with the share of their uses that agree with
    the subject, as text."""
    by_kind = material.counts.agreement  # kind of target → does it agree? → uses
    by_frequency = sorted(by_kind, key=lambda kind: by_kind[kind].total(), reverse=True)
    rates = [
        f"{kind.target} ({kind.feature}{', ' + kind.case if kind.case else ''}) "
        f"{by_kind[kind][True] / by_kind[kind].total():.0%} of {by_kind[kind].total()}"
        for kind in by_frequency[:3]
    ]
    return "; ".join(rates) or "no target with Number after a noun"


def _nearly_productive(material: SetMaterial) -> str:
    """Return the two phrases most frequent after subjects, each with what it lacks to be
    productive, as text in brackets; "" if there is none."""
    candidates = [
        (seen.uses["subject"], position.name, lack)
        for position, seen in material.counts.positions.items()
        if position.kind != "subject" and seen.uses["subject"] and (lack := shortages(seen))
    ]
    most_frequent = sorted(candidates, reverse=True)[:2]
    detail = "; ".join(f"{name}: {lack}" for _, name, lack in most_frequent)
    return f" ({detail}; more text would do)" if detail else ""


DEFAULT_N_SETS = 500
FLAG_BY_SOURCE = {RULE: "filled_form", UNIMORPH: "unimorph"}  # of a form that is not attested


def compose(
    mining: Mining | str | None = None,
    *,
    sets: int = DEFAULT_N_SETS,
    recipe: Recipe | str | Path | None = None,
    construction: Names = None,
    treebank: Paths = None,
    name: str = "",
    seed: int = 0,
    out: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Suite:
    """Make composed sets: short prefixes built from productive phrases of a treebank.

    Args:
        mining: originals in the store, by name or number; the accepted constructions of their
            mining are composed [default: the newest mining]
        sets: maximum number of sets; limits on the spread of words may allow fewer
        recipe: number of attractors and UniMorph lists: default, or a TOML file
        construction: only this construction, or those of a pattern such as 'L__NOUN*'
        treebank: treebank that the blocks come from [default: the one mined]
        name: name of the suite [default: by treebank, rule and recipe]
        seed: seed of the random numbers
        out: file to write; its ending tells the format
        store: where the sets are kept and the mining is looked up
        progress: called with (task, done, total) as the work proceeds

    Returns:
        Items of kind `composed`; `set_id` and `cell` say what belongs together. Its `account` says
        what blocks there were, and what speaks against more sets.

    Raises:
        InputError: for settings that composed sets do not have, and files that cannot be found.

    Commands:
        colorless compose --sets 200
        colorless compose --recipe sets.toml --set attractors=1 --out sets.jsonl

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> suite = cg.compose(cg.mine(str(sample.treebank("en"))), sets=5)
    >>> suite.account.rows[0]["n_sets"], suite.items[0].cell
    (5, 'Sing.none')
    """
    request = ComposeRequest(
        configured(Recipe, recipe), listed(construction), tuple(listed_paths(treebank)), name, seed,
        sets,
    )  # fmt: skip
    inapplicable = {field.name for field in fields(Recipe)} - {"extends", "attractors", "unimorph"}
    request.recipe.demand_unchanged(sorted(inapplicable), "composed sets")
    if out is not None:
        format_to_write(Path(out))
        demand_file(Path(out))
    # a mining knows the store that has it; the sets may go to another one
    kept_in = mining.kept.store if isinstance(mining, Mining) else None
    with (
        open_store(kept_in if store is None else store) as suite_store,
        open_store(kept_in or suite_store) as mining_store,
    ):
        source = find_blocks(mining, request, mining_store)
        mining_id = (
            source.mining if reference_to(mining_store) == reference_to(suite_store) else None
        )
        key = composed_key(source, request)
        make = partial(composed_suite, source, request, progress)
        suite = make_once(
            suite_store, key, "composed", mining_id, lambda values: Result(**values), make
        )
        if mining is None:
            suite = with_newest_mining_note(suite, source.name)
    if out is not None and suite.items:
        write_suite(suite, Path(out))
    return suite


@dataclass(frozen=True)
class ComposeRequest(SuiteRequest):
    """A request for composed sets: the options of `compose`, checked."""

    sets: Annotated[int, Ge(1)] = DEFAULT_N_SETS

    @property
    def parameters(self) -> dict[str, Any]:
        """The options that differ from their defaults, in addition to those of the recipe."""
        return super().parameters | ({"sets": self.sets} if self.sets != DEFAULT_N_SETS else {})


@dataclass(frozen=True, slots=True)
class BlockSource:
    """The mining and the treebank that composed sets are made from.

    Attributes:
        name: name of the mining's originals, without "/originals".
        mining: number of the mining in the store.
        key: the mining's digest.
        verdicts: construction → verdict (accepted, undecided, rejected), of the constructions that
            were asked for.
        treebank: the treebank that the words come from.
        word_list: file of the UniMorph list, if any.
    """

    name: str
    mining: int
    key: str
    verdicts: Mapping[str, str]
    treebank: Treebank
    word_list: Path | None


def find_blocks(mining: Mining | str | None, request: ComposeRequest, store: Store) -> BlockSource:
    """Look up a mining, the verdicts on the constructions that the request names, and the treebank
    (the one that the request names, or else the mined one). Raise `InputError` if one of them is
    not found."""
    row = _mining_row(mining, store)
    treebank_id, language = int(row["treebank_id"]), str(row["language"])
    source = (
        treebank_of(request.treebanks, language=language)
        if request.treebanks
        else mined_treebank(row)
    )
    if source is None:
        wrong = "the store does not say what was mined"
        raise InputError("treebank", wrong, "name it", kind="missing")
    verdicts: dict[str, str] = {}
    for record in load_rows(store, "construction", treebank_id):
        construction, verdict = str(record["construction"]), str(record["verdict"])
        # Of several verdicts, the first in the alphabet counts: accepted, rejected, undecided.
        verdicts[construction] = min(verdict, verdicts.get(construction, verdict))
    if request.constructions:
        verdicts = {name: verdicts[name] for name in names_fitting(verdicts, request.constructions)}
    lists = named_word_lists(request.recipe.unimorph or ())
    word_list = lists.get(source.language.partition("-")[0])
    name = _name_of_mining(row, store)
    return BlockSource(name, treebank_id, str(row["key"]), verdicts, source, word_list)


def _mining_row(mining: Mining | str | None, store: Store) -> dict[str, Any]:
    """Return the store's row of a mining, which is given as an object or by the name of its
    originals (the sentences mined); with `None`, the row of the newest mining. Raise `InputError`
    if there is none."""
    mining_id = mining.kept.id if isinstance(mining, Mining) else None
    if isinstance(mining, str) and mining:
        _, suite_id = find_suite(store, mining)
        query = "SELECT treebank_id FROM suite WHERE suite_id = ? AND kind = 'originals'"
        record = store.one(query, (suite_id,))
        if record is None or record["treebank_id"] is None:
            wrong, right = "these are no originals of the store", "those of a mining, by name"
            raise InputError(mining, wrong, right, kind="unsupported")
        mining_id = int(record["treebank_id"])
    row = load_mining(store, mining_id)
    if row is None:
        raise InputError(
            "mining", "no mining in the store", "run colorless mine TREEBANK first", kind="empty"
        )
    return row


def _name_of_mining(row: Mapping[str, Any], store: Store) -> str:
    """Return the name that suites made from a mining begin with: that of its originals if they are
    stored, else treebank and rule, and the feature unless it is Number."""
    suite_id = originals_of_mining(store, int(row["treebank_id"]))
    if suite_id is not None:
        return stored_suite(store, suite_id).name.removesuffix("/originals")
    feature = "" if row["feature"] == "Number" else f"/{row['feature']}"
    return f"{row['name']}/{row['rule']}{feature}"


def composed_key(source: BlockSource, request: ComposeRequest) -> str:
    """Return a digest of everything that the sets depend on, under which the store keeps them."""
    bank = source.treebank
    return request_key(
        "compose", source.key, request.suite_name(source.name, "composed"), request.recipe_line,
        bank.name, bank.language, bank.licence, *bank.files, *listed_paths(source.word_list),
        sorted(source.verdicts.items()), request.sets, request.recipe.contents(),
        bool(request.treebanks), request.seed,
    )  # fmt: skip


def composed_suite(source: BlockSource, request: ComposeRequest, progress: Progress) -> Suite:
    """Read the treebank, choose the sets and return them as a suite with their account."""
    bank, recipe = source.treebank, request.recipe
    repair = REPAIRS.get(repair_for(bank, "auto"))
    on_bad = None if request.treebanks else (lambda fault: None)  # else mining has reported it
    counts = count_treebank(
        sentence for _, sentence in sentences(bank, repair=repair, on_bad=on_bad)
    )
    progress("blocks", 1, 2)
    word_list = word_list_of(source.word_list, bank.language)
    material = SetMaterial(counts, bank.language, source.verdicts, word_list)
    choice = choose(material, request.sets, request.seed, recipe.attractors or 0)
    progress("sets", 2, 2)
    items = tuple(
        item
        for sets, wider in ((choice.sets, choice.wider), (choice.relatives, ""))
        for number, chosen in enumerate(sets)  # `wider`: the limit that was widened for them
        for item in items_of(chosen, number, material, bank, request.seed, wider=wider)
    )
    account = composition(material, choice, bank.name, request.sets)
    messages = [*account.messages, f"recipe {recipe.label} ({recipe.digest}), seed {request.seed}"]
    return Suite(
        request.suite_name(source.name, "composed"), items, meta={"made": request.recipe_line},
        account=replace(account, messages=messages),
    )  # fmt: skip


def items_of(
    chosen: ComposedSet,
    number: int,
    material: SetMaterial,
    source: Treebank,
    seed: int,
    *,
    wider: str = "",
) -> list[Item]:
    """Return the items of a set, one for each of its cells (sentences).

    Args:
        chosen: the set.
        number: of the set in the suite.
        material: the words and phrases of the language.
        source: the treebank that they come from.
        seed: of the random numbers.
        wider: name of the limit that was widened to make so many sets; "" for none.
    """
    kind = chosen.option.kind
    forms = [filled.form for filled in chosen.forms.values()]
    set_id = item_id(
        source.name, "composed", seed, number, kind, chosen.head, *chosen.nouns, *forms,
        *(modifier.name for modifier in chosen.modifiers), chosen.option.name,
        *(part for opening in chosen.openings for part in opening.parts),
    )  # fmt: skip
    shared_facts = {
        "target_kind": kind.target,
        "head": chosen.head,
        "predicate": chosen.option.name,
        "evidence": json.dumps(_evidence(chosen, material), ensure_ascii=False),
    }
    if material.word_list is not None:  # then any word may be from UniMorph
        shared_facts |= {"words_from": "UniMorph", "words_licence": UNIMORPH_LICENCE}
    widened = {"over_limit": wider} if wider else {}
    items = []
    for cell in chosen.cells:
        agreement = _agreement_of(chosen, cell, number, material, source, seed)
        # Hebrew *ש* is a subordinator written as one token with the head.
        is_joined = cell.facts["opening"] == CLAUSE and "SCONJ" not in agreement.upos
        subordinator = {"subordinator": str(agreement.cue_index)} if is_joined else {}
        items.append(
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
                facts={**shared_facts, **subordinator, **cell.facts, **widened},
            )
        )
    return items


def _agreement_of(
    chosen: ComposedSet,
    cell: ComposedCell,
    number: int,
    material: SetMaterial,
    source: Treebank,
    seed: int,
) -> Agreement:
    """Return the agreement record of one cell (sentence) of a set: its tokens; the indices of its
    cue, which is the head, its target and its attractors; and the target's two forms. Nouns between
    cue and target are attractors if their number differs from the cue's."""
    kind, predicate = chosen.option.kind, chosen.option.target.predicate
    forms = {value: filled.form for value, filled in chosen.forms.items()}
    sources = {filled.source for filled in chosen.forms.values()}
    tokens = material.writer.tokens(cell.words)
    cue = next(index for index, token in enumerate(tokens) if token.role == "cue")
    modifier_nouns = [index for index, token in enumerate(tokens) if token.role == "attractor"]
    is_opposed = cell.facts["relation"] == OPPOSITE
    target = len(tokens) - 1  # a cell ends with its target
    wrong_value = "Plur" if cell.value == "Sing" else "Sing"
    return Agreement(
        treebank=source.name,
        file="",
        sent_id="",
        rule="composed",
        construction=material.constructions[kind.target],
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
        right=forms[cell.value],
        wrong=forms[wrong_value],
        attractors=tuple(index for index in modifier_nouns if index > cue) if is_opposed else (),
        tokens=tuple(token.form for token in tokens),
        upos=tuple(token.upos for token in tokens),
        feats=tuple(token.feats for token in tokens),
        spaces=tuple(token.space for token in tokens),
        seed=seed,
        flags=tuple(flag for source_name, flag in FLAG_BY_SOURCE.items() if source_name in sources),
        cue_feature="Number",
        target_feature=kind.feature,
        wrong_value=wrong_value,
        wrong_forms={wrong_value: forms[wrong_value]},
    )


def _evidence(chosen: ComposedSet, material: SetMaterial) -> dict[str, object]:
    """Return the words and modifiers of a set with their counts in the treebank; each of its items
    keeps them in its fact `evidence`."""
    agrees = material.counts.agreement[chosen.option.kind]  # does the target agree? → uses
    n_head = sum(counts.total() for counts in material.counts.nouns[chosen.head].values())
    return {
        "agreement": [agrees[True], agrees.total()],
        "head": [chosen.head, n_head],
        "modifiers": [[modifier.name, modifier.n] for modifier in chosen.modifiers],
        "nouns": list(chosen.nouns),
        "openings": [opening.parts for opening in chosen.openings],
        "target": [
            [filled.form, filled.n, filled.source] for _, filled in sorted(chosen.forms.items())
        ],
    }
