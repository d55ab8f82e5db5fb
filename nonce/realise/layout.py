"""How a sentence is written: words into tokens and blanks, and again after words have changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from colorless_green.miner.tree import Tree
from colorless_green.nonce.realise.casing import pattern_of, shaped
from colorless_green.nonce.realise.language import Language, plain
from colorless_green.nonce.realise.written import (
    Contracted,
    Joined,
    Way,
    contraction,
    joined,
    seamed,
    way_of,
)

APOSTROPHES = ("'", "’")


@dataclass(frozen=True, slots=True)
class Realised:
    """A sentence as it is written."""

    tokens: tuple[str, ...]  # surface tokens, as a vocabulary has them
    spaces: tuple[str, ...]  # what stands before each in raw text: "" or " "
    places: tuple[int, ...]  # word of the tree → surface token (their number can change)
    forms: tuple[str, ...] = ()  # the words of the tree, function words in their new shapes


@dataclass(frozen=True, slots=True)
class Layout:
    """One sentence of a treebank as it is written."""

    language: Language
    tree: Tree
    original: Realised
    members: tuple[tuple[int, ...], ...]  # surface token → its words
    ways: Mapping[int, Way | None]  # surface token of several words → how it came about
    loud: bool  # in capitals throughout
    apostrophe: str  # the one it uses
    detached: bool  # whether it has a blank after an elided word

    def shape(self, shape: str, like: str) -> str:
        """A function word or contraction, as the file has it, in the capitals of what stood there
        and with the apostrophe of the sentence."""
        text = shape.replace("'", self.apostrophe)
        return shaped(text, like, loud=self.loud, language=self.language.code)


def layout_of(
    language: Language, tree: Tree, tokens: Sequence[str], spaces: Sequence[str]
) -> Layout:
    """The layout of a sentence from its surface, `tokens` and `spaces` as long as each other."""
    members: list[list[int]] = [[] for _ in tokens]
    for node, token in enumerate(tree.tokens):
        members[token].append(node)
    ways = {
        token: way_of(
            language,
            [tree.forms[node] for node in nodes],
            [tree.upos[node] for node in nodes],
            tokens[token],
        )
        for token, nodes in enumerate(members)
        if len(nodes) > 1
    }
    curved = any("’" in each for each in tokens) and not any("'" in each for each in tokens)
    cased = [each for each in tokens if each.lower() != each.upper()]
    return Layout(
        language=language,
        tree=tree,
        original=Realised(tuple(tokens), tuple(spaces), tree.tokens, tree.forms),
        members=tuple(map(tuple, members)),
        ways=ways,
        loud=len(cased) > 1 and all(each == each.upper() for each in cased),
        apostrophe="’" if curved else "'",
        detached=any(
            space != "" and plain(token) in language.attached
            for token, space in zip(tokens, spaces[1:], strict=False)
        ),
    )


def written(layout: Layout, changed: Mapping[int, str], *, forced: bool = False) -> Realised:
    """The sentence with the words of `changed` in their new forms, function words included.

    With `forced` every token of several words is made anew, and neighbours that should be one token
    become one, also where nothing changed.
    """
    if not changed and not forced:
        return layout.original
    forms = list(layout.tree.forms)
    for node, form in changed.items():
        forms[node] = form
    near: Sequence[int] = range(len(forms)) if forced else sorted(changed)
    if layout.language.seams:
        near = _met(layout, forms, near)
    touched = sorted({layout.tree.tokens[node] for node in near})
    anew = {token: _parts(layout, token, forms) for token in touched}
    merged = _merged(layout, forms, near) if layout.language.joiners else {}
    if merged or any(len(parts) > 1 for parts in anew.values()):
        return _rebuilt(layout, forms, anew, merged)
    return _spliced(layout, forms, {token: parts[0] for token, parts in anew.items()})


def _met(layout: Layout, forms: list[str], near: Sequence[int]) -> Sequence[int]:
    """Lets neighbours meet that are written together as tokens of their own; `near` and what has
    changed beside it."""
    places, spaces = layout.tree.tokens, layout.original.spaces
    found = set(near)
    for first in sorted({node - 1 for node in near} | set(near)):
        second = first + 1
        if first < 0 or second >= len(forms) or places[first] == places[second]:
            continue
        if spaces[places[second]] != "":
            continue
        pair = seamed(layout.language, forms[first : first + 2])
        if len(pair) == 2 and pair != forms[first : first + 2]:
            forms[first : first + 2] = pair
            found |= {first, second}
    return sorted(found)


def _parts(layout: Layout, token: int, forms: Sequence[str]) -> tuple[str, ...]:
    """What is written in the place of a token: one text, or two where a contraction came apart."""
    nodes, stood = layout.members[token], layout.original.tokens[token]
    if len(nodes) == 1:
        form = forms[nodes[0]]
        return (form if form != layout.tree.forms[nodes[0]] else stood,)
    words = [forms[node] for node in nodes]
    match layout.ways[token]:
        case Joined(gaps):
            return (joined(layout.language, words, gaps),)
        case Contracted():
            found = contraction(layout.language, words, [layout.tree.upos[node] for node in nodes])
            if found is not None:
                return (layout.shape(found.joined, stood),)
            second = words[1].upper() if pattern_of(stood) == "upper" else words[1]
            return layout.shape(plain(words[0]), stood), second
        case None:
            assert all(layout.tree.forms[node] == forms[node] for node in nodes), "a closed word"
            return (stood,)


def _merged(layout: Layout, forms: Sequence[str], near: Sequence[int]) -> dict[int, str]:
    """First token of two that must be one now → the contraction."""
    found: dict[int, str] = {}
    tree, joiners = layout.tree, layout.language.joiners
    for second in dict.fromkeys(node for each in near for node in (each, each + 1)):
        first = second - 1
        if first < 0 or second >= len(forms) or forms[first].lower() not in joiners:
            continue
        token = tree.tokens[first]
        alone = len(layout.members[token]) == 1 and tree.tokens[second] == token + 1
        if not alone or len(layout.members[token + 1]) > 1 or token - 1 in found:
            continue
        words, upos = forms[first : second + 1], tree.upos[first : second + 1]
        rule = contraction(layout.language, words, upos)
        if rule is not None and rule.obligatory:
            found[token] = layout.shape(rule.joined, forms[first])
    return found


def _spliced(layout: Layout, forms: Sequence[str], texts: Mapping[int, str]) -> Realised:
    """The same tokens with other texts; a blank comes or goes where elision does."""
    old = layout.original
    tokens = list(old.tokens)
    spaces = old.spaces
    for token, text in texts.items():
        tokens[token] = text
        if layout.language.attach and token + 1 < len(tokens):
            space = _space_after(layout, text, token)
            if space != spaces[token + 1]:
                spaces = (*spaces[: token + 1], space, *spaces[token + 2 :])
    return Realised(tuple(tokens), spaces, old.places, tuple(forms))


def _rebuilt(
    layout: Layout,
    forms: Sequence[str],
    anew: Mapping[int, tuple[str, ...]],
    merged: Mapping[int, str],
) -> Realised:
    """The sentence with other tokens than before."""
    tokens: list[str] = []
    spaces: list[str] = []
    places = [0] * len(forms)
    for token, nodes in enumerate(layout.members):
        if token - 1 in merged:
            places[nodes[0]] = len(tokens) - 1
            continue
        space = layout.original.spaces[token]
        if tokens:
            space = _space_after(layout, tokens[-1], token - 1)
        texts = (merged[token],) if token in merged else anew.get(token, (_text(layout, token),))
        tokens += texts
        spaces.append(space)
        if len(texts) > 1:
            spaces.append("" if _attaches(layout, texts[0]) else " ")
        for number, node in enumerate(nodes):
            places[node] = len(tokens) - len(texts) + min(number, len(texts) - 1)
    return Realised(tuple(tokens), tuple(spaces), tuple(places), tuple(forms))


def _text(layout: Layout, token: int) -> str:
    return layout.original.tokens[token]


def _space_after(layout: Layout, text: str, token: int) -> str:
    """The blank after `text` where the old token stood: the old one's, unless one of the two is
    elided and the other is not."""
    attaches = _attaches(layout, text)
    if attaches == _attaches(layout, layout.original.tokens[token]):
        return layout.original.spaces[token + 1]
    return "" if attaches and not layout.detached else " "


def _attaches(layout: Layout, text: str) -> bool:
    return text.endswith(APOSTROPHES) and plain(text) in layout.language.attached
