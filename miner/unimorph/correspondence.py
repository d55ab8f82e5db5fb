"""From UD's tags to UniMorph's: what a word's UPOS and FEATS are called in a UniMorph bundle.

The table is `ud.tsv`: UD feature, UD value, UniMorph value. `UPOS` stands among the features;
`Layer` says which argument of UniMorph a layered feature speaks of (`Number[psor]=Sing` is
`PSS(SG)`). What is not in the table has no counterpart: Poss, NumType and PronType as a whole, the
values Count, Ptan and Coll of Number, Pos of Degree. The correspondences are those of McCarthy et
al. 2018, Marrying Universal Dependencies and Universal Morphology.
"""

import re
from functools import lru_cache
from pathlib import Path

from colorless_green.data.tables import read_tsv
from colorless_green.miner.features import CACHED, parse_feats
from colorless_green.miner.unimorph.bundle import Bundle, canonical

LAYERED = re.compile(r"(.+)\[(.+)\]")
TABLE = {
    (row["feature"], row["value"]): row["unimorph"]
    for row in read_tsv(Path(__file__).with_name("ud.tsv"))
}


def unimorph_value(feature: str, value: str) -> str | None:
    """The UniMorph value of one UD feature; `None` if it has none.

    Several values of one feature (`Acc,Nom`) become alternatives (`NOM/ACC`), those without a
    counterpart left out. A layered feature becomes its argument's slot: `PSS(SG)`.
    """
    layered = LAYERED.fullmatch(feature)
    name = layered[1] if layered else feature
    known = [TABLE[name, each] for each in value.split(",") if (name, each) in TABLE]
    slot = TABLE.get(("Layer", layered[2])) if layered else ""
    if not known or slot is None:
        return None
    joined = "/".join(known)
    return canonical(f"{slot}({joined})" if slot else joined)


@lru_cache(maxsize=CACHED)
def bundle_of(upos: str, feats: str) -> Bundle:
    """The UniMorph bundle of a UD word, `feats` as CoNLL-U writes it.

    What has no counterpart is left out (`left_out` lists it); a bundle may be empty. Layers of one
    argument share a slot: `Number[psor]=Sing|Person[psor]=3` gives `PSS(3,SG)`.
    """
    values: set[str] = set()
    slots: dict[str, list[str]] = {}
    for feature, value in {"UPOS": upos, **parse_feats(feats)}.items():
        found = unimorph_value(feature, value)
        if found is not None and feature.endswith("]"):
            name, _, inner = found.removesuffix(")").partition("(")
            slots.setdefault(name, []).append(inner)
        elif found is not None:
            values.add(found)
    return frozenset(values | {canonical(f"{name}({','.join(x)})") for name, x in slots.items()})


def left_out(upos: str, feats: str) -> tuple[str, ...]:
    """What `bundle_of` leaves out, as `UPOS=PUNCT` or `Number=Ptan`, in the order of the word."""
    entries = {"UPOS": upos, **parse_feats(feats)}.items()
    return tuple(
        f"{feature}={value}" for feature, value in entries if unimorph_value(feature, value) is None
    )
