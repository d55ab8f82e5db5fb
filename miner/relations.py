"""The relations that dependencies can have, and whether those that are asked for are any.

UD's are the 37 universal ones and the subtypes that its guidelines list for several languages;
SUD's are those of Surface-Syntactic Universal Dependencies. A treebank may have others besides.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.registry import nearest
from colorless_green.miner.lines import lines_with

UD = """
    acl acl:relcl advcl advcl:relcl advmod advmod:emph advmod:lmod amod appos aux aux:pass case cc
    cc:preconj ccomp clf compound compound:lvc compound:prt compound:redup compound:svc conj cop
    csubj csubj:outer csubj:pass dep det det:numgov det:nummod det:poss discourse dislocated expl
    expl:impers expl:pass expl:pv fixed flat flat:foreign flat:name goeswith iobj list mark nmod
    nmod:poss nmod:tmod nsubj nsubj:outer nsubj:pass nummod nummod:gov obj obl obl:agent obl:arg
    obl:lmod obl:tmod orphan parataxis punct reparandum root vocative xcomp
"""
SUD = "comp comp:aux comp:cleft comp:obj comp:obl comp:pred mod subj udep unk"


def check_relations(
    asked: Sequence[str], files: Iterable[Path], option: str = "--relation"
) -> None:
    """Raises `InputError` for a relation that is none of UD or SUD nor of the treebank in `files`,
    which is read only if one is neither; a subtype stands for its relation too."""
    strange = [each for each in asked if each not in (UD + SUD).split()]
    if not strange:
        return
    there = {
        cells[7].decode(errors="replace")
        for path in files
        for line in lines_with(path, b"\t")
        if len(cells := line.split(b"\t", 8)) > 7 and cells[7] != b"_"
    }
    known = there | {each.partition(":")[0] for each in there}
    for each in strange:
        if there and each not in known:
            raise InputError(
                option,
                f"no dependency of the treebank has the relation {each!r}",
                nearest(each, sorted(there)),
                kind="unknown",
            )
