"""Writing what all languages of a benchmark share: cards, tasks for lm-evaluation-harness, a
dataset for Hugging Face, a page of samples, one table. Languages are read back one by one, so that
only one is in memory at a time.
"""

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import product
from pathlib import Path
from typing import Any

from ...data import schema
from ...data.errors import InputError
from ...data.files import read_manifest, write_folder, write_manifest, write_whole
from ...data.formats import harness, read_suite
from ...data.formats.card import markdown_template
from ...data.formats.format import BENCHMARK as MADE_BY
from ...data.formats.format import BENCHMARK_ITEMS as ITEMS
from ...data.formats.format import plain_name
from ...data.formats.huggingface import row as dataset_row
from ...data.formats.licences import conflict_of, hub_id, licences_of
from ...data.formats.pair_formats import pair_of
from ...data.items.item import Item
from ...data.items.suite import Suite
from ...data.languages import language_name
from ...data.seeds import generator, shuffled
from ...data.shell import resource
from ...data.tables import Row, frame, write_jsonl, write_table
from ...data.version import __version__
from ..audit.audited_pairs import BETWEEN, COLUMNS_OF_MINED, FIRST_NOUN, RELATION
from ..audit.baselines import CUE_FINDERS
from ..page.review_page import write_page

README, AUDIT, BLIMP = "README.md", "audit.tsv", "blimp.jsonl"
TABLE, SAMPLES, HARNESS, HUB = "benchmark.tsv", "samples.html", "harness", "huggingface"
SHARED = (README, TABLE, SAMPLES, HARNESS, HUB)  # files and folders beside those of the languages
LANGUAGES = "languages"  # key of the manifest: what each language was made from, and its row
NOT_PUBLIC = ": not for publishing"
GROUP = "colorless_benchmark"  # of tasks
RELATIONS = ("none", "same", "opposite")  # values of the facts `first_noun` and `relation`
DATASET_FACTS = (
    "first_noun", "relation", "opening", "modifier", "n_modifiers", "target_kind", "head",
    "predicate",
)  # fmt: skip
"""Facts of an item that are columns of the dataset"""
SAMPLED_SETS = 10  # sets of each language on the page


def licence_note(items: Sequence[Item], license_ok: bool) -> str:
    """Return why the items of a language may not be published; "" if they may."""
    conflict = next(filter(None, map(conflict_of, items)), None)
    if conflict is not None:
        licence, other_licence, rule = conflict
        wrong = f"licences conflict ({licence}, {other_licence}: {rule.reason})"
        return f"{wrong}{NOT_PUBLIC}; leave it or the word list out"
    if not license_ok and not all(map(licences_of, items)):
        return f"the licence is not known{NOT_PUBLIC} without --license-ok"
    return ""


def publish(folder: Path, manifest: Mapping[str, Any], seed: int) -> None:
    """Write everything that the languages share, the manifest last. Nothing is written if it is all
    there; if no language may be published, the folders for publishing are deleted.

    Args:
        folder: the benchmark's folder, with a folder for each language that has sets.
        manifest: the content of its manifest.
        seed: seed for drawing the samples.

    Raises:
        InputError: a language's items are not as they were written, or the folder cannot be
            written.
    """
    rows: list[dict[str, Any]] = [record["row"] for record in manifest[LANGUAGES].values()]
    with_sets = [row for row in rows if row["n_sets"]]
    public = [row for row in with_sets if not row["licence_note"]]
    exports = [folder / name for name in (HARNESS, HUB)]
    with suppress(InputError):
        present = read_manifest(folder)
        if present["files"] and present[LANGUAGES] == manifest[LANGUAGES]:  # all is there
            for export in exports if public else ():
                read_manifest(export)
            return
    samples: list[Item] = []
    stems: dict[str, dict[str, str]] = {}  # language → its tasks → stem of the task's file
    with ExitStack() as stack:  # the folders for publishing are open until all languages are in
        if public:
            tasks, dataset = (
                stack.enter_context(write_folder(export, {"made_by": MADE_BY}))
                for export in exports
            )
        for row in with_sets:
            language, items = row["language"], items_of(folder, row)
            samples += sample_sets(items, seed)
            if row in public:
                stems[language] = write_tasks(language, items, tasks)
                lines = (
                    dataset_row(item) | {name: item.facts.get(name, "") for name in DATASET_FACTS}
                    for item in items
                )
                write_jsonl(dataset / f"{language}.jsonl", lines)
        if public:
            groups = {
                f"{GROUP}_{plain_name(language)}": list(stem_of_task)
                for language, stem_of_task in stems.items()
            }
            all_stems = {task: stem for pairs in stems.values() for task, stem in pairs.items()}
            texts = harness.task_texts({GROUP: list(groups), **groups}, all_stems)
            for file, text in texts.items():
                write_text(tasks / file, text)
            write_card(tasks / README, HARNESS, rows)
            write_card(dataset / README, HUB, rows)
    for export in exports if not public else ():
        shutil.rmtree(export, ignore_errors=True)
    write_page(Suite("samples of a benchmark", samples), folder / SAMPLES)
    write_table(folder / TABLE, frame(rows, schema.BENCHMARK))
    write_card(folder / README, "benchmark", rows)
    write_manifest(folder, (README, SAMPLES, TABLE), manifest)


def items_of(folder: Path, row: Mapping[str, Any]) -> Sequence[Item]:
    """Read the items of a language, whose `row` is that of the benchmark's table, from its folder.

    Raise `InputError` if the files are not as they were written.
    """
    read_manifest(folder / row["language"])
    return read_suite(folder / row["language"] / ITEMS, "jsonl").items


def sample_sets(items: Sequence[Item], seed: int) -> list[Item]:
    """Draw a few sets of a language at random and return all their items, in the order of `items`.
    A set has the same words in several conditions."""
    sets = list(dict.fromkeys(item.set_id for item in items))
    chosen = set(shuffled(generator(seed, items[0].language), sets)[:SAMPLED_SETS])
    return [item for item in items if item.set_id in chosen]


def write_tasks(language: str, items: Sequence[Item], folder: Path) -> dict[str, str]:
    """Write the tasks of a language for lm-evaluation-harness into a folder, and return name of a
    task → name of its file without the ending.

    There is a task for each combination of how the first noun, and how the noun between, relates to
    the subject in number (none, same, opposite). A row has two forms after one prefix; by turns the
    right and the wrong one comes first, so that the position gives no answer away.
    """
    tasks: dict[str, str] = {}
    for first_noun, relation in product(RELATIONS, RELATIONS):
        ending = relation if first_noun == "none" else f"first_{first_noun}_{relation}"
        task_name = f"{plain_name(language)}_{ending}"
        rows = []
        chosen = (
            item
            for item in items
            if item.facts.get(FIRST_NOUN, "none") == first_noun and item.facts[RELATION] == relation
        )
        for number, item in enumerate(chosen):
            parts = pair_of(item).parts
            assert parts is not None, "a composed item has a prefix and a target"
            right, wrong = parts
            forms = [right.gap + right.word, wrong.gap + wrong.word]
            rows.append(harness.task_row(item, right.prefix, forms, gold=number % 2))
        if rows:
            tasks[f"{GROUP}_{task_name}"] = stem = f"{harness.PREFIXES}_{task_name}"
            write_jsonl(folder / f"{stem}.jsonl", rows)
    return tasks


def language_card(
    suite: Suite,
    row: Mapping[str, Any],
    made_from: Mapping[str, Any],
    audited: Sequence[Row],
    path: Path,
) -> None:
    """Write the card (README) of one language.

    Args:
        suite: its items.
        row: its row of the benchmark's table.
        made_from: versions, options and files that it depends on.
        audited: the rows of its audit, the accuracies of baselines.
        path: the file to write.
    """
    all_items, noun_between = by_baseline(audited)
    figures = [
        (
            name,
            share_text(overall["accuracy"]),
            share_text(noun_between.get(name, {}).get("accuracy")),
            share_text(overall.get("joint")),
            "finds the cue by construction" if name in CUE_FINDERS else "",
        )
        for name, overall in all_items.items()
        if overall.get("accuracy") is not None
    ]
    relations = Counter(item.facts[RELATION] for item in suite.items)
    flags = Counter(flag for item in suite.items if item.agreement for flag in item.agreement.flags)
    n_over = sum("over_limit" in item.facts for item in suite.items)
    write_card(
        path,
        "language",
        [row],
        made_from=made_from,
        options=[
            f"{name} {value}"
            for name, value in made_from["options"].items()
            if value not in ("", False)
        ],
        figures=figures,
        relations=[(name, relations[name]) for name in RELATIONS],
        flags=[*sorted(flags.items()), *([("over_limit", n_over)] if n_over else [])],
    )


def by_baseline(audited: Sequence[Row]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return two dictionaries, each baseline → its row in the audit: first the rows on all items,
    then those on the items with a noun between cue (head) and target (tested word)."""
    rows = [row for row in audited if not any(map(row.get, (*COLUMNS_OF_MINED, FIRST_NOUN)))]
    overall, noun_between = (
        {str(row["baseline"]): row for row in rows if row.get(RELATION) == relation}
        for relation in (None, BETWEEN)
    )
    return overall, noun_between


def share_text(value: object) -> str:
    """Return a share (0–1) as text with three decimals; "" for None, or anything but a float."""
    return f"{value:.3f}" if isinstance(value, float) else ""


def write_card(path: Path, form: str, rows: Sequence[Mapping[str, Any]], **more: Any) -> None:
    """Write a card (README) from its template.

    Args:
        path: the file to write.
        form: the part of the template: `benchmark`, `harness`, `huggingface`, or `language`.
        rows: the rows of the benchmark's table, one for each language on the card.
        more: further variables of the template.
    """
    with_sets = [row for row in rows if row["n_sets"]]
    public = [row for row in with_sets if not row["licence_note"]]
    if form in (HARNESS, HUB):  # these folders have only public languages
        with_sets = public
    ids = dict.fromkeys(name for row in public for name in row["licence"].split(" AND "))
    card = markdown_template(resource(__package__, "card.md.jinja"))
    text = card.render(
        form=form, version=__version__, group=GROUP, rows=rows, made=with_sets, public=public,
        lacking=[row for row in rows if not row["n_sets"]], name=language_name, shown=share_text,
        hub_ids=list(dict.fromkeys(hub_id("" if name == "unknown" else name) for name in ids)),
        others=[name for name in ids if hub_id("" if name == "unknown" else name) == "other"],
        licences=[(row["language"], row["treebanks"], row["licence"]) for row in with_sets],
        n_items=sum(row["n_items"] for row in with_sets), sampled=SAMPLED_SETS,
        **more,
    )  # fmt: skip
    write_text(path, text)


def write_text(path: Path, content: str) -> None:
    """Write a text file, whole or not at all."""
    with write_whole(path) as stream:
        stream.write(content)
