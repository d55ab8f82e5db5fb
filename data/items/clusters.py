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
    parents = {name: name for name in cluster_ids}

    def root(name: str) -> str:
        while parents[name] != name:
            parents[name] = name = parents[parents[name]]
        return name

    owner: dict[tuple[bool, str], str] = {}
    for name, set_id, sentence in zip(cluster_ids, set_ids, sentences, strict=True):
        plain = sentence.strip().lower().rstrip(FINAL).rstrip()
        for mark in ((True, set_id), (False, plain)):
            if mark[1]:
                old, new = root(owner.setdefault(mark, name)), root(name)
                parents[max(old, new)] = min(old, new)
    return [root(name) for name in cluster_ids]
