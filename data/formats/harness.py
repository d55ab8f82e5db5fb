"""A task folder for lm-evaluation-harness (written and run with 0.4.13).

For each construction a task over whole sentences and, for its items with one prefix, a task over
the two words after it; three groups: all, `…_sentences`, `…_prefixes`. The folder can be moved:
data are found by `dataset.py` beside them, which the harness imports.
The harness gives a tie to the choice that comes first, so right and wrong take turns in coming
first (`gold`), and ties count one half on average. Blanks are part of the choices.
Read again: `items.jsonl` in the folder, the items whole, so that nothing is lost; the Python file
is never run by this reader.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..files import write_whole
from ..items.item import Item
from ..items.suite import Suite
from ..shell import resource, template
from ..tables import write_jsonl
from .card import card
from .format import Format, export_to, groups_of, metadata_of, plain_name, read_folder, write_items
from .pair_formats import ONE_PREFIX, pair_of

NAME = "harness"
ITEMS = "items.jsonl"
SENTENCES, PREFIXES = "sentences", "prefixes"
COPIED = {"_template_yaml": "harness_template.yaml", "dataset.py": "harness_dataset.txt"}
"""Files of every folder, and the texts that they are."""


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """Write the pairs of a suite as a folder. Raises `InputError` for an item that is no pair."""
    name = f"colorless_{plain_name(suite.name)}"  # no name of a task that the harness brings
    tasks = _tasks(suite)
    groups: dict[str, list[str]] = {name: []}
    for part in (SENTENCES, PREFIXES):
        members = [f"{name}_{part}_{uid}" for kind, uid in tasks if kind == part]
        if members:
            groups[name].append(f"{name}_{part}")
            groups[f"{name}_{part}"] = members
    names = {f"{name}_{part}_{uid}": f"{part}_{uid}" for part, uid in tasks}
    texts = task_texts(groups, names)
    texts["README.md"] = card(suite, NAME, name)
    with export_to(path, NAME, metadata_of(suite)) as folder:
        write_items(folder / ITEMS, suite.items, {})
        for (part, uid), rows in tasks.items():
            write_jsonl(folder / f"{part}_{uid}.jsonl", rows)
        for file, text in texts.items():
            with write_whole(folder / file) as stream:
                stream.write(text)


def task_texts(groups: Mapping[str, Sequence[str]], tasks: Mapping[str, str]) -> dict[str, str]:
    """Return the files of a task folder, but for its rows, as file → text.

    Args:
        groups: name of a group → its tasks or groups.
        tasks: name of a task → the stem of the file of its rows.
    """
    texts = {file: resource(__package__, source) for file, source in COPIED.items()}
    group = template(resource(__package__, "harness_group.yaml.jinja"))
    for name, members in groups.items():
        texts[f"group_{name}.yaml"] = group.render(name=name, tasks=members) + "\n"
    for name, stem in tasks.items():
        texts[f"{stem}.yaml"] = (
            f"include: _template_yaml\ntask: {name}\ndataset_kwargs:\n  file: {stem}.jsonl\n"
        )
    return texts


def _tasks(suite: Suite) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return the rows of each task, by part and construction."""
    uids = groups_of(suite)
    tasks: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for item in suite.items:
        pair, uid = pair_of(item), uids[item.item_id]
        sentences = tasks.setdefault((SENTENCES, uid), [])
        sentences.append(task_row(item, "", [pair.right, pair.wrong], len(sentences) % 2))
        if pair.parts is not None and pair.method == ONE_PREFIX:
            words = [part.gap + part.word for part in pair.parts]
            prefixes = tasks.setdefault((PREFIXES, uid), [])
            prefixes.append(task_row(item, pair.parts[0].prefix, words, len(prefixes) % 2))
    return tasks


def task_row(item: Item, context: str, choices: list[str], gold: int) -> dict[str, Any]:
    """Return a row of a task: the right choice first, or second where `gold` is 1."""
    return {
        "item_id": item.item_id,
        "cluster_id": item.cluster_id,
        "context": context,
        "choices": choices[::-1] if gold else choices,
        "gold": gold,
        "language": item.language,
        "source": item.source,
        "licence": item.licence,
    }


FORMAT = Format(partial(read_folder, NAME, ITEMS), write)
