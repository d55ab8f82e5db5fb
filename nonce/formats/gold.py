"""The paper's own sets: `generated.text`, `.gold` and `.eval` (Gulordava et al. 2018); read only.

The `.gold` has twelve cells (mining facts §1.7): pattern, number of the original, variant, index of
the target, its POS and FEATS, right and wrong form, lemma, index and POS of the cue, and the words
of the original or, in the Italian set, the tags between. It tells more than the `.tab` of the same
set; the items are the same, under the same ids.
"""

import re
from dataclasses import replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.nonce.formats import Format, read_only
from colorless_green.nonce.formats.aligned import Line, gold_of, read_lines, whole
from colorless_green.nonce.formats.tab import clustered, released_item
from colorless_green.nonce.item import Item
from colorless_green.nonce.suite import Suite, checked

N_CELLS = 12
PATTERN = re.compile(
    r"(?P<direction>[LR])!(?P<tags>[^!]+)!Number=(?P<one>[^!]+)!Number=(?P<other>[^!]+)"
)
NUMBER = re.compile(r"(?:^|\|)Number=(?P<value>[^|]+)")
LARGEST = 10**9


def read(path: Path) -> Suite:
    """The suite of a set, by any of its files or their folder; named after the `.gold`.

    The right form is put into the sentence, where the published variants have another word.
    Raises `InputError` with the line of what is not of the format.
    """
    gold = gold_of(path) or path
    items = clustered([_item(gold, line) for line in read_lines(path, N_CELLS, 3)])
    if not items:
        raise InputError(str(gold), "no line in it", "twelve cells a line", kind="empty")
    return checked(Suite(gold.name.removesuffix(".gz").removesuffix(".gold"), items), str(gold))


def _item(path: Path, line: Line) -> Item:
    pattern, number, variant, target, upos, feats, right, wrong, lemma, cue, cue_upos, _ = (
        line.cells
    )
    match = PATTERN.fullmatch(pattern)
    value = NUMBER.search(feats)
    if match is None or value is None:
        wrong_cell = repr(feats if match else pattern)[:60]
        raise InputError(
            line.place, wrong_cell, "a pattern like L!NOUN_VERB!Number=Plur!Number=…", kind="format"
        )
    target_index = whole(target, line.place, len(line.tokens))
    made = released_item(
        path,
        construction=f"{match['direction']}__{match['tags']}",
        number=whole(number, line.place, LARGEST),
        variant=whole(variant, line.place, LARGEST),
        value=value["value"],
        tokens=line.tokens,
        span=(whole(cue, line.place, target_index), target_index),
        forms=(right, wrong),
    )
    assert made.agreement is not None
    agreement = replace(
        made.agreement,
        values=tuple(sorted((match["one"], match["other"]))),
        cue_upos=cue_upos,
        target_upos=upos,
        target_feats=feats,
        lemma=lemma,
    )
    return replace(made, agreement=agreement)


FORMAT = Format(read, read_only("gold"))
