"""The layout of a sentence: its words as tokens and blanks, also after words have changed.

A new word has the capitals of its place; words written together are joined or contracted.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ....data.items.tree import Tree
from .language import BOUNDARY, WritingRules, plain

CasePattern: TypeAlias = Literal["", "title", "upper", "mixed"]
Glue: TypeAlias = tuple[str, ...]
"""The signs between the words of a token (hyphens, or nothing), one fewer than words; empty for a
contraction of two words"""
CONTRACTED: Glue = ()
SIGNS = r"([\W_]*?)"  # between two words of a token: neither letters nor digits

MAX_ABBREVIATION = 3  # letters; `TV` and `DNA` do not ask for a word in capitals
WITH_DOTLESS_I = frozenset({"az", "tr"})  # languages in which i and ı are two letters
CAPITAL_DIGRAPHS = {"nl": "ij"}  # a beginning that becomes capital together
APOSTROPHES = ("'", "’")
SENTENCE_ENDS = frozenset(".!?:")  # after these a capital is no part of the word


@dataclass(frozen=True, slots=True)
class RealisedSentence:
    """A sentence as it is written.

    Attributes:
        tokens: surface tokens.
        spaces: the blank before each token in raw text: "" or " ".
        token_of: word of the tree → surface token (their number can change).
        forms: words of the tree, function words in their new shapes.
    """

    tokens: tuple[str, ...]
    spaces: tuple[str, ...]
    token_of: tuple[int, ...]
    forms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SentenceLayout:
    """One sentence of a treebank with the facts needed to write it again with other words."""

    language: WritingRules
    tree: Tree
    original: RealisedSentence
    members: tuple[tuple[int, ...], ...]  # surface token → its words
    glue: Mapping[int, Glue | None]  # surface token of several words → how they are joined
    loud: bool  # whether all words are in capitals
    apostrophe: str  # the sign that the sentence uses
    detached: bool  # whether the sentence writes a blank after an elided word (*l' eau*)

    def shape(self, shape: str, like: str) -> str:
        """Return a function word or contraction (`shape`, as the language file has it) with the
        capitals of the word it replaces (`like`) and the apostrophe of the sentence."""
        text = shape.replace("'", self.apostrophe)
        return capitalise(text, "upper" if self.loud else pattern_of(like), self.language.language)


def layout_of(
    language: WritingRules, tree: Tree, tokens: Sequence[str], spaces: Sequence[str]
) -> SentenceLayout:
    """Return the layout of a sentence, given its tree and its surface tokens; `spaces` is what
    stands before each token, "" or " "."""
    members: list[list[int]] = [[] for _ in tokens]
    for node, token in enumerate(tree.tokens):
        members[token].append(node)
    glue: dict[int, Glue | None] = {}
    for token, nodes in enumerate(members):
        if len(nodes) > 1:
            words, upos = [tree.forms[node] for node in nodes], [tree.upos[node] for node in nodes]
            glue[token] = _glue_of(language, words, upos, tokens[token])
    is_curved = any("’" in token for token in tokens) and not any("'" in token for token in tokens)
    cased = [token for token in tokens if token.lower() != token.upper()]
    return SentenceLayout(
        language=language,
        tree=tree,
        original=RealisedSentence(tuple(tokens), tuple(spaces), tree.tokens, tree.forms),
        members=tuple(map(tuple, members)),
        glue=glue,
        loud=len(cased) > 1 and all(token == token.upper() for token in cased),
        apostrophe="’" if is_curved else "'",
        detached=any(
            blank_behind != "" and plain(token) in language.attached
            for token, blank_behind in zip(tokens, spaces[1:], strict=False)
        ),
    )


def write(
    layout: SentenceLayout, changed: Mapping[int, str], *, forced: bool = False
) -> RealisedSentence:
    """Write the sentence with the words of `changed` (word → form), function words included.

    With `forced` every token of several words is rebuilt, and neighbours that contract become one
    token, even if no word changed.
    """
    forms = list(layout.tree.forms)
    for node, form in changed.items():
        forms[node] = form
    affected = set(range(len(forms)) if forced else changed)
    if layout.language.seam:
        _apply_seams(layout, forms, affected)
    affected_tokens = {layout.tree.tokens[node] for node in affected}
    remade = {token: _texts(layout, token, forms) for token in affected_tokens}
    if layout.language.contraction:
        remade |= _contracted_pairs(layout, forms, affected)
    tokens: list[str] = []
    spaces: list[str] = []
    token_of = [0] * len(forms)
    for token, nodes in enumerate(layout.members):
        texts = remade.get(token, (layout.original.tokens[token],))
        if texts:
            space = layout.original.spaces[token]
            if tokens and layout.language.attach:
                space = _space_after(layout, tokens[-1], token - 1)
            spaces.append(space)
            if len(texts) == 2:
                spaces.append("" if _is_elided(layout, texts[0]) else " ")
            tokens += texts
        # one text has all words of the token, of two texts the second has all but the first word;
        # without a text, the word is in the contraction before
        last = len(tokens) - 1
        for place, node in enumerate(nodes):
            token_of[node] = min(last, len(tokens) - len(texts) + place)
    return RealisedSentence(tuple(tokens), tuple(spaces), tuple(token_of), tuple(forms))


def _first_of_pairs(affected: set[int], n: int) -> list[int]:
    """Return the first words of all pairs of neighbours in which a word has changed. These are the
    changed words (`affected`) and the words before them, except the last of the sentence's `n`
    words."""
    return sorted(word for word in {node - 1 for node in affected} | affected if 0 <= word < n - 1)


def _apply_seams(layout: SentenceLayout, forms: list[str], affected: set[int]) -> None:
    """Apply the seam rules between a changed word and a neighbour that is written together with it
    as a token of its own. Updates `forms`, and adds the changed words to `affected`."""
    token_of = layout.tree.tokens
    for word in _first_of_pairs(affected, len(forms)):
        following = token_of[word + 1]
        if token_of[word] != following and layout.original.spaces[following] == "":
            pair = _with_seams(layout.language, forms[word : word + 2])
            if len(pair) == 2 and pair != forms[word : word + 2]:
                forms[word : word + 2] = pair
                affected |= {word, word + 1}


def _texts(layout: SentenceLayout, token: int, forms: Sequence[str]) -> tuple[str, ...]:
    """Return the new text of a token as a tuple: one string, or two if its words can no longer be
    contracted."""
    tree, nodes, old = layout.tree, layout.members[token], layout.original.tokens[token]
    words = [forms[node] for node in nodes]
    if len(nodes) == 1:
        return (words[0] if words[0] != tree.forms[nodes[0]] else old,)
    glue = layout.glue[token]
    if glue is None:
        assert words == [tree.forms[node] for node in nodes], "a closed word"
        return (old,)
    if glue != CONTRACTED:
        return (_join_words(layout.language, words, glue),)
    contraction, _ = _contraction(layout.language, words, [tree.upos[node] for node in nodes])
    if contraction:
        return (layout.shape(contraction, old),)
    second = words[1].upper() if pattern_of(old) == "upper" else words[1]
    return layout.shape(plain(words[0]), old), second


def _contracted_pairs(
    layout: SentenceLayout, forms: Sequence[str], affected: set[int]
) -> dict[int, tuple[str, ...]]:
    """Return the new texts of pairs of tokens that must be contracted: first token → the
    contraction, second token → no text."""
    merged: dict[int, tuple[str, ...]] = {}
    tree, members = layout.tree, layout.members
    for word in _first_of_pairs(affected, len(forms)):
        token, following = tree.tokens[word : word + 2]
        pair, upos = forms[word : word + 2], tree.upos[word : word + 2]
        contraction, obligatory = _contraction(layout.language, pair, upos)
        are_single_words = len(members[token]) == len(members[following]) == 1
        # a word that was contracted with the one before it is not contracted again
        if obligatory and are_single_words and token not in merged:
            merged |= {token: (layout.shape(contraction, forms[word]),), following: ()}
    return merged


def _space_after(layout: SentenceLayout, text: str, token: int) -> str:
    """Return the blank between the new `text` and the token after it: the one that followed the old
    `token`, unless only one of the two texts is elided (*l'*)."""
    attaches = _is_elided(layout, text)
    if attaches == _is_elided(layout, layout.original.tokens[token]):
        return layout.original.spaces[token + 1]
    return "" if attaches and not layout.detached else " "


def _is_elided(layout: SentenceLayout, text: str) -> bool:
    """Tell whether a text is elided (*l'*), so that no blank follows it."""
    return text.endswith(APOSTROPHES) and plain(text) in layout.language.attached


def _glue_of(
    language: WritingRules, words: Sequence[str], upos: Sequence[str], token: str
) -> Glue | None:
    """Return the signs between the words of a token. They are `CONTRACTED` for a contraction, and
    `None` if no rule makes the token of its words."""
    if _contraction(language, words, upos)[0] == plain(token):
        return CONTRACTED
    gaps = ("",) * (len(words) - 1)
    if _join_words(language, words, gaps) == token:
        return gaps
    pattern = SIGNS.join(map(re.escape, words))
    signs = re.fullmatch(pattern, token)
    return signs.groups() if signs else None


def _contraction(
    language: WritingRules, words: Sequence[str], upos: Sequence[str]
) -> tuple[str, bool]:
    """Return the contraction of two words ("" if there is none), and whether it is obligatory. A
    capital on the second word (`El Salvador`) prevents it, unless the first is all in capitals."""
    contraction, obligatory = "", False
    if len(words) == 2:
        contraction, obligatory = language.contracted(words[0], words[1], upos[1])
    if contraction and pattern_of(words[1]) and pattern_of(words[0]) != "upper":
        return "", False
    return contraction, obligatory


def _join_words(language: WritingRules, words: Sequence[str], gaps: Sequence[str]) -> str:
    """Join words to one token, with the seam rules of the language applied; `gaps` are the signs
    between them."""
    texts = _with_seams(language, words)
    if len(texts) != len(words):
        return "".join(texts)
    return texts[0] + "".join(gap + text for gap, text in zip(gaps, texts[1:], strict=True))


def _with_seams(language: WritingRules, words: Sequence[str]) -> list[str]:
    """Apply the language's seam rules between words that are written together, and return the
    words; fewer, if a rule merges two."""
    if not language.seam:
        return list(words)
    text = BOUNDARY.join(words)
    for seam in language.seam:
        text = seam.pattern.sub(seam.becomes, text)
    return text.split(BOUNDARY)


def pattern_of(form: str) -> CasePattern:
    """Return the pattern of capitals in a form: "" if it has none, `title`, `upper` or `mixed`. A
    single capital letter is `title`."""
    if form == form.lower():
        return ""
    cased = [char for char in form if char.isupper() or char.islower()]
    if not cased[0].isupper():
        return "mixed"
    if len(cased) > 1 and all(map(str.isupper, cased)):
        return "upper"
    return "title" if all(map(str.islower, cased[1:])) else "mixed"


def required_capitals(tree: Tree, *, loud: bool) -> dict[int, CasePattern]:
    """Return the words that must have capitals at their place → `title` or `upper`.

    The first word of a sentence has a capital letter if the old first word had one. A word that
    replaces one all in capitals (of four letters or more: fewer may be an abbreviation), or any
    word of a sentence all in capitals (`loud`), is all in capitals. A name (PROPN) keeps its own
    capitals, and no capital is ever removed, so German nouns stay as the lexicon has them. A
    sentence begins with its first word, and after a full stop or colon; quotes do not count.
    """
    demands: dict[int, CasePattern] = {}
    initial = True
    for node, form in enumerate(tree.forms):
        n_letters, pattern = sum(map(str.isalpha, form)), pattern_of(form)
        if loud:
            demands[node] = "upper"
        elif tree.upos[node] != "PROPN" and pattern in ("title", "upper"):
            if pattern == "upper" and n_letters > MAX_ABBREVIATION:
                demands[node] = "upper"
            elif initial:
                demands[node] = "title"
        if n_letters:
            initial = False
        elif form and form[-1] in SENTENCE_ENDS:
            initial = True
    return demands


def capitalise(form: str, pattern: CasePattern, language: str) -> str:
    """Return a form with capitals: `upper` for all letters, `title` for the first letter or digit;
    other letters stay as they are."""
    if pattern == "title":
        start = next((n for n, char in enumerate(form) if char.isalnum()), 0)
        digraph = CAPITAL_DIGRAPHS.get(language)
        end = start + (len(digraph) if digraph and form.startswith(digraph, start) else 1)
        return form[:start] + capitalise(form[start:end], "upper", language) + form[end:]
    if pattern == "upper":
        return (form.replace("i", "İ") if language in WITH_DOTLESS_I else form).upper()
    return form
