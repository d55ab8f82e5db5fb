"""Well-formed text after words were exchanged: articles, elision, contractions, capitals.

One file a language in `languages/` says which words change with the sound of their neighbour and
which are written as one. Function words whose shape depends on a neighbour's sound *alternate*; the
neighbour is the *trigger*. A `Realiser` has the rules of one language and makes the `SentencePlan`
of a sentence: what can change in it, worked out once, so that each variant of it is quick to make.
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ....data.files import read_text
from ....data.items.features import value_of
from ....data.items.tree import Tree
from .language import (
    ANY,
    Alternation,
    ClosedWords,
    WritingRules,
    language_of,
    parse_language,
    plain,
)
from .layout import (
    CasePattern,
    RealisedSentence,
    SentenceLayout,
    in_case,
    layout_of,
    required_capitals,
    written,
)

HEAD_FIRST = frozenset({"ADJ", "DET", "NUM"})  # they agree: what they depend on knows the feature
OPAQUE = re.compile(r"[,.;:!?…–—]|--")  # a sound does not reach over these; it does over quotes

AlternationRules: TypeAlias = Mapping[str, Sequence[Alternation]]


class AlternatingWord(NamedTuple):
    """A word, the rule it follows, and the neighbour that decides."""

    node: int
    rule: Alternation
    trigger: int  # the word whose beginning (or end, for a rule that looks behind) counts
    key: str  # the sound heard there now, as the rule sees it


def closes(rule: ClosedWords, tree: Tree, node: int, together: Sequence[bool]) -> bool:
    """Return whether a rule of the language forbids to exchange a word; `together`: for each word
    whether the next one is written to it."""
    next_node = node + 1 if together[node] else -1
    previous = node - 1 if node and together[node - 1] else -1

    def looks(pattern: re.Pattern[str] | None, index: int) -> bool:
        form = plain(tree.forms[index]) if index >= 0 else None
        return pattern is None or (form is not None and pattern.fullmatch(form) is not None)

    return (
        (not rule.upos or tree.upos[node] in rule.upos)
        and all(value_of(tree.feats[node], name) == value for name, value in rule.feats)
        and (not rule.before or (next_node >= 0 and tree.upos[next_node] in rule.before))
        and looks(rule.form, node)
        and looks(rule.next, next_node)
        and looks(rule.previous, previous)
    )


def rules_of(rules: AlternationRules, tree: Tree, node: int, form: str) -> Sequence[Alternation]:
    """Return the rule for a word that looks like `form` at a node of the tree; several, where it is
    not told which, and none where it does not change.

    A form can belong to several words (`l'` is `il` and `la`): the features decide. With one word
    only the form itself tells.
    """
    upos = tree.upos[node]
    fitting = [rule for rule in rules.get(plain(form), ()) if not rule.upos or upos in rule.upos]
    if len(fitting) > 1:
        fits = [(rule, _fits(rule, tree, node)) for rule in fitting]
        sure = [rule for rule, fit in fits if fit]
        fitting = sure[:1] or [rule for rule, fit in fits if fit is None]
    return fitting if any(len(rule.shapes) > 1 for rule in fitting) else ()


def _fits(rule: Alternation, tree: Tree, node: int) -> bool | None:
    """Return whether a word (or its head) has the features of a rule; `None` where that is not
    known."""
    bearers = [node, tree.heads[node]]
    if tree.upos[node] in HEAD_FIRST:
        bearers.reverse()
    fits: bool | None = True
    for name, value in rule.when:
        found = (value_of(tree.feats[bearer], name) for bearer in bearers if bearer >= 0)
        values = next(filter(None, found), None)
        if values is None:
            fits = None
        elif value not in values.split(","):
            return False
    return fits


def neighbours(tree: Tree) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return for each word the next and the previous one with a sound, −1 for none. Quotes,
    brackets and the like are passed over; a comma or a full stop ends what can be heard."""
    following, preceding = [-1] * len(tree), [-1] * len(tree)
    last_sounding = -1
    for node, form in enumerate(tree.forms):
        preceding[node] = last_sounding  # also for a mere apostrophe, which can be a word
        if any(map(str.isalnum, form)):
            if last_sounding >= 0:
                following[last_sounding] = node
            last_sounding = node
        elif OPAQUE.search(form):
            last_sounding = -1
    return tuple(following), tuple(preceding)


@dataclass(frozen=True, slots=True)
class SentencePlan:
    """One sentence of a treebank, and what an exchanged word would change in it.

    Built by `Realiser.plan`. Words are those of the tree, from 0.

    Attributes:
        layout: how it is written, with its tree and the rules of its language.
        ahead: word → the word before it whose shape depends on its beginning.
        behind: word → the word after it whose shape depends on its end.
        next_word: for each word the next that can be heard, −1 for none.
        closed: words that may not be exchanged: part of a token that cannot be made anew, or the
            rules of the language forbid it.
        fixed: words whose replacement must begin with the same sound, since something before them
            depends on it and no rule repairs that → the sound, and the letter if that must be the
            same, too, else "".
        capitals: words whose place asks for some → title or upper.
    """

    layout: SentenceLayout
    ahead: Mapping[int, AlternatingWord]
    behind: Mapping[int, AlternatingWord]
    next_word: Sequence[int]
    closed: Set[int]
    fixed: Mapping[int, tuple[str, str]]
    capitals: Mapping[int, CasePattern]

    def admits(self, node: int, form: str) -> bool:
        """Return whether a form may stand in the place of a word.

        Args:
            node: word of the tree.
            form: as it is written inside a sentence.

        Returns:
            Whether the word may be exchanged, what is fixed of its beginning stays the same, and
            the form has letters or digits if the word has.
        """
        letter = _first_letter(form)
        if node in self.closed or not (letter or not _first_letter(self.layout.tree.forms[node])):
            return False
        sound, first_letter = self.fixed.get(node, ("", ""))
        fits = not sound or self.layout.language.onset(form) == sound
        return fits and first_letter in ("", letter)

    def prefix_depends(self, node: int) -> bool:
        """Return whether a word before this one changes with this one's beginning, or would have
        to.

        Args:
            node: word of the tree.

        Returns:
            Whether exchanging it can change what stands before it.
        """
        return node in self.ahead or node in self.fixed

    def realise(self, forms: Mapping[int, str]) -> RealisedSentence:
        """Write the sentence with some words exchanged; function words next to these may change,
        too.

        Args:
            forms: word of the tree → new form. It gets the capitals of its place, unless it is the
                word that stands there.

        Returns:
            The sentence as it is written.
        """
        new = {
            node: self.cased(node, form)
            for node, form in forms.items()
            if form != self.layout.tree.forms[node]
        }
        return written(self.layout, self._adapted(new)) if new else self.layout.original

    def forced(self) -> RealisedSentence:
        """Write the sentence with every rule applied everywhere, as if each word had been exchanged
        for itself: the original, where rules and text agree."""
        changed: dict[int, str] = {}
        rightmost_first = (self.ahead[trigger] for trigger in sorted(self.ahead, reverse=True))
        for word in (*rightmost_first, *self.behind.values()):
            self._adapt(word, changed, forced=True)
        return written(self.layout, changed, forced=True)

    def cased(self, node: int, form: str) -> str:
        """Return a form with the capitals that its place asks for."""
        return in_case(form, self.capitals.get(node, ""), self.layout.language.language)

    def _adapted(self, new: Mapping[int, str]) -> dict[int, str]:
        """Put the exchanged words into the shapes that their positions ask for, and the words next
        to them that change: from the last to the first, since each can change the one before it."""
        changed = dict(new)
        for node in sorted(new, reverse=True) if self.layout.language.ahead else ():
            changed[node] = self._fitted(node, changed)
            trigger = node
            while (word := self.ahead.get(trigger)) is not None and word.node not in new:
                if not self._adapt(word, changed):
                    break
                trigger = word.node
        for node in tuple(changed) if self.behind else ():
            word = self.behind.get(node)
            if word is not None and word.node not in new:
                self._adapt(word, changed)
        return changed

    def _fitted(self, node: int, changed: Mapping[int, str]) -> str:
        """Return the shape of an exchanged word that has several (French *beau*, *bel*)."""
        form, trigger = changed[node], self.next_word[node]
        rules = rules_of(self.layout.language.ahead, self.layout.tree, node, form)
        if len(rules) != 1 or trigger < 0:
            return form
        return self._choice(rules[0].legal(self._key(rules[0], trigger, changed)), form)

    def _key(self, rule: Alternation, trigger: int, changed: Mapping[int, str]) -> str:
        """Return the sound of a trigger as a rule hears it."""
        layout = self.layout
        form = changed.get(trigger, layout.tree.forms[trigger])
        return layout.language.key(rule, form, layout.tree.upos[trigger], loud=layout.loud)

    def _adapt(
        self, word: AlternatingWord, changed: dict[int, str], *, forced: bool = False
    ) -> bool:
        """Put an alternating word into the shape its neighbour asks for. Return whether it changed.
        If the neighbour sounds as before, it does not, unless every rule is `forced`."""
        tree, trigger = self.layout.tree, word.trigger
        key = self._key(word.rule, trigger, changed) if trigger in changed else word.key
        if key == word.key and not forced:
            return False
        neighbour, upos = changed.get(trigger, tree.forms[trigger]), tree.upos[trigger]
        contracted = self.layout.language.contracted
        joins = [form for form in word.rule.forms if contracted(form, neighbour, upos)[1]]
        shape = self._choice(joins or word.rule.legal(key), tree.forms[word.node])
        if shape == tree.forms[word.node]:
            return False
        changed[word.node] = shape
        return True

    def _choice(self, legal: Sequence[str], current: str) -> str:
        """Return the word as it is if that is legal (the treebank's choice), else the usual
        shape."""
        return current if plain(current) in legal else self.layout.shape(legal[0], current)


@dataclass(frozen=True, slots=True)
class Realiser:
    """The rules of spelling of one language at work. Built by `realiser` or `load_realiser`.

    Attributes:
        rules: of the language.
    """

    rules: WritingRules

    def sound(self, form: str) -> str:
        """Return the class of a word's beginning, as the language's function words distinguish it.

        Args:
            form: of the word.

        Returns:
            The name of a class; in a language without any, the first two letters as vowel and
            consonant (`CV`), or "" where the script does not tell.
        """
        return self.rules.onset(form)

    def plan(self, tree: Tree, tokens: Sequence[str], spaces: Sequence[str]) -> SentencePlan:
        """Return what can change in a sentence; made once for each original.

        Args:
            tree: the sentence.
            tokens: its surface tokens.
            spaces: what stands before each, "" or " "; as many as tokens.

        Returns:
            The plan by which each variant of the sentence is written.
        """
        rules = self.rules
        layout = layout_of(rules, tree, tokens, spaces)
        rigid = {  # words of a token that no rule makes of them
            node
            for token, nodes in enumerate(layout.members)
            for node in nodes
            if (layout.glue[token] is None if len(nodes) > 1 else tokens[token] != tree.forms[node])
        }
        surface = list(tree.forms)  # for each word how it sounds in the text
        for token, nodes in enumerate(layout.members):
            if nodes and nodes[0] in rigid:
                surface[nodes[0]] = tokens[token]
        together = [  # whether the next word is written to a word without a blank
            token == following or spaces[following] == ""
            for token, following in zip(tree.tokens, tree.tokens[1:], strict=False)
        ]
        together.append(False)
        next_word, previous_word = neighbours(tree)
        ahead, undecided = _by_trigger(rules.ahead, layout, surface, rigid, next_word)
        behind, further = _by_trigger(rules.behind, layout, surface, rigid, previous_word)
        fixed: dict[int, tuple[str, str]] = {}
        for node, previous in enumerate(previous_word):
            same: set[str] = {"sound"} if node in undecided | further else set()
            if previous >= 0:
                form, upos = plain(tree.forms[previous]), {ANY, tree.upos[previous]}
                same |= {
                    rule.same
                    for rule in rules.fixed
                    if form in rule.words or not upos.isdisjoint(rule.after)
                }
                elided = rules.attach and form.endswith(rules.attach)
                same |= {"sound"} if elided and together[previous] and node not in ahead else set()
            if same and (sound := rules.onset(surface[node])):
                fixed[node] = sound, _first_letter(surface[node]) if "letter" in same else ""
        closed = {
            node
            for node in range(len(tree))
            if node in rigid or any(closes(rule, tree, node, together) for rule in rules.closed)
        }
        capitals = required_capitals(tree, loud=layout.loud)
        return SentencePlan(layout, ahead, behind, next_word, closed, fixed, capitals)


def _by_trigger(
    rules: AlternationRules,
    layout: SentenceLayout,
    surface: Sequence[str],
    rigid: Set[int],
    neighbour: Sequence[int],
) -> tuple[dict[int, AlternatingWord], set[int]]:
    """Return alternating words by their trigger, and the triggers of words of which it is not told
    which they are and of those in a token no rule makes."""
    tree = layout.tree
    words: dict[int, AlternatingWord] = {}
    undecided: set[int] = set()
    for node, form in enumerate(tree.forms) if rules else ():
        trigger = neighbour[node]
        fitting = rules_of(rules, tree, node, form) if trigger >= 0 else ()
        if len(fitting) > 1 or (fitting and node in rigid):
            undecided.add(trigger)
        elif fitting:
            key = layout.language.key(
                fitting[0], surface[trigger], tree.upos[trigger], loud=layout.loud
            )
            words[trigger] = AlternatingWord(node, fitting[0], trigger, key)
    return words, undecided


def realiser(language: str) -> Realiser:
    """Return the realiser of a language: it writes sentences after words were exchanged.

    Args:
        language: BCP-47 code; regions do not count.

    Returns:
        The realiser with the rules of the language's file; without a file one that repairs nothing,
        so that a word after a function word must keep its first sound and letter.

    >>> from colorless_green.data import Tree
    >>> feats = "Definite=Ind|PronType=Art", "Number=Sing"
    >>> tree = Tree(("An", "apple"), ("a", "apple"), ("DET", "NOUN"), feats, (1, -1),
    ...             ("det", "root"), (0, 1))
    >>> realiser("en").plan(tree, ("An", "apple"), ("", " ")).realise({1: "key"}).tokens
    ('A', 'key')
    """
    return _realiser(language.partition("-")[0].lower())


@lru_cache(maxsize=256)
def _realiser(code: str) -> Realiser:
    """Return the realiser of a language by its code without region."""
    return Realiser(language_of(code))


def load_realiser(path: Path) -> Realiser:
    """Return the realiser of a language file of the user's own (`docs/tutorial-plugin.md`).

    Args:
        path: of a TOML file.

    Returns:
        The realiser with its rules.

    Raises:
        InputError: with the entry and the key at fault; also where the file cannot be read.

    >>> _ = Path("it.toml").write_text('language = "it"\\n[[sound]]\\nname = "C"\\npattern = ""\\n')
    >>> load_realiser(Path("it.toml")).sound("cane")
    'C'
    """
    return Realiser(parse_language(read_text(path), str(path)))


def _first_letter(form: str) -> str:
    """Return the first letter or digit of a form, in lower case; "" if it has none."""
    return next((char for char in form.lower() if char.isalnum()), "")
