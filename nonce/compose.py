"""Composed sets: short beginnings with all their cells, made of what a treebank shows.

A set has one head, one predicate and one or two modifiers. Its cells are value × what stands
between (nothing; a modifier in the same number; in the opposite one; for each kind of modifier, and
two of them), with the same words in all.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..data.errors import InputError
from ..data.files import Paths, demand_file, listed_paths
from ..data.formats import format_to_write, write_suite
from ..data.items.item import Agreement, Item, item_id, pair
from ..data.items.suite import Suite
from ..data.load import mark_newest, saved
from ..data.memo import remember, remembered_result, request_key
from ..data.progress import Progress, silent
from ..data.registry import Names, listed
from ..data.result import Result
from ..data.store import StoreLike, open_store
from ..miner.mine import Mining
from ..miner.mining_rows import load_constructions, load_mining, mined_treebank
from ..miner.originals.wrong_form import UNIMORPH_LICENCE
from ..miner.treebank.repair import REPAIRS
from ..miner.treebank.treebank import Treebank, named_word_lists, sentences
from ..miner.treebank.treebank import treebank as treebank_of
from ..miner.treebank_mining import repair_for
from .composed.blocks import PredicateOption, SetMaterial
from .composed.choice import OPPOSITE, ComposedSet, SetChoice, choose
from .composed.clause import count_treebank
from .composed.phrase import position_name, shortages
from .composed.suffixes import RULE, UNIMORPH
from .composed.thresholds import T


def compose(
    mining: Mining | None = None,
    *,
    n_sets: int = 500,
    attractors: int = 2,
    treebank: Paths = None,
    unimorph: Names = None,
    seed: int = 0,
    out: str | Path | None = None,
    store: StoreLike = None,
    progress: Progress = silent,
) -> Suite:
    """Makes composed sets: short prefixes built from productive phrases of a treebank.

    Args:
        mining: whose accepted constructions are composed, and whose files are one lexicon; None:
            the newest mining of the store.
        n_sets: maximum number of sets; limits on the spread of words may allow fewer.
        attractors: maximum number of modifiers between head and target, 1 or 2.
        treebank: where blocks come from; None: what was mined.
        unimorph: `LANGUAGE=FILE` of UniMorph lists, for forms missing from the treebank.
        seed: the same seed gives the same sets.
        out: a file for the items, in the format its ending says.
        store: where the sets are kept and the mining is looked up; None: that of the mining.
        progress: called with (task, done, total) as the work proceeds.

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
    if out is not None:
        format_to_write(Path(out))
        demand_file(Path(out))
    if store is None and mining is not None:
        store = mining.kept.store
    with open_store(store) as opened_store:
        row = load_mining(opened_store, mining.kept.id if mining is not None else None)
        if row is None:
            raise InputError("--composed", "no mining in the store", "colorless mine", kind="empty")
        treebank_id = int(row["treebank_id"])
        paths = listed_paths(treebank)
        source = treebank_of(paths, language=row["language"]) if paths else mined_treebank(row)
        if source is None:
            wrong = "the store does not say what was mined"
            raise InputError("--treebank", wrong, "name it", kind="missing")
        lists = named_word_lists(listed(unimorph))
        word_list = lists.get(source.language.split("-")[0])
        key = request_key(
            "compose", row["key"], source.name, source.language, source.licence, *source.files,
            *listed_paths(word_list), n_sets, attractors, treebank is None, seed,
        )  # fmt: skip
        remembered = remembered_result(opened_store, key)
        if remembered is not None:
            suite_id, stored = remembered
            suite = replace(mark_newest(opened_store, suite_id), account=Result(**stored))
        else:
            verdicts: dict[str, str] = {}
            for record in load_constructions(opened_store, treebank_id):
                name, verdict = str(record["construction"]), str(record["verdict"])
                verdicts[name] = min(verdict, verdicts.get(name, verdict))  # accepted comes first
            repair = REPAIRS.get(repair_for(source, "auto"))
            on_bad = None if treebank is not None else (lambda fault: None)
            counts = count_treebank(
                sentence for _, sentence in sentences(source, repair=repair, on_bad=on_bad)
            )
            progress("blocks", 1, 2)
            blocks = SetMaterial(counts, source.language, verdicts, word_list)
            choice = choose(blocks, n_sets, seed, attractors)
            progress("sets", 2, 2)
            items = tuple(
                item
                for number, chosen in enumerate(choice.sets)
                for item in items_of(chosen, number, blocks, source, seed, wider=choice.wider)
            )
            suite_name = f"{source.name}/composed" + (f"/seed{seed}" if seed else "")
            account = composition(blocks, choice, source.name, n_sets)
            suite = Suite(suite_name, items, account=account)
            if items:
                suite = saved(opened_store, suite, "composed", treebank_id)
                assert suite.kept is not None
                remember(opened_store, key, account, suite.kept.id)
    if out is not None and suite.items:
        write_suite(suite, Path(out))
    return suite


def items_of(
    chosen: ComposedSet,
    number: int,
    blocks: SetMaterial,
    source: Treebank,
    seed: int,
    *,
    wider: str = "",
) -> list[Item]:
    """The items of a set, one a cell. `wider`: which limit was widened to make so many sets."""
    kind = chosen.option.kind
    forms = {value: filled.form for value, filled in chosen.forms.items()}
    set_id = item_id(
        source.name, "composed", seed, number, kind, chosen.head, *chosen.nouns, *forms.values(),
        *(modifier.name for modifier in chosen.modifiers), chosen.option.name,
    )  # fmt: skip
    construction = blocks.construction(kind)
    shared = {
        "target_kind": kind.target,
        "head": chosen.head,
        "predicate": chosen.option.name,
        "evidence": json.dumps(_evidence(chosen, blocks), ensure_ascii=False),
    }
    if blocks.word_list is not None:  # any word may be from there
        shared |= {"words_from": "UniMorph", "words_licence": UNIMORPH_LICENCE}
    sources = {filled.source for filled in chosen.forms.values()}
    flags = tuple(
        flag for flag, name in (("filled_form", RULE), ("unimorph", UNIMORPH)) if name in sources
    )
    feature, predicate = chosen.option.kind.feature, chosen.option.target.predicate
    items = []
    for cell in chosen.cells:
        tokens = blocks.writer.tokens(cell.words)
        cue = next(index for index, token in enumerate(tokens) if token.role == "cue")
        intervening = [index for index, token in enumerate(tokens) if token.role == "attractor"]
        target = len(tokens) - 1
        wrong_value = "Plur" if cell.value == "Sing" else "Sing"
        agreement = Agreement(
            treebank=source.name,
            file="",
            sent_id="",
            rule="composed",
            construction=construction,
            number=number,
            feature=feature if feature == "Number" else f"Number~{feature}",
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
            gap=target - cue - 1,
            attractors=tuple(i for i in intervening if cell.relation == OPPOSITE and i > cue),
            tokens=tuple(token.form for token in tokens),
            upos=tuple(token.upos for token in tokens),
            feats=tuple(token.feats for token in tokens),
            spaces=tuple(token.space for token in tokens),
            seed=seed,
            flags=flags,
            cue_feature="Number",
            target_feature=feature,
            wrong_value=wrong_value,
            wrong_forms={wrong_value: forms[wrong_value]},
        )
        facts = shared | {
            "relation": cell.relation,
            "modifier": "+".join(chosen.modifiers[index].name for index in cell.modifiers),
            "n_modifiers": str(len(cell.modifiers)),
        }
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
                facts=facts | ({"over_limit": wider} if wider else {}),
            )
        )
    return items


def _evidence(chosen: ComposedSet, blocks: SetMaterial) -> dict[str, object]:
    """The blocks of a set with how often each was seen."""
    agreement = blocks.harvest.agreement[chosen.option.kind]
    return {
        "agreement": [agreement[True], agreement.total()],
        "head": [chosen.head, sum(c.total() for c in blocks.harvest.nouns[chosen.head].values())],
        "modifiers": [[modifier.name, modifier.n] for modifier in chosen.modifiers],
        "nouns": list(chosen.nouns),
        "target": [
            [filled.form, filled.n, filled.source] for _, filled in sorted(chosen.forms.items())
        ],
    }


def composition(blocks: SetMaterial, choice: SetChoice, name: str, n_sets: int) -> Result:
    """What blocks there were and what was made of them: one row, and what stands against more."""
    sets, n_within, wider = choice
    cases = sorted({(kind.case, blocks.definite(kind.case)) for kind in blocks.kinds})
    heads = {lemma for cell in cases for lemma in blocks.pairs(*cell)}
    options = blocks.options if blocks.kinds else ()
    predicates = Counter[str]()
    for kind in blocks.kinds:
        names = {option.name or option.target.predicate.lemma for option in options
               if option.kind == kind}  # fmt: skip
        predicates[kind.target] += len(names)
    used = Counter(modifier.name for chosen in sets for modifier in chosen.modifiers)
    row: dict[str, str | int | None] = {
        "treebank": name,
        "language": blocks.language,
        "n_sets": len(sets),
        "n_within_limits": n_within,
        "n_items": sum(len(chosen.cells) for chosen in sets),
        "n_heads": len(heads),
        "n_heads_used": len({chosen.head for chosen in sets}),
        "n_modifiers": len(blocks.inner) if blocks.kinds else 0,
        "modifiers": ", ".join(f"{kind} {n}" for kind, n in used.most_common()) or None,
        **{f"n_{kind}": predicates[kind] for kind in PREDICATES},
        "n_predicates_used": len({chosen.option.name for chosen in sets} - {""}),
        "n_filled": sum(
            any(f.source != "treebank" for f in chosen.forms.values()) for chosen in sets
        ),
    }
    falls_short = len(sets) < n_sets or n_within < len(sets)
    reasons = shortfalls(blocks, len(heads), options) if falls_short else []
    row["reason"] = "; ".join(reasons) or None
    messages = [f"{name}: {len(sets):,} sets" + (f" ({'; '.join(reasons)})" if reasons else "")]
    if wider == "auxiliary":
        n_closed = sum(chosen.option.is_closed for chosen in sets)
        messages.append(
            f"copula or auxiliary is the target in {n_closed / len(sets):.0%} of them; no more "
            f"than {n_within} sets keep that to {T['spread_auxiliary']:.0%}"
        )
    elif wider:
        peak = max(Counter(chosen.option.name for chosen in sets if chosen.option.name).values())
        messages.append(
            f"a predicate is in up to {peak / len(sets):.1%} of them; no more than {n_within} sets "
            f"keep that to {T['spread_predicate']:.0%}"
        )
    columns = [key for key in row if key not in HIDDEN]
    return Result(rows=[row], columns=columns, messages=messages, found=bool(sets))


def shortfalls(blocks: SetMaterial, n_heads: int, options: Sequence[PredicateOption]) -> list[str]:
    """What stands against sets of a language, in sentences."""
    reasons = []
    if not blocks.kinds:
        rates = [
            f"{kind.target} ({kind.feature}{', ' + kind.case if kind.case else ''}) "
            f"{seen[True] / seen.total():.0%} of {seen.total()}"
            for kind, seen in sorted(
                blocks.harvest.agreement.items(), key=lambda entry: -entry[1].total()
            )[:3]
        ]
        detail = "; ".join(rates) or "no target with Number after a noun"
        reasons.append(f"no subject construction is accepted ({detail})")
    elif not blocks.inner:
        positions = blocks.harvest.positions.items()
        near = sorted(
            ((uses.n_subjects, position_name(position), lack) for position, uses in positions
             if position.kind != "subject" and uses.n_subjects and (lack := shortages(uses))),
            reverse=True,
        )  # fmt: skip
        detail = "; ".join(f"{name}: {lack}" for _, name, lack in near[:2])
        detail = f" ({detail}; more text would do)" if detail else ""
        reasons.append(f"nothing is productive between subject and target{detail}")
    else:
        if n_heads < 1 / T["spread_head"]:
            reasons.append(f"{n_heads} heads")
        names = {option.name for option in options if len(blocks.fitting(option)) > 1} - {""}
        if len(names) < 1 / T["spread_predicate"]:
            detail = f"{len(names)} predicates that go with more than one head"
            lacking: Counter[str] = Counter()
            for _, why in blocks.targets.values():
                lacking += why
            if lacking:
                detail += f" (others: {', '.join(f'{k} {n}' for k, n in lacking.most_common(3))})"
            reasons.append(detail)
        barred = Counter(
            option.name or option.target.predicate.lemma
            for option in options
            if not blocks.fitting(option)
        )
        if barred:
            reasons.append(f"{len(barred)} predicates with which the head can be read as object")
    return reasons


HIDDEN = ("language", "n_heads_used", "n_predicates_used", "n_filled", "reason")
PREDICATES = ("verb", "participle", "adjective", "auxiliary", "copula")
