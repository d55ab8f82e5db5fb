"""How a sentence is written: words into tokens and blanks, and again after words have changed.

A new word has the capitals of its place; words written together are joined, contracted, or kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ....data.items.tree import Tree
from .language import BOUNDARY, Contraction, WritingRules, plain

CasePattern: TypeAlias = Literal["none", "lower", "title", "upper", "mixed"]
RequiredCase: TypeAlias = Literal["", "title", "upper"]
Glue: TypeAlias = tuple[str, ...]
"""How a token of several words came about: what stands between them (hyphens, or nothing); or, if
empty, by contraction of two, which can come apart"""
CONTRACTED: Glue = ()

LONGEST_ABBREVIATION = 3  # letters; `TV` and `DNA` do not ask for a word in capitals
DOTTED = frozenset({"az", "tr"})  # languages in which i and ı are two letters
DIGRAPHS = {"nl": ("ij",)}  # beginnings that become capital together
APOSTROPHES = ("'", "’")


@dataclass(frozen=True, slots=True)
class RealisedSentence:
    """A sentence as it is written.

    Attributes:
        tokens: surface tokens, as a vocabulary has them.
        spaces: what stands before each in raw text: "" or " ".
        token_of: word of the tree → surface token (their number can change).
        forms: words of the tree, function words in their new shapes.
    """

    tokens: tuple[str, ...]
    spaces: tuple[str, ...]
    token_of: tuple[int, ...]
    forms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceLayout:
    """One sentence of a treebank as it is written."""

    language: WritingRules
    tree: Tree
    original: RealisedSentence
    members: tuple[tuple[int, ...], ...]  # surface token → its words
    glue: Mapping[int, Glue | None]  # surface token of several words → how it came about
    loud: bool  # in capitals throughout
    apostrophe: str  # the one it uses
    detached: bool  # whether it has a blank after an elided word

    def shape(self, shape: str, like: str) -> str:
        """Return a function word or contraction, as the file has it, in the capitals of the word
        that was there and with the apostrophe of the sentence."""
        text = shape.replace("'", self.apostrophe)
        return with_case_of(text, like, loud=self.loud, language=self.language.code)


def layout_of(
    language: WritingRules, tree: Tree, tokens: Sequence[str], spaces: Sequence[str]
) -> SentenceLayout:
    """Return the layout of a sentence from its surface, `tokens` and `spaces` as long as each
    other."""
    members: list[list[int]] = [[] for _ in tokens]
    for node, token in enumerate(tree.tokens):
        members[token].append(node)
    glue: dict[int, Glue | None] = {}
    for token, nodes in enumerate(members):
        if len(nodes) > 1:
            words, upos = ([column[node] for node in nodes] for column in (tree.forms, tree.upos))
            glue[token] = _glue_of(language, words, upos, tokens[token])
    curved = any("’" in token for token in tokens) and not any("'" in token for token in tokens)
    cased = [token for token in tokens if token.lower() != token.upper()]
    return SentenceLayout(
        language=language,
        tree=tree,
        original=RealisedSentence(tuple(tokens), tuple(spaces), tree.tokens, tree.forms),
        members=tuple(map(tuple, members)),
        glue=glue,
        loud=len(cased) > 1 and all(token == token.upper() for token in cased),
        apostrophe="’" if curved else "'",
        detached=any(
            space != "" and plain(token) in language.attached
            for token, space in zip(tokens, spaces[1:], strict=False)
        ),
    )


def written(
    layout: SentenceLayout, changed: Mapping[int, str], *, forced: bool = False
) -> RealisedSentence:
    """Write the sentence with the words of `changed` in their new forms, function words included.

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
        near = _apply_seams(layout, forms, near)
    touched = sorted({layout.tree.tokens[node] for node in near})
    remade = {token: _token_texts(layout, token, forms) for token in touched}
    merged = _merged(layout, forms, near) if layout.language.joiners else {}
    if merged or any(len(parts) > 1 for parts in remade.values()):
        return _rebuilt(layout, forms, remade, merged)
    return _spliced(layout, forms, {token: parts[0] for token, parts in remade.items()})


def _apply_seams(layout: SentenceLayout, forms: list[str], near: Sequence[int]) -> Sequence[int]:
    """Change neighbours that are written together as tokens of their own, where they meet. Return
    `near` and what has changed with it."""
    token_of, spaces = layout.tree.tokens, layout.original.spaces
    changed = set(near)
    for word in sorted({node - 1 for node in near} | set(near)):
        next_word = word + 1
        if word < 0 or next_word >= len(forms) or token_of[word] == token_of[next_word]:
            continue
        if spaces[token_of[next_word]] != "":
            continue
        pair = _seamed(layout.language, forms[word : word + 2])
        if len(pair) == 2 and pair != forms[word : word + 2]:
            forms[word : word + 2] = pair
            changed |= {word, next_word}
    return sorted(changed)


def _token_texts(layout: SentenceLayout, token: int, forms: Sequence[str]) -> tuple[str, ...]:
    """Return what is written in the place of a token: one text, or two where a contraction came
    apart."""
    nodes, old = layout.members[token], layout.original.tokens[token]
    if len(nodes) == 1:
        form = forms[nodes[0]]
        return (form if form != layout.tree.forms[nodes[0]] else old,)
    words = [forms[node] for node in nodes]
    glue = layout.glue[token]
    if glue is None:
        assert all(layout.tree.forms[node] == forms[node] for node in nodes), "a closed word"
        return (old,)
    if glue != CONTRACTED:
        return (_joined(layout.language, words, glue),)
    rule = _contraction(layout.language, words, [layout.tree.upos[node] for node in nodes])
    if rule is not None:
        return (layout.shape(rule.joined, old),)
    second = words[1].upper() if pattern_of(old) == "upper" else words[1]
    return layout.shape(plain(words[0]), old), second


def _merged(layout: SentenceLayout, forms: Sequence[str], near: Sequence[int]) -> dict[int, str]:
    """Return the first token of two that must be one now → the contraction."""
    contracted: dict[int, str] = {}
    tree, joiners = layout.tree, layout.language.joiners
    for next_word in dict.fromkeys(node for start in near for node in (start, start + 1)):
        word = next_word - 1
        if word < 0 or next_word >= len(forms) or forms[word].lower() not in joiners:
            continue
        token = tree.tokens[word]
        alone = len(layout.members[token]) == 1 and tree.tokens[next_word] == token + 1
        if not alone or len(layout.members[token + 1]) > 1 or token - 1 in contracted:
            continue
        words, upos = forms[word : next_word + 1], tree.upos[word : next_word + 1]
        rule = _contraction(layout.language, words, upos)
        if rule is not None and rule.obligatory:
            contracted[token] = layout.shape(rule.joined, forms[word])
    return contracted


def _spliced(
    layout: SentenceLayout, forms: Sequence[str], texts: Mapping[int, str]
) -> RealisedSentence:
    """Return the same tokens with other texts; a blank comes or goes where elision does."""
    old = layout.original
    tokens = list(old.tokens)
    spaces = old.spaces
    for token, text in texts.items():
        tokens[token] = text
        if layout.language.attach and token + 1 < len(tokens):
            space = _space_after(layout, text, token)
            if space != spaces[token + 1]:
                spaces = (*spaces[: token + 1], space, *spaces[token + 2 :])
    return RealisedSentence(tuple(tokens), spaces, old.token_of, tuple(forms))


def _rebuilt(
    layout: SentenceLayout,
    forms: Sequence[str],
    remade: Mapping[int, tuple[str, ...]],
    merged: Mapping[int, str],
) -> RealisedSentence:
    """Return the sentence with other tokens than before."""
    tokens: list[str] = []
    spaces: list[str] = []
    token_of = [0] * len(forms)
    for token, nodes in enumerate(layout.members):
        if token - 1 in merged:
            token_of[nodes[0]] = len(tokens) - 1
            continue
        space = layout.original.spaces[token]
        if tokens:
            space = _space_after(layout, tokens[-1], token - 1)
        texts = remade.get(token, (layout.original.tokens[token],))
        texts = (merged[token],) if token in merged else texts
        tokens += texts
        spaces.append(space)
        if len(texts) > 1:
            spaces.append("" if _attaches(layout, texts[0]) else " ")
        for number, node in enumerate(nodes):
            token_of[node] = len(tokens) - len(texts) + min(number, len(texts) - 1)
    return RealisedSentence(tuple(tokens), tuple(spaces), tuple(token_of), tuple(forms))


def _space_after(layout: SentenceLayout, text: str, token: int) -> str:
    """Return the blank after `text` where the old token stood: the old one's, unless one of the two
    is elided and the other is not."""
    attaches = _attaches(layout, text)
    if attaches == _attaches(layout, layout.original.tokens[token]):
        return layout.original.spaces[token + 1]
    return "" if attaches and not layout.detached else " "


def _attaches(layout: SentenceLayout, text: str) -> bool:
    """Return whether no blank follows a text, since it is elided."""
    return text.endswith(APOSTROPHES) and plain(text) in layout.language.attached


def _glue_of(
    language: WritingRules, words: Sequence[str], upos: Sequence[str], token: str
) -> Glue | None:
    """Return how a token was made of its words; `None` if no rule makes it."""
    pair = _contraction(language, words, upos)
    if pair is not None and pair.joined == plain(token):
        return CONTRACTED
    gaps = ("",) * (len(words) - 1)
    if _joined(language, words, gaps) == token:
        return gaps
    signs: list[str] = []  # what stands before each word, if these are signs alone
    position = 0
    for word in words:
        start = token.find(word, position)
        if start < 0 or any(map(str.isalnum, token[position:start])):
            return None
        signs.append(token[position:start])
        position = start + len(word)
    return tuple(signs[1:]) if position == len(token) and not signs[0] else None


def _contraction(
    language: WritingRules, words: Sequence[str], upos: Sequence[str]
) -> Contraction | None:
    """Return the contraction of two neighbours. A capital on the second (`El Salvador`) keeps them
    apart, unless the first is in capitals too."""
    if len(words) != 2:
        return None
    rule = language.contractions.get((plain(words[0]), plain(words[1])))
    if rule is None or (rule.upos and upos[1] not in rule.upos):
        return None
    is_name = (
        pattern_of(words[1]) in ("title", "upper", "mixed") and pattern_of(words[0]) != "upper"
    )
    return None if is_name else rule


def _joined(language: WritingRules, words: Sequence[str], gaps: Sequence[str]) -> str:
    """Return the words as one token, after what happens at their seams."""
    parts = _seamed(language, words)
    if len(parts) != len(words):
        return "".join(parts)
    return parts[0] + "".join(gap + part for gap, part in zip(gaps, parts[1:], strict=True))


def _seamed(language: WritingRules, words: Sequence[str]) -> list[str]:
    """Return words written together after what happens at their seams; fewer, where one is not
    written."""
    if not language.seams:
        return list(words)
    text = BOUNDARY.join(words)
    for seam in language.seams:
        text = seam.pattern.sub(seam.becomes, text)
    return text.split(BOUNDARY)


def pattern_of(form: str) -> CasePattern:
    """Return how a form is written; one capital letter alone is `title`, no letters with case
    `none`."""
    cased = [char for char in form if char.isupper() or char.islower()]
    if not cased:
        return "none"
    if all(char.islower() for char in cased):
        return "lower"
    if not cased[0].isupper():
        return "mixed"
    if len(cased) > 1 and all(char.isupper() for char in cased):
        return "upper"
    return "title" if all(char.islower() for char in cased[1:]) else "mixed"


def required_case(like: str, upos: str, *, initial: bool, loud: bool) -> RequiredCase:
    """Return what the position of a word demands: all capitals, a capital, or nothing.

    `like` is the word that stood there. At the beginning of a sentence (`initial`) its capital
    letter goes over to the new word; a word all in capitals (four letters or more: fewer may be an
    abbreviation), or any word of a sentence all in capitals (`loud`), makes the new one capitals
    too. A name (`upos` PROPN) keeps its own, and nothing is ever made small: a German noun stays as
    the lexicon has it.
    """
    if loud:
        return "upper"
    if upos == "PROPN":
        return ""
    pattern = pattern_of(like)
    if pattern == "upper" and sum(map(str.isalpha, like)) > LONGEST_ABBREVIATION:
        return "upper"
    return "title" if initial and pattern in ("title", "upper") else ""


def with_case_of(form: str, like: str, *, loud: bool = False, language: str = "") -> str:
    """Return a function word's new shape, in small letters, with the capitals of its old one."""
    pattern = pattern_of(like)
    if loud or pattern == "upper":
        return in_capitals(form, language)
    return capitalised(form, language) if pattern == "title" else form


def capitalised(form: str, language: str = "") -> str:
    """Return the form with its first letter, after any quote or dash, a capital; the rest as it
    is."""
    at = next((n for n, char in enumerate(form) if char.isalnum()), 0)
    size = next((len(pair) for pair in DIGRAPHS.get(language, ()) if form[at:].startswith(pair)), 1)
    return form[:at] + in_capitals(form[at : at + size], language) + form[at + size :]


def in_capitals(form: str, language: str = "") -> str:
    """Return the form in capital letters."""
    return (form.replace("i", "İ") if language in DOTTED else form).upper()
