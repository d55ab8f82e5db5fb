"""The format of a task folder for lm-evaluation-harness (written and run with 0.4.13).

Each construction has a task over whole sentences and, if it has one-prefix pairs, a task over the
two words after their prefix. There are three groups: all tasks, `…_sentences` and `…_prefixes`. The
folder can be moved: `dataset.py`, which the harness imports, finds the data beside itself.

The harness gives a tie to the choice that comes first. So the right choice comes first in every
second row only (`gold`), and ties count one half on average. Blanks are part of the choices.

To read the folder again there are all items in full in `items.jsonl`; the Python file is not run.
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

FORMAT_NAME = "harness"
ITEMS_FILE = "items.jsonl"
SENTENCES, PREFIXES = "sentences", "prefixes"
COPIED_FILES = {"_template_yaml": "harness_template.yaml", "dataset.py": "harness_dataset.txt"}
"""File of every folder → the resource with its text"""


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """Write the pairs of a suite as a folder. Raises `InputError` for an item that is no pair."""
    name = f"colorless_{plain_name(suite.name)}"  # different from the harness's own tasks
    tasks = _tasks(suite)
    groups: dict[str, list[str]] = {name: []}
    for kind in (SENTENCES, PREFIXES):
        members = [f"{name}_{kind}_{uid}" for task_kind, uid in tasks if task_kind == kind]
        if members:
            groups[name].append(f"{name}_{kind}")
            groups[f"{name}_{kind}"] = members
    stems = {f"{name}_{kind}_{uid}": f"{kind}_{uid}" for kind, uid in tasks}
    texts = task_texts(groups, stems)
    texts["README.md"] = card(suite, FORMAT_NAME, name)
    with export_to(path, FORMAT_NAME, metadata_of(suite)) as folder:
        write_items(folder / ITEMS_FILE, suite.items, {})
        for (kind, uid), rows in tasks.items():
            write_jsonl(folder / f"{kind}_{uid}.jsonl", rows)
        for file, text in texts.items():
            with write_whole(folder / file) as stream:
                stream.write(text)


def task_texts(groups: Mapping[str, Sequence[str]], tasks: Mapping[str, str]) -> dict[str, str]:
    """Return file name → text for the files of a task folder, except the data files.

    Args:
        groups: name of a group → names of its tasks or groups.
        tasks: name of a task → stem of the file with its rows.
    """
    texts = {file: resource(__package__, source) for file, source in COPIED_FILES.items()}
    group = template(resource(__package__, "harness_group.yaml.jinja"))
    for name, members in groups.items():
        texts[f"group_{name}.yaml"] = group.render(name=name, tasks=members) + "\n"
    for name, stem in tasks.items():
        texts[f"{stem}.yaml"] = (
            f"include: _template_yaml\ntask: {name}\ndataset_kwargs:\n  file: {stem}.jsonl\n"
        )
    return texts


def _tasks(suite: Suite) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Return (kind of choices, construction) → rows of that task of lm-evaluation-harness.

    The kind is SENTENCES, for whole sentences, or PREFIXES, for words after one prefix. The right
    choice comes first in every other row.
    """
    uids = groups_of(suite)
    tasks: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for item in suite.items:
        pair, uid = pair_of(item), uids[item.item_id]
        sentences = tasks.setdefault((SENTENCES, uid), [])
        sentences.append(task_row(item, "", [pair.right, pair.wrong], len(sentences) % 2))
        if pair.parts is not None and pair.method == ONE_PREFIX:
            right, wrong = pair.parts
            words = [right.gap + right.word, wrong.gap + wrong.word]
            prefixes = tasks.setdefault((PREFIXES, uid), [])
            prefixes.append(task_row(item, right.prefix, words, len(prefixes) % 2))
    return tasks


def task_row(item: Item, context: str, choices: list[str], gold: int) -> dict[str, Any]:
    """Return the row of an item in a task.

    `context` is the text before both choices, `choices` are the right and the wrong one; they are
    swapped if `gold`, the place of the right one, is 1.
    """
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


FORMAT = Format(partial(read_folder, FORMAT_NAME, ITEMS_FILE), write)
