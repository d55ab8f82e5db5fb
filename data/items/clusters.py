"""Clusters of items: what intervals and tests take as one case, and an audit leaves out
together."""

from collections.abc import Sequence

FINAL = ".?!…。？！"  # at the end of a sentence no word of it


def clusters_of(
    cluster_ids: Sequence[str], set_ids: Sequence[str], sentences: Sequence[str]
) -> list[str]:
    """Return the cluster of each item: items that share a `cluster_id`, a set or a right sentence
    are of one, so that two targets of one sentence of a treebank are.

    Args:
        cluster_ids: of the items.
        set_ids: of the items; "" outside of sets.
        sentences: the right sentence of each; "" where there is none.

    Returns:
        The least `cluster_id` of the cluster of each item, in their order.

    >>> clusters_of(["b", "a", "c"], ["", "", ""], ["The keys are.", "the keys are", "They are."])
    ['a', 'a', 'c']
    """
    parents: dict[str, str] = {}  # of a name that is not the least of its cluster: a lesser one

    def root(name: str) -> str:
        while name in parents:
            if (lesser := parents[name]) in parents:
                parents[name] = parents[lesser]
            name = lesser
        return name

    plain = [sentence.strip().lower().rstrip(FINAL).rstrip() for sentence in sentences]
    for marks in (set_ids, plain):
        owners: dict[str, str] = {}
        for name, mark in zip(cluster_ids, marks, strict=True):
            if mark and (owner := owners.setdefault(mark, name)) != name:
                old, new = root(owner), root(name)
                if old != new:
                    parents[max(old, new)] = min(old, new)
    return [root(name) for name in cluster_ids]
