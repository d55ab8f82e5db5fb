"""A task folder for lm-evaluation-harness (written and run with 0.4.13).

For each construction a task over whole sentences and, for its items with one prefix, a task over
the two words after it; three groups: all, `…_sentences`, `…_prefixes`. The folder can be moved:
data are found by `dataset.py` beside them, which the harness imports.
The harness gives a tie to the choice that comes first, so right and wrong take turns in coming
first (`gold`), and ties count one half on average. Blanks are part of the choices.
Read again: `items.jsonl` in the folder, the items whole, so that nothing is lost; the Python file
is never run by this reader.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from colorless_green.data.files import write_whole
from colorless_green.data.tables import write_jsonl
from colorless_green.nonce.formats import Format
from colorless_green.nonce.formats.card import card
from colorless_green.nonce.formats.folder import about_suite, read_whole, write_items, written
from colorless_green.nonce.formats.pairs import ONE_PREFIX, groups_of, pair_of, plain_name
from colorless_green.nonce.item import Item
from colorless_green.nonce.suite import Suite

NAME = "harness"
ITEMS = "items.jsonl"
SENTENCES, PREFIXES = "sentences", "prefixes"
TEMPLATE = """\
output_type: multiple_choice
custom_dataset: !function dataset.rows
test_split: test
num_fewshot: 0
doc_to_text: context
doc_to_choice: choices
doc_to_target: gold
target_delimiter: ""
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
metadata:
  version: 1.0
"""
GROUP = """\
group: {name}
task:
{tasks}
aggregate_metric_list:
  - metric: acc
    aggregation: mean
    weight_by_size: true
metadata:
  version: 1.0
"""
DATASET = '''\
"""The rows of a task, found beside this file wherever the folder is."""

import json
from pathlib import Path

from datasets import Dataset


def rows(file, **_):
    """The one split of a task; `file` is named in the task's YAML."""
    lines = Path(__file__).with_name(file).read_text(encoding="utf-8").split("\\n")
    return {"test": Dataset.from_list([json.loads(line) for line in lines if line])}
'''


def write(suite: Suite, path: Path, vocabulary: frozenset[str] | None = None) -> None:
    """The pairs of a suite as the folder `path`. Raises `InputError` for one that is no pair."""
    group = f"colorless_{plain_name(suite.name)}"  # no name of a task that the harness brings
    tasks = list(_tasks(suite))
    parts = {
        f"{group}_{part}": [
            f"{group}_{part}_{uid}" for name, uid, rows in tasks if name == part and rows
        ]
        for part in (SENTENCES, PREFIXES)
    }
    groups = {name: names for name, names in parts.items() if names}
    with written(path, NAME, about_suite(suite)) as folder:
        write_items(folder / ITEMS, suite.items, {})
        for part, uid, rows in tasks:
            if rows:
                write_jsonl(folder / f"{part}_{uid}.jsonl", rows)
                _write(folder / f"{part}_{uid}.yaml", _task(f"{group}_{part}_{uid}", part, uid))
        for name, members in {group: list(groups), **groups}.items():
            lines = "\n".join(f"  - {member}" for member in members)
            _write(folder / f"group_{name}.yaml", GROUP.format(name=name, tasks=lines))
        _write(folder / "_template_yaml", TEMPLATE)
        _write(folder / "dataset.py", DATASET)
        _write(folder / "README.md", card(suite, NAME, group))


def _tasks(suite: Suite) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """(part, construction, rows) of every task, also of one without rows."""
    uids = groups_of(suite)
    for uid in dict.fromkeys(uids.values()):
        asked: dict[str, list[tuple[Item, str, list[str]]]] = {SENTENCES: [], PREFIXES: []}
        for item in suite.items:
            if uids[item.item_id] != uid:
                continue
            pair = pair_of(item)
            asked[SENTENCES].append((item, "", [pair.right, pair.wrong]))
            if pair.parts is not None and pair.method == ONE_PREFIX:
                words = [each.gap + each.word for each in pair.parts]
                asked[PREFIXES].append((item, pair.parts[0].prefix, words))
        for part, own in asked.items():
            yield part, uid, [_row(*each, gold=number % 2) for number, each in enumerate(own)]


def _row(item: Item, context: str, choices: list[str], gold: int) -> dict[str, Any]:
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


def _task(name: str, part: str, uid: str) -> str:
    return f"include: _template_yaml\ntask: {name}\ndataset_kwargs:\n  file: {part}_{uid}.jsonl\n"


def _write(path: Path, content: str) -> None:
    with write_whole(path) as stream:
        stream.write(content)


FORMAT = Format(partial(read_whole, NAME, ITEMS), write)
