"""Example sentences, and the form that people and each model chose.

The parts of a sentence are marked: the cue (the word that the target agrees with), the target with
both forms, attractors (words between that could lead astray), and words that are not the
original's.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...data.items.item import Agreement, Item, sentence_text
from ...data.languages import direction
from ...data.registry import counted
from ...nonce.variants.ambiguity import FINDINGS
from ..judgments.lookup import forms_of, printed_text
from ..statistics.rater_accuracy import HUMANS
from . import _parts as fmt
from ._accuracies import composed_cell
from ._construction_words import in_words
from ._parts import Column, Table
from ._report_data import ReportData, examples


def flags_table(material: ReportData) -> Table:
    """Return the table of flags. A flag marks an item that may be unsound; each row has a flag,
    its meaning and the number of items that carry it."""
    agreements = [item.agreement for item in material.items.values() if item.agreement is not None]
    n_items = Counter(flag for agreement in agreements for flag in agreement.flags)
    rows = [
        {"flag": flag, "n": n,
         # the asterisks are emphasis in Markdown
         "meaning": FINDINGS[flag].meaning.replace("*", "") if flag in FINDINGS
         else f"flag “{flag}”"}
        for flag, n in sorted(n_items.items())
    ]  # fmt: skip
    columns = [Column("flag", "meaning flag"), Column("items", "n", fmt.count_cell)]
    return Table("flags", "Items that may be doubtful", columns, rows)


_Verdict = tuple[str, str, str, bool | None]
"""A rater's label, the form it chose, its margin or count, and if that is right (None: a tie)"""


@dataclass(frozen=True, slots=True)
class SentencePiece:
    """A word of a sentence, or a whole sentence, and the white space that stands before it."""

    before: str
    text: str
    role: str = ""  # "cue", "attractor", "target" or ""
    wrong: str = ""  # the wrong form of a target
    new: bool = False  # true if the original has another word here


def example_groups(material: ReportData) -> Iterator[Mapping[str, Any]]:
    """Yield a record for each construction (over suites, each circuit): its name, the name in
    words, and example sentences with what people and models chose."""
    for name, items in examples(material):
        first = items[0]
        yield {
            "construction": name,
            "in_words": in_words(name),
            "sentences": [
                line
                for item in items
                for line in _example_sentences(
                    _example_label(item),
                    item,
                    first.agreement if item.cluster_id == first.cluster_id else None,
                    _item_verdicts(item, material),
                )
            ],
        }


def _example_label(item: Item) -> str:
    """Return the label of an example sentence, such as `original, Number=Sing, 3 words between`.
    A composed item is named by the nouns between head and target instead of its kind. Return ""
    for an item that is not about agreement."""
    agreement = item.agreement
    if agreement is None:
        return ""
    name = f"nonce variant {agreement.variant}" if item.kind == "nonce" else item.kind
    name = composed_cell(item) or name
    distance = counted(agreement.gap, "word")
    return f"{name}, {agreement.feature}={agreement.value}, {distance} between"


def _example_sentences(
    name: str, item: Item, original: Agreement | None, verdicts: Sequence[_Verdict]
) -> Iterator[Mapping[str, Any]]:
    """Yield the example sentences of an item as records for the template. An agreement item has
    one, its right sentence with marked parts. Any other item has one for each condition, and the
    verdicts (what people and models chose) stand below the last."""
    written = {"language": item.language, "direction": direction(item.language)}
    if item.agreement is not None:
        pieces = _sentence_pieces(item.agreement, original if item.kind == "nonce" else None)
        yield {"name": name, **written, "pieces": pieces, "verdicts": verdicts}
        return
    last_index = len(item.conditions) - 1
    for index, (condition, (wording, *_)) in enumerate(item.conditions.items()):
        piece = SentencePiece("", printed_text(sentence_text(wording).strip()))
        its_verdicts = verdicts if index == last_index else ()
        yield {"name": condition, **written, "pieces": [piece], "verdicts": its_verdicts}


def _sentence_pieces(agreement: Agreement, original: Agreement | None) -> tuple[SentencePiece, ...]:
    """Return the words of the right sentence with their roles. A word is `new` if `original`, the
    corpus sentence, has another word at its place. Without `original`, or if it has another length,
    the item's own list of substituted words decides."""
    tokens = agreement.tokens
    blanks = agreement.spaces or ("", *[" "] * (len(tokens) - 1))
    changed = set(agreement.substitutions)
    if original is not None and len(original.tokens) == len(tokens):
        pairs = zip(tokens, original.tokens, strict=True)
        changed = {index for index, (word, old) in enumerate(pairs) if word != old}
    pieces = []
    for index, (blank, word) in enumerate(zip(blanks, tokens, strict=True)):
        role = "attractor" if index in agreement.attractors else ""
        role = "cue" if index == agreement.cue_index else role
        new = index in changed
        if index == agreement.target_index:
            pieces.append(SentencePiece(blank, agreement.right, "target", agreement.wrong, new))
        else:
            pieces.append(SentencePiece(blank, printed_text(word), role, new=new))
    return tuple(pieces)


def _item_verdicts(item: Item, material: ReportData) -> list[_Verdict]:
    """Return the form that most people chose on an item, and the form that each model chose.
    People or models that did not answer the item have no verdict."""
    credits: dict[str, tuple[float, str]] = {}  # rater → credit from 0 to 1, count or margin
    for tally in material.tallies:
        if tally.item == item.item_id and tally.total:
            most = max(tally.right, tally.total - tally.right)
            credits[HUMANS] = tally.majority, f"{fmt.count(most)} of {fmt.count(tally.total)}"
    for model, outcomes in material.outcomes.items():
        credit, margin = outcomes.get(item.item_id, (None, None))
        if credit is not None and margin is not None:
            credits[model] = credit, f"{bits(margin)} bits"
    right, wrong = forms_of(item) or ("right", "wrong")
    verdicts: list[_Verdict] = []
    for rater in material.raters:
        if rater.name in credits:
            credit, detail = credits[rater.name]
            is_right = None if 0 < credit < 1 else credit == 1
            chosen = f"{right} / {wrong}" if is_right is None else right if is_right else wrong
            verdicts.append((rater.label, chosen, detail, is_right))
    return verdicts


def bits(margin: float) -> str:
    """Return a margin in bits with one decimal; a small one with three, so that its sign shows."""
    return fmt.signed(margin, 1 if abs(margin) >= 0.1 else 3)
