"""The paper's words (Gulordava et al. 2018, §2): every instance agrees, ten of each value.

Where the paper is silent (mining facts §3.2): multiword tokens are merged and the arcs of all but
their first word dropped; there is no upper limit between cue and target and no test of
projectivity; punctuation is neither cue nor target.
"""

from collections.abc import Iterator, Mapping

from colorless_green.miner.construction import Construction, Table
from colorless_green.miner.features import Values
from colorless_green.miner.paradigms import Paradigms
from colorless_green.miner.rule import End, Found, Instance, Replacement, Rule
from colorless_green.miner.surface import Arc, Surface, arcs_of

MIN_DISTANCE = 4  # at least 3 tokens between
MIN_COUNT = 10  # instances of each value


def instances(surface: Surface, values: Values) -> Found:
    """Arcs with at least 3 tokens between; the context is the POS of the tokens between whose head
    is not itself between. Direction is no part of the key ("independently of which element is the
    head")."""
    heads, upos = surface.heads, surface.upos
    own = [values[feats] for feats in surface.feats]
    found: list[Instance] = []
    n_arcs = n_near = n_kept = 0
    for dependent, head, _ in arcs_of(surface):
        n_arcs += 1
        cue, target = (dependent, head) if dependent < head else (head, dependent)
        if target - cue < MIN_DISTANCE:
            continue
        n_near += 1
        if upos[cue] == "PUNCT" or upos[target] == "PUNCT":
            continue
        n_kept += 1
        cue_value, target_value = own[cue], own[target]
        if cue_value is None or target_value is None:
            continue
        context = [
            upos[index]
            for index in range(cue + 1, target)
            if not cue < heads[index] < target or heads[index] == index
        ]
        key = f"X__{'_'.join([upos[cue], *context, upos[target]])}"
        found.append(Instance(key, cue_value, target_value, Arc(dependent, head)))
    return Found(found, n_arcs, n_near, n_kept)


def decide(feature: str, tables: Mapping[str, Table]) -> list[Construction]:
    """One verdict for each key, in the order of first occurrence."""
    return [_verdict(feature, key, table) for key, table in tables.items()]


def _verdict(feature: str, key: str, table: Table) -> Construction:
    reason = "; ".join(_objections(table))
    frequent = sorted(cue for (cue, target), n in table.items() if cue == target and n >= MIN_COUNT)
    values = frequent if not reason else sorted({cue for cue, _ in table})
    return Construction(key, feature, tuple(values), table, not reason, reason)


def _objections(table: Table) -> Iterator[str]:
    n_wrong = sum(n for (cue, target), n in table.items() if cue != target)
    if n_wrong:
        yield f"{n_wrong} do not agree"
    values = sorted({value for cell in table for value in cell})
    enough = [value for value in values if table.get((value, value), 0) >= MIN_COUNT]
    if len(values) < 2:
        yield f"one value only ({values[0]})"
    elif len(enough) < 2:
        rare = [f"{table.get((value, value), 0)} with {value}" for value in values]
        yield f"{', '.join(rare)}, needs {MIN_COUNT} of two values"


def unfit(cue: End, target: End) -> str:
    """Nothing more than `instances` has asked."""
    return ""


def partner(
    paradigms: Paradigms, vocabulary: frozenset[str], target: End, feature: str, value: str
) -> tuple[str, str]:
    """The most frequent other form, known and different from the target, equal in all but the
    feature."""
    forms = paradigms.partners(target.lemma, target.upos, target.feats, feature, value)
    if not forms:
        return "", f"no paradigm: {target.lemma} with {feature}={value}"
    different = [form for form in forms if form != target.form]
    if not different:
        return "", f"equal forms: {target.form} with {feature}={value} too"
    known = [form for form in different if form in vocabulary]
    if not known:
        return "", f"the other form is out of vocabulary: {different[0]}"
    return known[0], ""


RULE = Rule(
    name="strict",
    near="3 or more tokens between",
    kept="no punctuation at either end",
    ghosts=False,
    letters_only=False,
    instances=instances,
    decide=decide,
    unfit=unfit,
    partner=partner,
    replacement=Replacement(
        other_pos_share=0.10, min_count=1, letters_only=False, same_class=False, pure_lemma=False
    ),
)
