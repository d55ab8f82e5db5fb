"""Words between cue and target that could tempt a reader away from the cue."""

from collections.abc import Mapping, Sequence

from colorless_green.miner.features import agreement_value, value_of


def attractors(
    upos: Sequence[str],
    feats: Sequence[str],
    cue: int,
    target: int,
    feature: str,
    *,
    cue_upos: str,
    value: str,
    equivalent: bool = False,
) -> tuple[int, ...]:
    """Indices of words strictly between with the cue's POS and another value of `feature`.

    By the words' own annotation (Gulordava et al. 2018, §4); a word without the feature is none.
    `cue` and `target` are 0-based indices, cue < target. With `equivalent`, values that agreement
    does not tell apart are one (a plurale tantum is no attractor beside a plural).
    """
    found: list[int] = []
    for index in range(cue + 1, target):
        own = value_of(feats[index], feature) if upos[index] == cue_upos else None
        if own is not None and (agreement_value(feature, own) if equivalent else own) != value:
            found.append(index)
    return tuple(found)


def scripts_count(
    forms: Sequence[str],
    cue: int,
    target: int,
    *,
    analyses: Mapping[str, Sequence[tuple[str, str, int]]],
    cue_upos: str,
    feature: str,
    value: str,
) -> int:
    """The published `n_attr`: a look-up of word forms, not of this sentence's annotation.

    `analyses`: form (all letters) → (UPOS, FEATS, count). A form between cue and target counts if
    some analysis seen at least a tenth as often as its most frequent one has the cue's POS and
    another value, Sing or Plur, than the target's (`utils.is_attr` of the paper's repository). An
    ambiguous form counts although it is something else here; used for the `.tab` export alone.
    """
    return sum(
        _may_attract(analyses.get(form, ()), cue_upos, feature, value)
        for form in forms[cue + 1 : target]
    )


def _may_attract(
    analyses: Sequence[tuple[str, str, int]], cue_upos: str, feature: str, value: str
) -> bool:
    most = max((n for _, _, n in analyses), default=0)
    return any(
        upos == cue_upos
        and 10 * n >= most
        and value_of(feats, feature) in {"Sing", "Plur"} - {value}
        for upos, feats, n in analyses
    )
