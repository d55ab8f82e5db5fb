"""Well-formed text after words were replaced: articles, elision, contractions, capitals.

A file per language in `languages/` says which words change with the sound of their neighbour and
which are written as one. A function word *alternates* if its shape depends on a neighbour's sound
(*a*, *an*); the neighbour is the *trigger*. A `Realiser` has the rules of one language and makes
the `SentencePlan` of a sentence: what can change in it, worked out once for all its variants.
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

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
    capitalise,
    layout_of,
    required_capitals,
    write,
)

HEAD_FIRST = frozenset({"ADJ", "DET", "NUM"})  # these agree with their head: ask it first
PAUSE = re.compile(r"[,.;:!?…–—]|--")  # a word does not adapt to its neighbour across one of these


class AlternatingWord(NamedTuple):
    """A word whose shape depends on a neighbour's sound (*a*, *an*), and that neighbour, the
    trigger."""

    node: int
    rule: Alternation
    trigger: int  # the neighbour that decides the shape, by its beginning or (rule.after) its end
    sound: str  # sound class of the trigger in the original, a key of the rule's shapes


def forbids(rule: ClosedWords, tree: Tree, node: int, joined_to_next: Sequence[bool]) -> bool:
    """Tell whether a rule of the language forbids replacing the word `node`. `joined_to_next` tells
    for each word whether the next one follows without a blank."""
    # the words that are written together with it; −1 for none
    next_node = node + 1 if joined_to_next[node] else -1
    previous = node - 1 if node and joined_to_next[node - 1] else -1
    patterns = ((rule.form, node), (rule.next, next_node), (rule.previous, previous))
    return (
        (not rule.upos or tree.upos[node] in rule.upos)
        and all(value_of(tree.feats[node], name) == value for name, value in rule.feats)
        and (not rule.before or (next_node >= 0 and tree.upos[next_node] in rule.before))
        and all(
            index >= 0 and pattern.fullmatch(plain(tree.forms[index])) is not None
            for pattern, index in patterns
            if pattern is not None
        )
    )


def rules_for(
    language: WritingRules, tree: Tree, node: int, form: str, *, after: bool
) -> Sequence[Alternation]:
    """Return the alternation rules for `form` at the place `node` of a tree, by which it adapts to
    the next word or, with `after`, to the previous one: one rule in general, none if its shape does
    not vary, several if the form is ambiguous.

    A form can be a shape of several words (`l'` of `il` and `la`). The features of the word and of
    its head decide between them.
    """
    upos = tree.upos[node]
    fitting = [
        rule
        for rule in language.rules_of_shape.get(plain(form), ())
        if rule.after is after and (not rule.upos or upos in rule.upos)
    ]
    if len(fitting) > 1:
        judged = [(rule, _fits(rule, tree, node)) for rule in fitting]
        certain = [rule for rule, fits in judged if fits]
        possible = [rule for rule, fits in judged if fits is None]
        fitting = certain[:1] or possible
    varies = any(len(rule.shapes) > 1 for rule in fitting)
    return fitting if varies else ()


def _fits(rule: Alternation, tree: Tree, node: int) -> bool | None:
    """Tell whether a word or its head has the features that a rule asks for; `None` if their FEATS
    do not show it."""
    bearers = [node, tree.heads[node]]  # the words whose features are looked up, in this order
    if tree.upos[node] in HEAD_FIRST:
        bearers.reverse()
    is_known = True
    for name, value in rule.when:
        of_bearers = (value_of(tree.feats[bearer], name) for bearer in bearers if bearer >= 0)
        values = next(filter(None, of_bearers), None)
        if values is None:
            is_known = False
        elif value not in values.split(","):
            return False
    return True if is_known else None


def neighbours(tree: Tree) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two tuples: for each word the next word that has a letter or digit, and the previous
    one; −1 for none. Quotes and brackets between two words are skipped. After a comma or a full
    stop a word has no neighbour."""
    following, preceding = [-1] * len(tree), [-1] * len(tree)
    last_sounding = -1
    for node, form in enumerate(tree.forms):
        preceding[node] = last_sounding  # also for an apostrophe, which can be a word by itself
        if any(map(str.isalnum, form)):
            if last_sounding >= 0:
                following[last_sounding] = node
            last_sounding = node
        elif PAUSE.search(form):
            last_sounding = -1
    return tuple(following), tuple(preceding)


@dataclass(frozen=True, slots=True)
class SentencePlan:
    """One sentence of a treebank, and what replacing a word would change in it.

    Built by `Realiser.plan`. A word is given by its index in the tree, from 0.

    Attributes:
        layout: how the sentence is written, with its tree and the rules of its language.
        adapting_before: word → the word before it whose shape depends on this word's beginning.
        adapting_after: word → the word after it whose shape depends on this word's end.
        next_word: for each word, the next word that has a letter or digit; −1 for none.
        closed: words that must not be replaced, since they are part of a token that cannot be
            rebuilt, or a rule of the language forbids it.
        fixed: words whose replacement must begin with the same sound, since a word before them
            depends on it and no rule adapts that word → the sound class, and the first letter if
            that must be the same, too, else "".
        capitals: words that must have capitals at their place → title or upper.
    """

    layout: SentenceLayout
    adapting_before: Mapping[int, AlternatingWord]
    adapting_after: Mapping[int, AlternatingWord]
    next_word: Sequence[int]
    closed: Set[int]
    fixed: Mapping[int, tuple[str, str]]
    capitals: Mapping[int, CasePattern]

    def admits(self, node: int, form: str) -> bool:
        """Tell whether a form may replace a word of the sentence.

        Args:
            node: word of the tree.
            form: the form as it is written inside a sentence.

        Returns:
            Whether the word may be replaced, the new beginning is the one that its place requires,
            and the form has letters or digits if the word has.
        """
        letter, old_letter = _first_letter(form), _first_letter(self.layout.tree.forms[node])
        if node in self.closed or (old_letter and not letter):
            return False
        fixed_sound, fixed_letter = self.fixed.get(node, ("", ""))
        has_sound = not fixed_sound or self.layout.language.onset(form) == fixed_sound
        return has_sound and fixed_letter in ("", letter)

    def prefix_depends(self, node: int) -> bool:
        """Tell whether a word before this one depends on this one's beginning.

        Args:
            node: word of the tree.

        Returns:
            Whether replacing this word can change the word before it.
        """
        return node in self.adapting_before or node in self.fixed

    def realise(self, forms: Mapping[int, str]) -> RealisedSentence:
        """Write the sentence with some words replaced, and adapt the function words next to them.

        Args:
            forms: word of the tree → new form. It gets the capitals of its place, unless it is the
                old form.

        Returns:
            The sentence with its tokens and blanks.
        """
        new_forms = {
            node: self.cased(node, form)
            for node, form in forms.items()
            if form != self.layout.tree.forms[node]
        }
        return write(self.layout, self._adapted(new_forms)) if new_forms else self.layout.original

    def forced(self) -> RealisedSentence:
        """Write the sentence with every rule of spelling between neighbours (elision, *a*/*an*)
        applied everywhere. The result equals the original if its text follows the rules, which this
        serves to check.
        """
        return write(self.layout, self._adapted({}, forced=True), forced=True)

    def cased(self, node: int, form: str) -> str:
        """Return a form with the capitals that its place in the sentence requires."""
        return capitalise(form, self.capitals.get(node, ""), self.layout.language.language)

    def _adapted(self, new_forms: Mapping[int, str], *, forced: bool = False) -> dict[int, str]:
        """Return word → form for all words that change: the new words, and the function words next
        to them in the shapes that the new words require. With `forced`, all function words get the
        shapes that their neighbours require."""
        changed = dict(new_forms)
        for node in reversed(range(len(self.next_word))):  # a word can change the one before it
            if node in new_forms:
                changed[node] = self._fitted(node, changed)
            word = self.adapting_before.get(node)
            if word is not None and word.node not in new_forms:
                self._adapt(word, changed, forced=forced)
        for word in self.adapting_after.values():
            if word.node not in new_forms:
                self._adapt(word, changed, forced=forced)
        return changed

    def _fitted(self, node: int, changed: Mapping[int, str]) -> str:
        """Return a new word in the shape that the word after it requires (French *beau*, *bel*). A
        word that has a single shape is returned unchanged."""
        form, trigger = changed[node], self.next_word[node]
        rules = rules_for(self.layout.language, self.layout.tree, node, form, after=False)
        if len(rules) != 1 or trigger < 0:
            return form
        return self._legal_shape(rules[0].legal(self._sound_of(rules[0], trigger, changed)), form)

    def _sound_of(self, rule: Alternation, trigger: int, changed: Mapping[int, str]) -> str:
        """Return the sound class of a trigger (the neighbour that decides a word's shape), as the
        rule distinguishes sounds. `changed` has the new forms of words."""
        layout = self.layout
        form = changed.get(trigger, layout.tree.forms[trigger])
        return layout.language.shapes_key(rule, form, layout.tree.upos[trigger], loud=layout.loud)

    def _adapt(self, word: AlternatingWord, changed: dict[int, str], *, forced: bool) -> None:
        """Update in `changed` the form of a word that depends on its neighbour's sound (a/an,
        le/l'). The word is left alone while the neighbour's sound class is the same, unless
        `forced`. Forms that contract with the neighbour are preferred."""
        tree, trigger = self.layout.tree, word.trigger
        sound = self._sound_of(word.rule, trigger, changed) if trigger in changed else word.sound
        if sound == word.sound and not forced:
            return
        neighbour, upos = changed.get(trigger, tree.forms[trigger]), tree.upos[trigger]
        contracting: list[str] = []
        for form in word.rule.forms:
            _, is_obligatory = self.layout.language.contracted(form, neighbour, upos)
            contracting += [form] if is_obligatory else []
        shape = self._legal_shape(contracting or word.rule.legal(sound), tree.forms[word.node])
        if shape != tree.forms[word.node]:
            changed[word.node] = shape

    def _legal_shape(self, legal: Sequence[str], current: str) -> str:
        """Return the current form if it is one of the `legal` shapes, else the first of these,
        which is the usual one."""
        return current if plain(current) in legal else self.layout.shape(legal[0], current)


@dataclass(frozen=True, slots=True)
class Realiser:
    """The spelling rules of one language, applied to sentences. Built by `realiser` or
    `load_realiser`.

    Attributes:
        rules: rules of the language.
    """

    rules: WritingRules

    def sound(self, form: str) -> str:
        """Return the sound class of a word's beginning, as the language's function words
        distinguish it.

        Args:
            form: form of the word.

        Returns:
            The name of a class; in a language without classes, the first two letters as vowel and
            consonant (`CV`), or "" in a script whose vowels are not known.
        """
        return self.rules.onset(form)

    def plan(self, tree: Tree, tokens: Sequence[str], spaces: Sequence[str]) -> SentencePlan:
        """Return what can change in a sentence when its words are replaced. Called once per
        original.

        Args:
            tree: the sentence.
            tokens: its surface tokens.
            spaces: the blank before each token, "" or " ".

        Returns:
            The plan by which each variant of the sentence is written.
        """
        rules = self.rules
        layout = layout_of(rules, tree, tokens, spaces)
        rigid = _rigid_words(layout)
        surface = list(tree.forms)  # for each word, the text whose beginning is pronounced
        for token, nodes in enumerate(layout.members):
            if nodes and nodes[0] in rigid:
                surface[nodes[0]] = tokens[token]
        joined_to_next = [  # for each word, whether the next one follows without a blank
            token == following or spaces[following] == ""
            for token, following in zip(tree.tokens, tree.tokens[1:], strict=False)
        ]
        joined_to_next.append(False)
        next_word, previous_word = neighbours(tree)
        before, not_before = _alternating_words(layout, surface, rigid, next_word, after=False)
        after, not_after = _alternating_words(layout, surface, rigid, previous_word, after=True)
        fixed: dict[int, tuple[str, str]] = {}
        for node, previous in enumerate(previous_word):
            to_keep = self._kept_after(tree, previous) if previous >= 0 else set()
            is_attached = previous >= 0 and joined_to_next[previous] and node not in before
            is_after_elided = is_attached and rules.is_elided(tree.forms[previous])
            if is_after_elided or node in not_before | not_after:
                to_keep.add("sound")
            if to_keep and (sound := rules.onset(surface[node])):
                fixed_letter = _first_letter(surface[node]) if "letter" in to_keep else ""
                fixed[node] = sound, fixed_letter
        forbidden = {
            node
            for node in range(len(tree))
            if any(forbids(rule, tree, node, joined_to_next) for rule in rules.closed)
        }
        return SentencePlan(
            layout, before, after, next_word, closed=rigid | forbidden, fixed=fixed,
            capitals=required_capitals(tree, loud=layout.loud),
        )  # fmt: skip

    def _kept_after(self, tree: Tree, previous: int) -> set[str]:
        """Return what of its beginning a word must keep by the rules of the language because of the
        word `previous` before it: `sound`, `letter`, both or nothing."""
        form, upos = plain(tree.forms[previous]), {ANY, tree.upos[previous]}
        return {
            rule.same
            for rule in self.rules.fixed
            if form in rule.words or not upos.isdisjoint(rule.after)
        }


def _rigid_words(layout: SentenceLayout) -> set[int]:
    """Return the words of tokens that cannot be rebuilt from their words: no rule joins the words,
    or the only word is spelled in another way than the token."""
    rigid: set[int] = set()
    for token, nodes in enumerate(layout.members):
        if len(nodes) > 1:
            is_rigid = layout.glue[token] is None
        else:
            text = layout.original.tokens[token]
            is_rigid = any(text != layout.tree.forms[node] for node in nodes)
        rigid.update(nodes if is_rigid else ())
    return rigid


def _alternating_words(
    layout: SentenceLayout,
    surface: Sequence[str],
    rigid: Set[int],
    neighbour_of: Sequence[int],
    *,
    after: bool,
) -> tuple[dict[int, AlternatingWord], set[int]]:
    """Return two results for the words that adapt to the next word or, with `after`, to the
    previous one: trigger → the word whose shape depends on it, and the triggers whose dependent
    word cannot be adapted, since it is ambiguous or part of a token that no rule rebuilds."""
    tree, language = layout.tree, layout.language
    words: dict[int, AlternatingWord] = {}
    not_adapted: set[int] = set()
    for node, (form, trigger) in enumerate(zip(tree.forms, neighbour_of, strict=True)):
        fitting = rules_for(language, tree, node, form, after=after) if trigger >= 0 else ()
        if len(fitting) > 1 or (fitting and node in rigid):
            not_adapted.add(trigger)
        elif fitting:
            rule, upos = fitting[0], tree.upos[trigger]
            sound = language.shapes_key(rule, surface[trigger], upos, loud=layout.loud)
            words[trigger] = AlternatingWord(node, rule, trigger, sound)
    return words, not_adapted


def realiser(language: str) -> Realiser:
    """Return the realiser of a language, which writes sentences after words were replaced.

    Args:
        language: BCP-47 code; regions do not count.

    Returns:
        The realiser with the rules of the language's file; without a file one that adapts no word,
        so that a word after a function word must keep its first sound and letter.

    >>> from colorless_green.data import Tree
    >>> feats = "Definite=Ind|PronType=Art", "Number=Sing"
    >>> tree = Tree(("An", "apple"), ("a", "apple"), ("DET", "NOUN"), feats, (1, -1),
    ...             ("det", "root"), (0, 1))
    >>> realiser("en").plan(tree, ("An", "apple"), ("", " ")).realise({1: "key"}).tokens
    ('A', 'key')
    """
    return Realiser(language_of(language.partition("-")[0].lower()))


def load_realiser(path: Path) -> Realiser:
    """Return the realiser of a language file of the user's own (`docs/tutorial-plugin.md`).

    Args:
        path: path of a TOML file.

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
