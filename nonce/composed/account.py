"""The account of composed sets: the blocks that there were, and what speaks against more sets."""

from collections import Counter

from ...data.result import Result
from .blocks import SetMaterial
from .choice import SetChoice
from .options import Options
from .phrase import position_name, shortages
from .thresholds import T

HIDDEN = ("language", "n_heads_used", "n_predicates_used", "n_filled", "reason")
PREDICATES = ("verb", "participle", "adjective", "auxiliary", "copula")


def composition(blocks: SetMaterial, choice: SetChoice, name: str, n_sets: int) -> Result:
    """Return which blocks there were and what was made of them, in one row, and what speaks against
    more sets."""
    sets, n_within, wider, relatives, predicates_of = choice
    cases = sorted({(kind.case, blocks.definite(kind.case)) for kind in blocks.kinds})
    heads = {lemma for cell in cases for lemma in blocks.pairs(*cell)}
    options = predicates_of.main if blocks.kinds else ()
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
        "n_relative_sets": len(relatives),
        "n_items": sum(len(chosen.cells) for chosen in (*sets, *relatives)),
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
    reasons = shortfalls(blocks, len(heads), predicates_of) if falls_short else []
    row["reason"] = "; ".join(reasons) or None
    messages = [f"{name}: {len(sets):,} sets" + (f" ({'; '.join(reasons)})" if reasons else "")]
    if relatives:
        messages.append(f"{len(relatives):,} sets more whose target is in a relative clause")
    if wider == "auxiliary":
        n_closed = sum(chosen.option.is_closed for chosen in sets)
        messages.append(
            f"copula or auxiliary is the target in {n_closed / len(sets):.0%} of them; no more "
            f"than {n_within} sets keep that to {T['spread_auxiliary']:.0%}"
        )
    if "opener" in wider:
        messages.append(
            f"one object pronoun may begin any of them; no more than {n_within} sets keep each to "
            f"{T['spread_opener']:.0%}"
        )
    if "predicate" in wider:
        peak = max(Counter(chosen.option.name for chosen in sets if chosen.option.name).values())
        messages.append(
            f"a predicate is in up to {peak / len(sets):.1%} of them; no more than {n_within} sets "
            f"keep that to {T['spread_predicate']:.0%}"
        )
    columns = [key for key in row if key not in HIDDEN]
    return Result(rows=[row], columns=columns, messages=messages, found=bool(sets))


def shortfalls(blocks: SetMaterial, n_heads: int, predicates: Options) -> list[str]:
    """Say what speaks against more sets of a language."""
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
        several = (option for option in predicates.main if len(predicates.fitting(option)) > 1)
        names = {option.name for option in several} - {""}
        if len(names) < 1 / T["spread_predicate"]:
            detail = f"{len(names)} predicates that go with more than one head"
            lacking: Counter[str] = Counter()
            for _, why in blocks.targets.values():
                lacking += why
            if lacking:
                detail += f" (others: {', '.join(f'{k} {n}' for k, n in lacking.most_common(3))})"
            reasons.append(detail)
        barred = Counter(option.key for option in predicates.main if not predicates.fitting(option))
        if barred:
            reasons.append(f"{len(barred)} predicates with which no head is a subject alone")
    return reasons
