"""A sentence in all cells of a factorial block: value of the cue × number of attractors.

One sentence and one list of lemmas, in which everything but the feature stays (the
number-agreement tasks of Lakretz et al. 2019): whatever prefers a form for its own sake is right
in one value and wrong in the other.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from colorless_green.miner.features import value_of, with_value
from colorless_green.miner.originals import attractors
from colorless_green.miner.tree import Tree
from colorless_green.miner.view import TreeView
from colorless_green.nonce.balance.concord import group_of
from colorless_green.nonce.balance.inflection import (
    AnalysedWord,
    Changes,
    Inflection,
    reinflected,
    with_changes,
)


@dataclass(frozen=True, slots=True)
class BalancedCell:
    """One cell: what becomes of the words, and which form of the target is right in it."""

    name: str  # value and number of attractors: "Sing-0", "Plur-2"
    value: str  # of cue and target
    n_attractors: int
    changed: Changes  # words of the tree, the target not among them
    target_feats: str  # of the right form
    right: str
    wrong: str
    attractors: tuple[int, ...]  # words of the tree, in order


@dataclass(frozen=True, slots=True)
class BalancedSet:
    """What can be made of a balanced set.

    Attributes:
        cells: by number of attractors, then in the order of the values.
        missing: name of each cell that cannot be made, as `Plur-2` → why.
        exchanged: words of the tree: indefinite articles that are definite in every cell.
    """

    cells: tuple[BalancedCell, ...]
    missing: Mapping[str, str]
    exchanged: tuple[int, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every cell can be made."""
        return not self.missing


@dataclass(frozen=True, slots=True)
class _Template:
    """What the cells of a block share."""

    tree: Tree
    cue: int
    target: int
    values: tuple[str, str]
    inflection: Inflection

    @property
    def feature(self) -> str:
        return self.inflection.feature


def cells(
    tree: Tree,
    cue: int,
    target: int,
    *,
    feature: str,
    values: Sequence[str],
    inflection: Inflection,
    target_pair: tuple[str, str],
    max_attractors: int,
    target_feature: str = "",
) -> BalancedSet:
    """A sentence in both values with 0 … `max_attractors` attractors (Lakretz et al. 2019).

    Words between cue and target with the cue's POS get the cue's value, those nearest to the target
    the other one, as many as the cell asks. Where an indefinite article has no other value, the
    whole set has definite ones in its stead.

    Args:
        tree: the sentence.
        cue: word of the tree, from 0.
        target: word of the tree, from 0.
        feature: the name under which the cue carries the feature.
        values: both values, in the order in which cells come.
        inflection: the treebank's forms with this feature.
        target_pair: (right, wrong) form in the sentence as it stands; swapped where the cue has the
            other value.
        max_attractors: most words between with the cue's POS and the other value.
        target_feature: the name under which the target carries the feature; "" for that of the cue.

    Returns:
        The cells that can be made, and why the others cannot.

    >>> import colorless_green as cg
    >>> from colorless_green.data import sample
    >>> from colorless_green.miner import treebank
    >>> from colorless_green.nonce import Sources, VariantKind, matching_for
    >>> bank, kind = treebank([sample.treebank("en")]), VariantKind(balanced=True)
    >>> forms = matching_for(bank, Sources(), "tested", "none", kind).inflections["Number"]
    >>> facts = cg.mine(str(sample.treebank("en"))).originals.items[1].agreement
    >>> made = cells(facts.tree, facts.cue_node, facts.target_node, feature="Number",
    ...     values=("Sing", "Plur"), inflection=forms,
    ...     target_pair=(facts.right, facts.wrong), max_attractors=1)
    >>> for cell in made.cells:
    ...     print(cell.name, *with_changes(facts.tree, cell.changed).forms[:-2], cell.right)
    Sing-0 The mayor criticizes this woman and improvises
    Plur-0 The mayors criticize these women and improvise
    Sing-1 The mayor criticizes these women and improvises
    Plur-1 The mayors criticize this woman and improvise
    """
    assert inflection.feature == feature, "forms of another feature"
    cue_value = value_of(tree.feats[cue], feature)
    names = [f"{value}-{n}" for n in range(max_attractors + 1) for value in values]
    if cue_value is None or len(values) != 2 or cue_value not in values:
        return BalancedSet((), dict.fromkeys(names, f"cue: not one of two values: {cue_value}"))
    template = _Template(tree, cue, target, (values[0], values[1]), inflection)
    is_layered = target_feature not in ("", feature)  # the two share no feature to be tied by
    if (
        not is_layered
        and target not in group_of(TreeView(tree), cue, inflection.concord, target).members
    ):
        return BalancedSet((), dict.fromkeys(names, "cue: tied to the target by nothing known"))
    pairs = {cue_value: target_pair, values[cue_value == values[0]]: target_pair[::-1]}
    feats = {
        value: with_value(tree.feats[target], target_feature or feature, value) for value in pairs
    }
    plain = _block(template, pairs, feats, max_attractors)
    if plain.is_complete:
        return plain
    definite, articles = _with_definite_articles(template)
    block = _block(replace(template, tree=definite), pairs, feats, max_attractors)
    if not articles or not block.is_complete:
        return plain
    changed = [dict(sorted({**articles, **cell.changed}.items())) for cell in block.cells]
    both = zip(block.cells, changed, strict=True)
    return BalancedSet(tuple(replace(cell, changed=new) for cell, new in both), {}, tuple(articles))


def _block(
    template: _Template,
    pairs: Mapping[str, tuple[str, str]],
    feats: Mapping[str, str],
    max_attractors: int,
) -> BalancedSet:
    filled: list[BalancedCell] = []
    missing: dict[str, str] = {}
    for n in range(max_attractors + 1):
        for value in template.values:
            name = f"{value}-{n}"
            changes = _arranged(template, value, n)
            if isinstance(changes, str):
                missing[name] = changes
                continue
            between = _attractors(template, with_changes(template.tree, changes), value)
            right, wrong = pairs[value]
            filled.append(
                BalancedCell(name, value, n, changes, feats[value], right, wrong, between)
            )
    return BalancedSet(tuple(filled), missing)


def _arranged(template: _Template, value: str, n_attractors: int) -> Changes | str:
    """The changes that give the cue a value and the sentence its attractors, or why it cannot have
    them."""
    cue, target, forms = template.cue, template.target, template.inflection
    step = reinflected(template.tree, cue, template.feature, value, forms, target=target)
    if isinstance(step, str):
        return f"cue: {step}"
    total = dict(step)
    now = with_changes(template.tree, total)
    settled = set(group_of(TreeView(now), cue, forms.concord, target).members)
    other = template.values[value == template.values[0]]
    n_found = 0
    for index in range(target - 1, cue, -1):
        if index in settled or not _can_attract(template, now, index):
            continue
        members = group_of(TreeView(now), index, forms.concord, target).members
        if {cue, target} & set(members):
            return f"context: tied to the target: {now.forms[index]}"
        n_rivals = sum(_can_attract(template, now, node) for node in members if cue < node < target)
        attracts = n_found + n_rivals <= n_attractors
        step = reinflected(
            now, index, template.feature, other if attracts else value, forms, target=target
        )
        if isinstance(step, str):
            return f"context: {step}"
        n_found += n_rivals * attracts
        total |= step
        now = with_changes(now, step)
        settled |= set(members)
    if n_found < n_attractors:
        return f"context: only {n_found} that can attract"
    if len(_attractors(template, now, value)) != n_attractors:
        return "context: a word of the cue's group has another value"
    return dict(sorted(total.items()))


def _can_attract(template: _Template, tree: Tree, index: int) -> bool:
    """Whether a word is an attractor in one of the two values."""
    carries = value_of(tree.feats[index], template.feature) is not None
    return tree.upos[index] == tree.upos[template.cue] and carries


def _attractors(template: _Template, tree: Tree, value: str) -> tuple[int, ...]:
    cue, target = template.cue, template.target
    return attractors(
        tree.upos, tree.feats, cue, target, template.feature, cue_upos=tree.upos[cue], value=value
    )


def _with_definite_articles(template: _Template) -> tuple[Tree, dict[int, tuple[str, str]]]:
    """The tree with the definite for the indefinite article of the cue's nouns and of those
    between, and what changed. Adjectives with cases stand against it (German *ein neuer*, *der
    neue*)."""
    tree, forms = template.tree, template.inflection
    view = TreeView(tree)
    members = group_of(view, template.cue, forms.concord, template.target).members
    new: dict[int, AnalysedWord] = {}
    for noun in sorted({*members, *range(template.cue, template.target)}):
        if tree.upos[noun] != "NOUN" or any(
            view.feature(adjective, "Case") for adjective in view.dependents(noun, "amod")
        ):
            continue
        for child in view.children[noun]:
            old = AnalysedWord(
                tree.forms[child], tree.lemmas[child], tree.upos[child], tree.feats[child]
            )
            article = forms.definite(old) if child not in (template.cue, template.target) else None
            if article is not None:
                new[child] = article
    lemmas = tuple(new[i].lemma if i in new else lemma for i, lemma in enumerate(tree.lemmas))
    changed = {index: (word.form, word.feats) for index, word in new.items()}
    return replace(with_changes(tree, changed), lemmas=lemmas), changed
