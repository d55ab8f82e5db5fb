"""What can change in one sentence, worked out once, so that each variant of it is quick to make.

Function words whose shape depends on a neighbour's sound *alternate*; the neighbour is the
*trigger*. A `Realiser` has the rules of one language; it makes the `SentencePlan` of a sentence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from ....data.files import read_text
from ....data.items.tree import Tree
from ._alternation import AlternatingWord, SoundClassifier, by_trigger, closes, neighbours, rule_of
from ._sound import beginnings, endings
from .language import ANY, Alternation, WritingRules, language_of, parse_language, plain
from .layout import (
    RealisedSentence,
    RequiredCase,
    SentenceLayout,
    capitalised,
    in_capitals,
    layout_of,
    required_case,
    written,
)

SENTENCE_ENDS = frozenset(".!?:")  # after these a capital is no part of the word


@dataclass(frozen=True, slots=True)
class SentencePlan:
    """One sentence of a treebank, and what an exchanged word would change in it.

    Built by `Realiser.plan`. Words are those of the tree, from 0.

    Attributes:
        language: its rules.
        classes: class of the beginning and the end of a form, as function words distinguish them.
        tree: the sentence.
        layout: how it is written.
        ahead: word → the word before it whose shape depends on its beginning.
        behind: word → the word after it whose shape depends on its end.
        next_word: for each word the next that can be heard, −1 for none.
        closed: words that may not be exchanged.
        same_sound: words whose replacement must begin with the same sound, since something before
            them depends on it and no rule repairs that → the sound.
        same_letter: words whose replacement must begin with the same letter, too → the letter.
        capitals: words whose place asks for some → title or upper.
    """

    language: WritingRules
    classes: SoundClassifier
    tree: Tree
    layout: SentenceLayout
    ahead: Mapping[int, AlternatingWord]
    behind: Mapping[int, AlternatingWord]
    next_word: tuple[int, ...]
    closed: frozenset[int]
    same_sound: Mapping[int, str]
    same_letter: Mapping[int, str]
    capitals: Mapping[int, RequiredCase]

    def open(self, node: int) -> bool:
        """Return whether a word may be exchanged.

        Args:
            node: word of the tree.

        Returns:
            Whether it is alone in its token, or the token can be made anew, and no rule of the
            language forbids it.
        """
        return node not in self.closed

    def admits(self, node: int, form: str) -> bool:
        """Return whether a form may stand in the place of a word.

        Args:
            node: word of the tree.
            form: as it is written inside a sentence.

        Returns:
            Whether the word is open, what is fixed of its beginning stays the same, and the form
            has letters or digits if the word has.
        """
        if node in self.closed:
            return False
        if not _first_letter(form) and _first_letter(self.tree.forms[node]):
            return False
        if node in self.same_sound and self.classes.onset(form) != self.same_sound[node]:
            return False
        return node not in self.same_letter or _first_letter(form) == self.same_letter[node]

    def is_fixed(self, node: int) -> bool:
        """Return whether `admits` asks anything of the beginning of a word's replacement.

        Args:
            node: word of the tree.

        Returns:
            Whether its first sound or letter must stay.
        """
        return node in self.same_sound or node in self.same_letter

    def prefix_depends(self, node: int) -> bool:
        """Return whether a word before this one changes with this one's beginning, or would have
        to.

        Args:
            node: word of the tree.

        Returns:
            Whether exchanging it can change what stands before it.
        """
        return node in self.ahead or node in self.same_sound

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
            if form != self.tree.forms[node]
        }
        if not new:
            return self.layout.original
        return written(self.layout, self._adapted(new))

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
        match self.capitals.get(node):
            case "upper":
                return in_capitals(form, self.language.code)
            case "title":
                return capitalised(form, self.language.code)
        return form

    def _adapted(self, new: Mapping[int, str]) -> dict[int, str]:
        """Put the exchanged words into the shapes that their positions ask for, and the words next
        to them that change: from the last to the first, since each can change the one before it."""
        changed = dict(new)
        shapes = self.language.ahead
        for node in sorted(new, reverse=True) if shapes else ():
            if plain(changed[node]) in shapes:
                changed[node] = self._fitted(node, changed)
            trigger = node
            while (word := self.ahead.get(trigger)) is not None and word.node not in new:
                if not self._adapt(word, changed):
                    break
                trigger = word.node
        if self.language.behind:
            for node in tuple(changed):
                word = self.behind.get(node)
                if word is not None and word.node not in new:
                    self._adapt(word, changed)
        return changed

    def _fitted(self, node: int, changed: Mapping[int, str]) -> str:
        """Return the shape of an exchanged word that has several (French *beau*, *bel*)."""
        form, trigger = changed[node], self.next_word[node]
        rule = rule_of(self.language.ahead, self.tree, node, form)
        if not isinstance(rule, Alternation) or trigger < 0:
            return form
        neighbour = changed.get(trigger, self.tree.forms[trigger])
        key = self.classes.key(rule, neighbour, self.tree.upos[trigger], backward=False)
        return self._choice(rule.legal(key), form)

    def _adapt(
        self, word: AlternatingWord, changed: dict[int, str], *, forced: bool = False
    ) -> bool:
        """Put an alternating word into the shape its neighbour asks for. Return whether it changed.
        If the neighbour sounds as before, it does not, unless every rule is `forced`."""
        key, upos = word.key, self.tree.upos[word.trigger]
        neighbour = changed.get(word.trigger, self.tree.forms[word.trigger])
        if word.trigger in changed:
            key = self.classes.key(
                word.rule, neighbour, upos, backward=self.behind.get(word.trigger) is word
            )
        if key == word.key and not forced:
            return False
        current = self.tree.forms[word.node]
        joins = [form for form in word.rule.forms if self.language.joins(form, neighbour, upos)]
        shape = self._choice(joins or word.rule.legal(key), current)
        if shape == current:
            return False
        changed[word.node] = shape
        return True

    def _choice(self, legal: Sequence[str], current: str) -> str:
        """Return the word as it is if that is legal (the treebank's choice), else the usual
        shape."""
        if not legal or plain(current) in legal:
            return current
        return self.layout.shape(legal[0], current)


@dataclass(frozen=True, slots=True)
class Realiser:
    """The rules of spelling of one language at work. Built by `realiser` or `load_realiser`.

    Attributes:
        rules: of the language.
        classes: class of the beginning and the end of a form, as function words distinguish them.
    """

    rules: WritingRules
    classes: SoundClassifier

    def sound(self, form: str) -> str:
        """Return the class of a word's beginning, as the language's function words distinguish it.

        Args:
            form: of the word.

        Returns:
            The name of a class; in a language without any, the first two letters as vowel and
            consonant (`CV`), or "" where the script does not tell.
        """
        return self.classes.onset(form)

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
        classes = replace(self.classes, loud=layout.loud)
        fixed_words = frozenset(  # words of a token that no rule makes of them
            node
            for token, nodes in enumerate(layout.members)
            for node in nodes
            if (layout.glue[token] is None if len(nodes) > 1 else tokens[token] != tree.forms[node])
        )
        together = [  # whether the next word is written to a word without a blank
            token == following or spaces[following] == ""
            for token, following in zip(tree.tokens, tree.tokens[1:], strict=False)
        ]
        together.append(False)
        first_words = {nodes[0] for nodes in layout.members}
        surface = [
            tokens[token] if node in fixed_words and node in first_words else form
            for node, (form, token) in enumerate(zip(tree.forms, tree.tokens, strict=True))
        ]
        next_word, previous_word = neighbours(tree)
        ahead, fixed_ahead = by_trigger(rules.ahead, classes, tree, surface, fixed_words, next_word)
        behind, fixed_behind = by_trigger(
            rules.behind, classes, tree, surface, fixed_words, previous_word, backward=True
        )
        fixed, letter = fixed_ahead | fixed_behind, set[int]()
        for node, previous in enumerate(previous_word):
            if previous < 0:
                continue
            form = plain(tree.forms[previous])
            for rule in rules.fixed:
                if ANY in rule.after or tree.upos[previous] in rule.after or form in rule.words:
                    fixed.add(node)
                    if rule.same == "letter":
                        letter.add(node)
            elided = rules.attach and form.endswith(rules.attach)
            if elided and together[previous] and node not in ahead:
                fixed.add(node)
        sounds = {node: classes.onset(surface[node]) for node in sorted(fixed)}
        closed = fixed_words.union(
            node
            for node in (range(len(tree)) if rules.closed else ())
            if any(closes(rule, tree, node, together) for rule in rules.closed)
        )
        return SentencePlan(
            language=rules,
            classes=classes,
            tree=tree,
            layout=layout,
            ahead=ahead,
            behind=behind,
            next_word=next_word,
            closed=closed,
            same_sound={node: sound for node, sound in sounds.items() if sound},
            same_letter={
                node: _first_letter(surface[node]) for node in sorted(letter) if sounds[node]
            },
            capitals=_capitals(tree, layout.loud),
        )


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
    return _realiser(language_of(language.partition("-")[0].lower()))


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
    return _realiser(parse_language(read_text(path), str(path)))


@lru_cache(maxsize=256)
def _realiser(rules: WritingRules) -> Realiser:
    """Return the realiser with these rules."""
    return Realiser(rules, SoundClassifier(beginnings(rules.sounds), endings(rules.endings)))


def _first_letter(form: str) -> str:
    """Return the first letter or digit of a form, in lower case; "" if it has none."""
    return next((char for char in form.lower() if char.isalnum()), "")


def _capitals(tree: Tree, loud: bool) -> dict[int, RequiredCase]:
    """Return what the positions of words demand. A sentence begins with its first word, and after
    the end of another or a colon; quotes do not count."""
    demands: dict[int, RequiredCase] = {}
    initial = True
    for node, form in enumerate(tree.forms):
        is_word = any(map(str.isalpha, form))
        if loud or form != form.lower():
            required = required_case(form, tree.upos[node], initial=initial and is_word, loud=loud)
            if required:
                demands[node] = required
        if is_word:
            initial = False
        elif form and form[-1] in SENTENCE_ENDS:
            initial = True
    return demands
