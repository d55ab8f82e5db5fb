"""The account of composed sets: the blocks that there were, and what speaks against more sets."""

from collections import Counter
from collections.abc import Iterator

from ...data.result import Result
from .blocks import SetMaterial
from .choice import SetChoice
from .options import Options
from .phrase import shortages
from .thresholds import T

HIDDEN = ("treebank", "language", "n_within_limits", "n_heads_used", "reason")
PREDICATES = ("verb", "participle", "adjective", "auxiliary", "copula")


def composition(material: SetMaterial, choice: SetChoice, name: str, n_sets: int) -> Result:
    """Return which blocks there were and what was made of them, in one row, and what speaks against
    more sets."""
    sets, n_within, wider, relatives, predicates = choice
    cases = {(kind.case, material.definite(kind.case)) for kind in material.kinds}
    heads = {lemma for cell in cases for lemma in material.pairs(*cell)}
    options = {(option.kind.target, option.kind, option.key) for option in predicates.main}
    n_options = Counter(target for target, *_ in options)
    used = Counter(modifier.name for chosen in sets for modifier in chosen.modifiers)
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
        "n_modifiers": len(material.inner),
        "modifiers": ", ".join(f"{kind} {n}" for kind, n in used.most_common()) or None,
        **{f"n_{kind}": n_options[kind] for kind in PREDICATES},
        "reason": "; ".join(reasons) or None,
    }
    messages = [f"{name}: {len(sets):,} sets" + (f" ({row['reason']})" if reasons else "")]
    if relatives:
        messages.append(f"{len(relatives):,} sets more whose target is in a relative clause")
    if wider:
        messages.append(f"{n_within} sets are within all limits; that on {wider} is wider")
    columns = [key for key in row if key == "n_sets" or (row[key] and key not in HIDDEN)]
    return Result(rows=[row], columns=columns, messages=messages, found=bool(sets))


def _shortfalls(material: SetMaterial, n_heads: int, predicates: Options) -> Iterator[str]:
    """Yield what speaks against more sets of a language."""
    if not material.kinds:
        agreement = material.counts.agreement.items()
        rates = [
            f"{kind.target} ({kind.feature}{', ' + kind.case if kind.case else ''}) "
            f"{seen[True] / seen.total():.0%} of {seen.total()}"
            for kind, seen in sorted(agreement, key=lambda entry: -entry[1].total())[:3]
        ]
        detail = "; ".join(rates) or "no target with Number after a noun"
        yield f"no subject construction is accepted ({detail})"
    elif not material.inner:
        near = sorted(
            ((seen.uses["subject"], position.name, lack)
             for position, seen in material.counts.positions.items()
             if position.kind != "subject" and seen.uses["subject"] and (lack := shortages(seen))),
            reverse=True,
        )  # fmt: skip
        detail = "; ".join(f"{name}: {lack}" for _, name, lack in near[:2])
        detail = f" ({detail}; more text would do)" if detail else ""
        yield f"nothing is productive between subject and target{detail}"
    else:
        if n_heads < 1 / T["spread_head"]:
            yield f"{n_heads} heads"
        names = {option.name for option in predicates.main if len(predicates.fitting(option)) > 1}
        if len(names - {""}) < 1 / T["spread_predicate"]:
            lacking = sum((why for _, why in material.targets.values()), Counter[str]())
            reasons = ", ".join(f"{why} {n}" for why, n in lacking.most_common(3))
            others = f" (others: {reasons})" if reasons else ""
            yield f"{len(names - {''})} predicates that go with more than one head{others}"
        barred = {option.key for option in predicates.main if not predicates.fitting(option)}
        if barred:
            yield f"{len(barred)} predicates with which no head is a subject alone"
