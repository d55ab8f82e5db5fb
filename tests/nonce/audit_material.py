"""Pairs to audit, written as short as they can be read."""

from collections.abc import Sequence
from itertools import count

from colorless_green.data import Item, Region
from colorless_green.nonce import AuditResult
from tests.nonce.agreeing import agreeing

NUMBERS = count()


def sentences(
    right: str, wrong: str, *, cluster: str = "", kind: str = "suite", **facts: str
) -> Item:
    """Return a pair of sentences of one region each, as from a published set."""
    item_id = f"i{next(NUMBERS)}"
    conditions = {
        name: ((Region("sentence", tuple(text.split()), text),),)
        for name, text in (("right", right), ("wrong", wrong))
    }
    return Item(item_id, kind, cluster or item_id, "en", "set", "", conditions, facts=facts)


def agreeing_pair(
    tokens: str,
    wrong: str,
    *,
    cluster: str = "",
    kind: str = "original",
    construction: str = "L__NOUN_VERB",
    values: Sequence[str] = ("Plur", "Sing"),
) -> Item:
    """Return an item of agreement from tokens `form/UPOS/Number` (`-` for no Number): the first
    is the cue, the last the target, whose value is the item's. Forms alone, the last with
    `/Number`, leave the item unannotated."""
    cells = [token.split("/") for token in tokens.split()]
    value = cells[-1][-1]
    forms = tuple(cell[0] for cell in cells)
    annotated = len(cells[0]) == 3
    item_id = f"i{next(NUMBERS)}"
    return agreeing(
        item_id,
        forms,
        0,
        len(forms) - 1,
        wrong,
        item={"kind": kind, "cluster_id": cluster or item_id},
        construction=construction,
        values=tuple(values),
        value=value,
        upos=tuple(cell[1] for cell in cells) if annotated else (),
        feats=tuple(_feats(cell[2]) for cell in cells) if annotated else (),
    )


def _feats(value: str) -> str:
    return "_" if value == "-" else f"Number={value}"


def best(audit: AuditResult) -> str:
    """Return the baseline that the verdict begins with."""
    return next(str(row["baseline"]) for row in audit.rows if row.get("verdict"))
