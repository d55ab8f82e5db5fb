"""What can change in one sentence, worked out once, so that each variant of it is quick to make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from colorless_green.miner.tree import Tree
from colorless_green.nonce.realise.casing import Demand, capitalised, demand, in_capitals
from colorless_green.nonce.realise.language import ANY, Alternation, Language, plain
from colorless_green.nonce.realise.layout import Layout, Realised, layout_of, written
from colorless_green.nonce.realise.site import Ears, Site, neighbours, rule_of, sites_of
from colorless_green.nonce.realise.written import is_closed

__all__ = ["Plan", "Realised", "first_letter", "plan_of"]

SENTENCE_ENDS = frozenset(".!?:")  # after these a capital is no part of the word


@dataclass(frozen=True, slots=True)
class Plan:
    """One sentence of a treebank, and what an exchanged word would change in it.

    Words are numbered as in the tree, from 0. Everything here is worked out by `plan_of`.
    """

    language: Language
    ears: Ears
    tree: Tree
    layout: Layout
    ahead: Mapping[int, Site]  # ear → the word before it that hears its beginning
    behind: Mapping[int, Site]  # ear → the word after it that hears its end
    next_word: tuple[int, ...]  # the next word that can be heard, −1 for none
    previous_word: tuple[int, ...]
    closed: frozenset[int]
    same_sound: Mapping[int, str]  # words whose beginning is fixed → its sound
    same_letter: Mapping[int, str]  # the same → its first letter
    capitals: Mapping[int, Demand]  # words whose place asks for some

    def open(self, node: int) -> bool:
        """Whether the word may be exchanged: it is alone in its token, or the token can be made
        anew, and no rule of the language forbids it."""
        return node not in self.closed

    def fixed_sound(self, node: int) -> bool:
        """Whether a replacement must begin with the same sound, since something before the word
        hangs on it and no rule repairs that."""
        return node in self.same_sound

    def fixed_letter(self, node: int) -> bool:
        """Whether it must begin with the same letter, too."""
        return node in self.same_letter

    def admits(self, node: int, form: str) -> bool:
        """Whether `form` may stand there: the word is open, what is fixed stays the same, and a
        word with letters or digits is not exchanged for one without."""
        if node in self.closed:
            return False
        if not first_letter(form) and first_letter(self.tree.forms[node]):
            return False
        if node in self.same_sound and self.ears.ahead[form] != self.same_sound[node]:
            return False
        return node not in self.same_letter or first_letter(form) == self.same_letter[node]

    def is_fixed(self, node: int) -> bool:
        """Whether `admits` asks anything of the beginning of a word's replacement."""
        return node in self.same_sound or node in self.same_letter

    def prefix_depends(self, node: int) -> bool:
        """Whether a word before this one changes with this one's beginning, or would have to."""
        return node in self.ahead or node in self.same_sound

    def realise(self, forms: Mapping[int, str]) -> Realised:
        """The sentence with these words exchanged: the others stay, but for function words beside
        an exchanged one. `forms`: word → new form; its capitals are those of its place, unless it
        is the word that stands there."""
        given = {
            node: self.in_place(node, form)
            for node, form in forms.items()
            if form != self.tree.forms[node]
        }
        if not given:
            return self.layout.original
        return written(self.layout, self._adapted(given))

    def forced(self) -> Realised:
        """The sentence with every rule applied everywhere, as if each word had been exchanged for
        itself: the original, where rules and text agree."""
        changed: dict[int, str] = {}
        for node in range(len(self.tree) - 1, -1, -1):
            self._settle(self.ahead.get(node), changed, forced=True)
        for site in self.behind.values():
            self._settle(site, changed, forced=True)
        return written(self.layout, changed, forced=True)

    def in_place(self, node: int, form: str) -> str:
        """A form with the capitals that its place asks for."""
        match self.capitals.get(node):
            case "upper":
                return in_capitals(form, self.language.code)
            case "title":
                return capitalised(form, self.language.code)
        return form

    def _adapted(self, given: Mapping[int, str]) -> dict[int, str]:
        """The exchanged words in the shapes their places ask for, and the words beside them that
        change: from the last to the first, since each can change the one before it."""
        changed = dict(given)
        shapes = self.language.ahead
        for node in sorted(given, reverse=True) if shapes else ():
            if plain(changed[node]) in shapes:
                changed[node] = self._fitted(node, changed)
            ear = node
            while (site := self.ahead.get(ear)) is not None and site.node not in given:
                if not self._settle(site, changed):
                    break
                ear = site.node
        if self.language.behind:
            for node in tuple(changed):
                site = self.behind.get(node)
                if site is not None and site.node not in given:
                    self._settle(site, changed)
        return changed

    def _fitted(self, node: int, changed: Mapping[int, str]) -> str:
        """The shape of an exchanged word that has several (French *beau*, *bel*)."""
        form, ear = changed[node], self.next_word[node]
        rule = rule_of(self.language.ahead, self.tree, node, form)
        if not isinstance(rule, Alternation) or ear < 0:
            return form
        heard = changed.get(ear, self.tree.forms[ear])
        key = self.ears.key(rule, heard, self.tree.upos[ear], behind=False)
        return self._choice(rule.legal(key), form)

    def _settle(self, site: Site | None, changed: dict[int, str], *, forced: bool = False) -> bool:
        """Puts the word of a site into the shape its neighbour asks for; whether it changed. If the
        neighbour sounds as before, it does not, unless every rule is `forced`."""
        if site is None:
            return False
        key, upos = site.key, self.tree.upos[site.ear]
        heard = changed.get(site.ear, self.tree.forms[site.ear])
        if site.ear in changed:
            key = self.ears.key(site.rule, heard, upos, behind=self.behind.get(site.ear) is site)
        if key == site.key and not forced:
            return False
        standing = self.tree.forms[site.node]
        joins = [form for form in site.rule.forms if self.language.joins(form, heard, upos)]
        shape = self._choice(joins or site.rule.legal(key), standing)
        if shape == standing:
            return False
        changed[site.node] = shape
        return True

    def _choice(self, legal: Sequence[str], standing: str) -> str:
        """As it stands if that is legal (the treebank's choice), else the usual shape."""
        if not legal or plain(standing) in legal:
            return standing
        return self.layout.shape(legal[0], standing)


def first_letter(form: str) -> str:
    """The first letter or digit of a form, in lower case; "" if it has none."""
    return next((each for each in form.lower() if each.isalnum()), "")


def plan_of(
    language: Language, ears: Ears, tree: Tree, tokens: Sequence[str], spaces: Sequence[str]
) -> Plan:
    """The plan of a sentence. `tokens` and `spaces` are its surface, as long as each other."""
    layout = layout_of(language, tree, tokens, spaces)
    ears = Ears(ears.ahead, ears.behind, layout.loud)
    stuck = _stuck(layout)
    first = {nodes[0] for nodes in layout.members}
    heard = [
        tokens[token] if node in stuck and node in first else form
        for node, (form, token) in enumerate(zip(tree.forms, tree.tokens, strict=True))
    ]
    together = _together(tree, spaces)
    ahead, behind, unsettled = sites_of(language, ears, tree, heard, stuck)
    next_word, previous_word = neighbours(tree)
    sound, letter = _fixed(language, tree, previous_word, together, ahead, unsettled)
    sounds = {node: ears.ahead[heard[node]] for node in sorted(sound)}
    return Plan(
        language=language,
        ears=ears,
        tree=tree,
        layout=layout,
        ahead=ahead,
        behind=behind,
        next_word=next_word,
        previous_word=previous_word,
        closed=stuck | _forbidden(language, tree, together),
        same_sound={node: sound for node, sound in sounds.items() if sound},
        same_letter={node: first_letter(heard[node]) for node in sorted(letter) if sounds[node]},
        capitals=_capitals(tree, layout.loud),
    )


def _stuck(layout: Layout) -> frozenset[int]:
    """Words that cannot be written otherwise: those of a token that no rule makes of them."""
    tree, tokens = layout.tree, layout.original.tokens
    return frozenset(
        node
        for token, nodes in enumerate(layout.members)
        for node in nodes
        if (layout.ways[token] is None if len(nodes) > 1 else tokens[token] != tree.forms[node])
    )


def _forbidden(language: Language, tree: Tree, together: Sequence[bool]) -> frozenset[int]:
    """Words that a rule of the language forbids to exchange."""
    if not language.closed:
        return frozenset()
    return frozenset(
        node for node in range(len(tree)) if is_closed(language.closed, tree, node, together)
    )


def _together(tree: Tree, spaces: Sequence[str]) -> list[bool]:
    result = []
    for here, after in zip(tree.tokens, tree.tokens[1:], strict=False):
        result.append(here == after or spaces[after] == "")
    return [*result, False]


def _capitals(tree: Tree, loud: bool) -> dict[int, Demand]:
    initial = _initial(tree)
    found = {
        node: demand(form, tree.upos[node], initial=node in initial, loud=loud)
        for node, form in enumerate(tree.forms)
        if loud or form != form.lower()
    }
    return {node: asked for node, asked in found.items() if asked}


def _initial(tree: Tree) -> frozenset[int]:
    """The first word, and those after the end of a sentence or a colon; quotes do not count."""
    found: set[int] = set()
    fresh = True
    for node, form in enumerate(tree.forms):
        if any(map(str.isalpha, form)):
            if fresh:
                found.add(node)
            fresh = False
        elif form and form[-1] in SENTENCE_ENDS:
            fresh = True
    return frozenset(found)


def _fixed(
    language: Language,
    tree: Tree,
    previous_word: Sequence[int],
    together: Sequence[bool],
    ahead: Mapping[int, Site],
    unsettled: frozenset[int],
) -> tuple[set[int], set[int]]:
    """Words whose first sound, and whose first letter, what stands before them holds fast."""
    sound, letter = set(unsettled), set[int]()
    for node, before in enumerate(previous_word):
        if before < 0:
            continue
        form = plain(tree.forms[before])
        for rule in language.fixed:
            if ANY in rule.after or tree.upos[before] in rule.after or form in rule.words:
                sound.add(node)
                if rule.same == "letter":
                    letter.add(node)
        elided = language.attach and form.endswith(language.attach)
        if elided and together[before] and node not in ahead:
            sound.add(node)
    return sound, letter
