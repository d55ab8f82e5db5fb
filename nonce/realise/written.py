"""Words that are written together: how their token came about, and how it is made anew."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from colorless_green.miner.features import parse_feats
from colorless_green.miner.tree import Tree
from colorless_green.nonce.realise.casing import pattern_of
from colorless_green.nonce.realise.language import (
    BOUNDARY,
    Closed,
    Contraction,
    Language,
    plain,
)


@dataclass(frozen=True, slots=True)
class Joined:
    """Words one after the other, with what stands between them (a hyphen, or nothing)."""

    gaps: tuple[str, ...]  # between the words: one fewer than there are words


@dataclass(frozen=True, slots=True)
class Contracted:
    """Two words of the language's table; they can come apart."""


Way: TypeAlias = Joined | Contracted


def way_of(language: Language, words: Sequence[str], upos: Sequence[str], token: str) -> Way | None:
    """How a token was made of its words; `None` if no rule makes it."""
    pair = contraction(language, words, upos)
    if pair is not None and pair.joined == plain(token):
        return Contracted()
    gaps = ("",) * (len(words) - 1)
    if joined(language, words, gaps) == token:
        return Joined(gaps)
    found = _gaps(words, token)
    return Joined(found) if found is not None else None


def contraction(
    language: Language, words: Sequence[str], upos: Sequence[str]
) -> Contraction | None:
    """The contraction of two neighbours. A capital on the second (`El Salvador`) keeps them apart,
    unless the first is in capitals too."""
    if len(words) != 2:
        return None
    found = language.contractions.get((plain(words[0]), plain(words[1])))
    if found is None or (found.upos and upos[1] not in found.upos):
        return None
    first, second = pattern_of(words[0]), pattern_of(words[1])
    is_name = second in ("title", "upper", "mixed") and first != "upper"
    return None if is_name else found


def joined(language: Language, words: Sequence[str], gaps: Sequence[str]) -> str:
    """The words as one token, after what happens at their seams."""
    parts = seamed(language, words)
    if len(parts) != len(words):
        return "".join(parts)
    return parts[0] + "".join(gap + part for gap, part in zip(gaps, parts[1:], strict=True))


def seamed(language: Language, words: Sequence[str]) -> list[str]:
    """Words written together after what happens at their seams; fewer, where one is not written."""
    if not language.seams:
        return list(words)
    text = BOUNDARY.join(words)
    for seam in language.seams:
        text = seam.pattern.sub(seam.becomes, text)
    return text.split(BOUNDARY)


def _gaps(words: Sequence[str], token: str) -> tuple[str, ...] | None:
    """What a token has between its words, if it is them with nothing but signs between."""
    gaps: list[str] = []
    at = 0
    for word in words:
        found = token.find(word, at)
        if found < 0 or any(map(str.isalnum, token[at:found])):
            return None
        gaps.append(token[at:found])
        at = found + len(word)
    return tuple(gaps[1:]) if at == len(token) and not gaps[0] else None


def is_closed(closed: Sequence[Closed], tree: Tree, node: int, together: Sequence[bool]) -> bool:
    """Whether a rule of the language forbids to exchange a word. `together`: for each word whether
    the next one is written to it without a blank."""
    return any(_closes(rule, tree, node, together) for rule in closed)


def _closes(rule: Closed, tree: Tree, node: int, together: Sequence[bool]) -> bool:
    if rule.upos and tree.upos[node] not in rule.upos:
        return False
    if rule.form and rule.form.fullmatch(plain(tree.forms[node])) is None:
        return False
    feats = parse_feats(tree.feats[node])
    if any(feats.get(name) != value for name, value in rule.feats):
        return False
    if rule.before or rule.next:
        after = node + 1
        if after >= len(tree) or not together[node]:
            return False
        if rule.before and tree.upos[after] not in rule.before:
            return False
        if rule.next and rule.next.fullmatch(plain(tree.forms[after])) is None:
            return False
    if rule.previous is None:
        return True
    before = node - 1
    return (
        before >= 0
        and together[before]
        and rule.previous.fullmatch(plain(tree.forms[before])) is not None
    )
