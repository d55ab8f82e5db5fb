"""Items as a terminal shows them: a sentence with its [cue] and its two {right/wrong} forms."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain, pairwise, takewhile
from operator import eq

import polars as pl

from ..result import cell_len, fold_text, terminal_width
from .item import PREFIX, REST, RIGHT, TARGET, WRONG, Item, Wording, sentence_text
from .item_table import ItemTable

RIGHT_TO_LEFT = "\u2067{}\u2069"  # Unicode's marks around text that runs from right to left
NAMES_IN_PLURAL = {"original": "originals", "nonce": "variants"}  # items of other kinds: "items"
MAX_CONSTRUCTIONS = 20  # that are shown
N_VARIANTS_SHOWN = 2  # of each construction, unless the user says how many


def marked_lines(item: Item) -> list[tuple[str, str]]:
    """Return the lines that show an item, each as (name, sentence).

    A pair is one line without a name: its right sentence with [cue] and {right/wrong}. Any other
    item has a line for each sentence, named by its condition, with bars between the regions.
    """
    pair = [item.conditions.get(name, ()) for name in (RIGHT, WRONG)]
    if len(item.conditions) != 2 or any(len(wordings) != 1 for wordings in pair):
        return [
            (condition, " | ".join(part.text.strip() for part in wording if part.text.strip()))
            for condition, wordings in item.conditions.items()
            for wording in wordings
        ]
    right, wrong = (pair_wording(item, name) for name in (RIGHT, WRONG))
    merged = [("", _merge_sentences(*(sentence_text(wording) for (wording,) in pair)))]
    if right is None or wrong is None:
        return merged
    (before, target, after), (wrong_before, wrong_target, wrong_after) = right, wrong
    if (before, after) != (wrong_before, wrong_after):
        return merged
    prefix, facts = before.text, item.agreement
    if facts is not None and "ghost" not in facts.flags:  # ghost: cue inside a token
        words = [*text_by_token(before.words, facts.spaces[: len(before.words)], prefix)]
        if facts.cue_index < len(words):
            blank, cue = _split_blank(words[facts.cue_index])
            words[facts.cue_index] = f"{blank}[{cue}]"
            prefix = "".join(words)
    blank, form = _split_blank(target.text)
    forms = f"{{{form.rstrip()}/{wrong_target.text.strip()}}}"
    return [("", f"{prefix}{blank}{forms}{after.text}".strip())]


def _split_blank(text: str) -> tuple[str, str]:
    """Return the blanks at the beginning of a text, and the rest of it."""
    rest = text.lstrip()
    return text[: len(text) - len(rest)], rest


def _merge_sentences(right: str, wrong: str) -> str:
    """Merge two sentences into one, in which the stretch that differs is {right/wrong}."""
    words, wrong_words = right.split(" "), wrong.split(" ")
    n_first = _n_equal(words, wrong_words)  # number of equal words at the beginning
    remainders = [words[n_first:], wrong_words[n_first:]]
    n_last = _n_equal(*(reversed(remainder) for remainder in remainders))  # at the end
    differing, wrong_differing = (
        " ".join(remainder[: len(remainder) - n_last]) for remainder in remainders
    )
    last_words = words[len(words) - n_last :]
    return " ".join([*words[:n_first], f"{{{differing}/{wrong_differing}}}", *last_words])


def _n_equal(words: Iterable[str], others: Iterable[str]) -> int:
    """Return how many words at the beginning of two lists are equal."""
    return len([*takewhile(bool, map(eq, words, others))])


def suite_lines(table: ItemTable, n: int | None) -> Iterator[str]:
    """Yield the lines that show the items of a suite: for each construction counts and examples.

    `n` is the number of examples: variants, which come with their originals, or else sets, or else
    items; None shows a few.
    """
    constructions = table.frame["construction"].unique(maintain_order=True)
    for construction in constructions[:MAX_CONSTRUCTIONS]:
        mask = table.frame["construction"] == construction
        items = table.take(mask.arg_true().to_numpy())
        heading = f"{construction or 'items'}  {_counts_line(items.frame)}"
        yield from fold_text(heading, terminal_width(), 2)
        yield from item_lines([(item.cell or item.kind, item) for item in _examples(items, n)])
    if len(constructions) > MAX_CONSTRUCTIONS:
        n_more = len(constructions) - MAX_CONSTRUCTIONS
        yield f"{n_more} more constructions: name one with --construction"


def item_lines(items: Sequence[tuple[str, Item]]) -> Iterator[str]:
    """Yield the lines that show items, with labels on the left and sentences aligned beside them.

    `items` are (name, item). The label of a sentence is its condition or, if it has none, the name
    of the item. In a narrow terminal sentences stand below their labels.
    """
    entries = [
        (condition or name, text) for name, item in items for condition, text in marked_lines(item)
    ]
    width = max((cell_len(name) for name, _ in entries), default=0)
    limit = terminal_width()
    is_narrow = width > limit // 2  # then sentences stand below their names
    indent = 4 if is_narrow else width + 4
    for name, text in entries:
        template = RIGHT_TO_LEFT if is_right_to_left([text]) else "{}"
        if is_narrow:
            yield from fold_text(f"  {name}", limit, 4)
        start = " " * indent if is_narrow else f"  {name}{' ' * (width - cell_len(name))}  "
        for line in fold_text(text, limit - indent):
            yield start + template.format(line)
            start = " " * indent


def _counts_line(frame: pl.DataFrame) -> str:
    """Return one line of text: the number of sets, and of items of each kind and of each value."""
    kinds = Counter(frame["kind"].cast(pl.String).to_list())
    n_sets = frame["set_id"].replace("", None).drop_nulls().n_unique()
    parts = [f"{n_sets:,} sets"] if n_sets else []
    parts += [
        f"{n:,} {NAMES_IN_PLURAL.get(kind, 'items')}"
        for kind, n in sorted(kinds.items(), reverse=True)
    ]
    values = Counter(value for value in frame["value"].cast(pl.String).to_list() if value)
    by_value = ", ".join(f"{value} {n:,}" for value, n in sorted(values.items(), reverse=True))
    return "; ".join(filter(None, [", ".join(parts), by_value]))


def _examples(table: ItemTable, n: int | None) -> Iterator[Item]:
    """Yield the items of `n` examples from a table; None for a few.

    An example is a set (items that share a `set_id`) if the table has sets, else a nonce variant
    with its original, else an item.
    """
    frame = table.frame.with_row_index("row").cast({"kind": pl.String})
    sets = frame.filter(pl.col("set_id") != "")
    variants = frame.filter(kind="nonce").head(N_VARIANTS_SHOWN if n is None else n)
    if sets.height:
        first_ids = sets["set_id"].unique(maintain_order=True).head(n or 1)
        chosen = sets.filter(pl.col("set_id").is_in(first_ids.implode()))
    elif variants.height:
        originals = frame.filter(
            pl.col("item_id").is_in(variants["cluster_id"].implode()), kind="original"
        )
        chosen = pl.concat([originals, variants]).sort("row")
    else:
        chosen = frame.head(n or 1)
    yield from table.take(chosen["row"].to_numpy())


def pair_wording(item: Item, condition: str) -> Wording | None:
    """Return the sentence of a condition if it has just one, with the regions of a pair.

    These are prefix, target (one token) and rest. For any other condition None is returned.
    """
    wordings = item.conditions.get(condition, ())
    if len(wordings) != 1:
        return None
    (wording,) = wordings
    names = tuple(region.region for region in wording)
    if names != (PREFIX, TARGET, REST):
        return None
    _, target, _ = wording
    return wording if len(target.words) == 1 else None


def text_by_token(tokens: Sequence[str], spaces: Sequence[str], text: str) -> tuple[str, ...]:
    """Cut `text` into one piece for each token; a piece includes the blank before its token.

    The pieces joined are always `text`. It may differ from the tokens one after the other (an
    article was elided, a hyphen lost); then it is cut where characters that both share are cut, and
    a token of which nothing is left has an empty piece. Without tokens there is no piece.
    """
    if not tokens:
        return ()
    blanks = spaces or ("", *[" "] * (len(tokens) - 1))
    spaced_tokens = tuple(blank + token for blank, token in zip(blanks, tokens, strict=True))
    joined = "".join(spaced_tokens)
    if joined == text:
        return spaced_tokens
    stretches = SequenceMatcher(None, joined, text, autojunk=False).get_opcodes()
    cuts = [0]  # the indices in `text` at which pieces begin
    end = 0  # of a token, in `joined`
    for spaced_token in spaced_tokens[:-1]:
        end += len(spaced_token)
        cut = len(text)
        for kind, start, stop, text_start, text_stop in stretches:
            if start <= end < stop:
                step = end - start
                # `text` is cut at the same character; within a stretch that differs, it is cut at
                # its end, so that the stretch stays with the first of the two tokens (l'amico)
                cut = text_start + step if kind == "equal" or not step else text_stop
                break
        cuts.append(cut)
    return tuple(text[start:stop] for start, stop in pairwise([*cuts, len(text)]))


def is_right_to_left(texts: Iterable[str]) -> bool:
    """Return whether more letters of the texts belong to scripts written from right to left
    (Unicode classes R and AL) than to other scripts (class L)."""
    classes = Counter(map(unicodedata.bidirectional, chain.from_iterable(texts)))
    return classes["R"] + classes["AL"] > classes["L"]


def has_right_to_left(text: str) -> bool:
    """Return whether any letter of the text is of a script written from right to left."""
    return any(unicodedata.bidirectional(character) in ("R", "AL") for character in text)
