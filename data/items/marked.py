"""Items as a terminal shows them: sentences with the cue and the two forms marked."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import pairwise

import polars as pl

from ..result import cell_len, folded, terminal_width
from .item import PREFIX, REST, RIGHT, TARGET, WRONG, Item, Wording, sentence_text
from .item_table import ItemTable

RIGHT_TO_LEFT = "\u2067{}\u2069"  # what is between goes from right to left, marks too
PLURALS = {"original": "originals", "nonce": "variants"}  # of other kinds: items
MOST_CONSTRUCTIONS = 20
N_VARIANTS = 2


def marked(item: Item) -> list[tuple[str, str]]:
    """Return an item as lines, each a name ("" for a pair) and a sentence: of a pair the right
    sentence, with its [cue] and its {right/wrong} forms; else each condition by its regions."""
    wordings = [item.conditions.get(name, ()) for name in (RIGHT, WRONG)]
    if len(item.conditions) != 2 or any(len(each) != 1 for each in wordings):
        return [
            (condition, " | ".join(part.text.strip() for part in wording if part.text.strip()))
            for condition, each in item.conditions.items()
            for wording in each
        ]
    right, wrong = (pair_wording(item, name) for name in (RIGHT, WRONG))
    if right is None or wrong is None or (right[0], right[2]) != (wrong[0], wrong[2]):
        return [("", _with_both(*(sentence_text(each[0]) for each in wordings)))]
    prefix, facts = right[0].text, item.agreement
    if facts is not None and "ghost" not in facts.flags:
        words = [*pieces(right[0].words, facts.spaces[: len(right[0].words)], prefix)]
        if facts.cue_index < len(words):
            cue = words[facts.cue_index]
            word = cue.lstrip()
            words[facts.cue_index] = f"{cue[: len(cue) - len(word)]}[{word}]"
            prefix = "".join(words)
    form, other = (each[1].text for each in (right, wrong))
    blank = form[: len(form) - len(form.lstrip())]
    return [("", f"{prefix}{blank}{{{form.strip()}/{other.strip()}}}{right[2].text}".strip())]


def _with_both(right: str, wrong: str) -> str:
    """Return a sentence with what two sentences do not share as {right/wrong}."""
    words, others = right.split(" "), wrong.split(" ")
    start = 0
    while start < min(len(words), len(others)) and words[start] == others[start]:
        start += 1
    end = 0
    while end < min(len(words), len(others)) - start and words[-1 - end] == others[-1 - end]:
        end += 1
    middle = "/".join(" ".join(each[start : len(each) - end]) for each in (words, others))
    return " ".join([*words[:start], f"{{{middle}}}", *words[len(words) - end :]])


def lines_of(table: ItemTable, n: int | None) -> Iterator[str]:
    """Yield the items of a suite as a terminal shows them: of each construction the counts, and
    `n` variants with their originals (or other items, or sets with all their cells)."""
    constructions = table.frame["construction"].unique(maintain_order=True)
    for construction in constructions[:MOST_CONSTRUCTIONS]:
        mask = table.frame["construction"] == construction
        own = table.take(mask.arg_true().to_numpy())
        yield from folded(f"{construction or 'items'}  {_counts(own.frame)}", terminal_width(), 2)
        yield from told([(item.cell or item.kind, item) for item in _examples(own, n)])
    if len(constructions) > MOST_CONSTRUCTIONS:
        n_more = len(constructions) - MOST_CONSTRUCTIONS
        yield f"{n_more} more constructions: name one with --construction"


def told(items: Sequence[tuple[str, Item]]) -> Iterator[str]:
    """Yield named items as lines, sentences under each other."""
    entries = [(line or name, text) for name, item in items for line, text in marked(item)]
    width = max((cell_len(name) for name, _ in entries), default=0)
    limit = terminal_width()
    is_narrow = width > limit // 2  # sentences stand below their names
    indent = 4 if is_narrow else width + 4
    for name, text in entries:
        template = RIGHT_TO_LEFT if is_right_to_left([text]) else "{}"
        if is_narrow:
            yield from folded(f"  {name}", limit, 4)
        start = " " * indent if is_narrow else f"  {name}{' ' * (width - cell_len(name))}  "
        for line in folded(text, limit - indent):
            yield start + template.format(line)
            start = " " * indent


def _counts(frame: pl.DataFrame) -> str:
    """Return how many items there are of each kind and value."""
    kinds = Counter(frame["kind"].cast(pl.String).to_list())
    n_sets = frame["set_id"].replace("", None).drop_nulls().n_unique()
    parts = [f"{n_sets:,} sets"] if n_sets else []
    parts += [
        f"{n:,} {PLURALS.get(kind, 'items')}" for kind, n in sorted(kinds.items(), reverse=True)
    ]
    values = Counter(value for value in frame["value"].cast(pl.String).to_list() if value)
    by_value = ", ".join(f"{value} {n:,}" for value, n in sorted(values.items(), reverse=True))
    return "; ".join(filter(None, [", ".join(parts), by_value]))


def _examples(table: ItemTable, n: int | None) -> Iterator[Item]:
    """Yield the first sets, the first variants with their originals, or the first items."""
    frame = table.frame.with_row_index("row").cast({"kind": pl.String})
    sets = frame.filter(pl.col("set_id") != "")
    variants = frame.filter(kind="nonce").head(N_VARIANTS if n is None else n)
    if sets.height:
        first = sets["set_id"].unique(maintain_order=True).head(n or 1)
        chosen = sets.filter(pl.col("set_id").is_in(first.implode()))
    elif variants.height:
        originals = frame.filter(
            pl.col("item_id").is_in(variants["cluster_id"].implode()), kind="original"
        )
        chosen = pl.concat([originals, variants]).sort("row")
    else:
        chosen = frame.head(n or 1)
    yield from table.take(chosen["row"].to_numpy())


def pair_wording(item: Item, condition: str) -> Wording | None:
    """Return the one sentence of a condition, if it has prefix, target (one token) and rest."""
    wordings = item.conditions.get(condition, ())
    if len(wordings) != 1:
        return None
    names = tuple(region.region for region in wordings[0])
    if names != (PREFIX, TARGET, REST) or len(wordings[0][1].words) != 1:
        return None
    return wordings[0]


def pieces(tokens: Sequence[str], spaces: Sequence[str], text: str) -> tuple[str, ...]:
    """Return `text` in as many stretches as there are tokens, each with the blank before its token.

    Joined they are `text`, whatever it is. Where it is not the tokens one after the other (an
    article was elided, a hyphen lost), the cuts go along with the characters that both share, and a
    token of which nothing is left has an empty piece. Without tokens there is no piece.
    """
    if not tokens:
        return ()
    blanks = spaces or ("", *[" "] * (len(tokens) - 1))
    plain = tuple(blank + token for blank, token in zip(blanks, tokens, strict=True))
    joined = "".join(plain)
    if joined == text:
        return plain
    shared = SequenceMatcher(None, joined, text, autojunk=False).get_opcodes()
    cuts, end = [0], 0
    for piece in plain[:-1]:
        end += len(piece)
        cut = shared[-1][4]
        for kind, start, stop, other_start, other_stop in shared:
            if start <= end < stop:  # inside what differs, at its end, so that what was written
                step = end - start  # instead of two tokens' edges stays with the first (l'amico)
                cut = other_start + step if kind == "equal" or not step else other_stop
                break
        cuts.append(cut)
    return tuple(text[start:stop] for start, stop in pairwise([*cuts, len(text)]))


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Return whether most letters of the texts are of scripts written from right to left (Unicode
    classes R and AL against L); no letters and as many of both: no."""
    balance = 0
    for text in texts:
        for character in text:
            side = unicodedata.bidirectional(character)
            balance += side in ("R", "AL")
            balance -= side == "L"
    return balance > 0


def has_right_to_left(text: str) -> bool:
    """Return whether any letter of the text is of a script written from right to left."""
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)
