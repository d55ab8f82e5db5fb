"""The format of the stimuli of Hu, Chen & Levy 2020 (SCiL 3:37) on reflexive pronouns.

Each pronoun of an experiment has a CSV with a sentence in each row. An item has three conditions:
`baseline`, `distractor` (the noun that cannot license the pronoun mismatches it) and
`ungrammatical` (the noun that can license it mismatches it). Each condition has several sentences
(such as both orders of the nouns), whose surprisals are averaged. The prediction is that the
pronoun has most surprisal in `ungrammatical`.

The released files have faults, which are treated as follows:
- In a third of the rows of `exp1a-ml-rc/themselves.csv` (RC verbs *hated* and *admired*) the column
  `grammatical` is the opposite of the truth. So the condition is taken from `mismatch_position`,
  which is right in every row, and from `grammatical` only if that label is unknown.
- The columns of the nouns have different names in different files. They are the two before `verb`.
- In one row `sentence_no_eos` differs from `sentence`; the latter was scored, and is used.
- 15 of the 75 items of experiments 2 to 4 are not the paper's; those for `herself` repeat others.
  The fact `in_paper` says which items Table 3 counts, and equal items are one cluster.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from ..items.item import PREFIX, REST, Item, Region, Wording, item_id
from ..items.prediction import parse_prediction
from ..items.suite import Suite, checked
from ..records import malformed, stem, table
from .detect import detect_format
from .format import PAPERS, Format, files_of
from .tab import whole_number

NEEDED_COLUMNS = (
    "item", "grammatical", "counterbalance", "mismatch_position", "verb", "pronoun", "sentence",
    "sentence_no_eos",
)  # fmt: skip
BASELINE, DISTRACTOR, UNGRAMMATICAL = CONDITIONS = ("baseline", "distractor", "ungrammatical")
PRONOUN = "pronoun"
LICENSING = parse_prediction(
    "(pronoun;%ungrammatical%) > (pronoun;%distractor%) & "
    "(pronoun;%ungrammatical%) > (pronoun;%baseline%)",
    "licensing",
    "licensing prediction",
)
LABELS = {  # label in `mismatch_position` → condition
    "none": BASELINE,
    **dict.fromkeys(("rc_subj", "nonlocal_subj", "distractor"), DISTRACTOR),
    **dict.fromkeys(("matrix_subj", "local_subj", "head"), UNGRAMMATICAL),
}
SOURCE = "Hu et al. 2020 (reflexives)"
EOS = " <eos>"
ENDINGS = (".csv",)


class Experiment(NamedTuple):
    """An experiment of the paper, which is a row of its Table 3."""

    number: str  # in the paper
    constraint: str
    row: str
    not_counted: Mapping[str, tuple[int, int]]
    """Pronoun → first and last number of the items that Table 3 does not count"""


EXPERIMENTS = {name: Experiment(**facts) for name, facts in PAPERS["reflexives"].items()}


def is_in_paper(experiment: str, pronoun: str, number: int) -> bool:
    """Return whether Table 3 counts an item; `number` is its number from 1."""
    first, last = EXPERIMENTS[experiment].not_counted.get(pronoun, (0, 0))
    return not first <= number <= last


def read(path: Path) -> Suite:
    """Read the suite of a file, of an experiment's folder, or of a folder of experiments.

    The name of a file's folder is the experiment; if it is in EXPERIMENTS, items get the paper's
    facts. The authors state no licence. The suite's `meta` counts faults of the files:
    `wrong_grammatical` (rows in which that column contradicts the label), `other_sentences` (rows
    whose two sentences differ) and `repeated_items`. Raises `InputError`, with its line, for a row
    that does not fit the format.
    """
    faults: Counter[str] = Counter()
    items = [item for file in _files(path) for item in _items(file, faults)]
    if n_repeated := sum(item.cluster_id != item.item_id for item in items):
        faults["repeated_items"] = n_repeated
    meta = {name: str(faults[name]) for name in sorted(faults)}
    name = stem(path, ENDINGS)
    name = name if path.is_dir() else f"{path.resolve().parent.name}-{name}"
    suite = Suite(name, tuple(items), (LICENSING,), "sum", meta)
    return checked(suite, str(path), "stimuli of the reflexive experiments")


def _files(path: Path) -> list[Path]:
    """Return the files with stimuli in a folder and in its folders, by name; or the file itself."""
    if not path.is_dir():
        return [path]
    folders = [path, *sorted(entry for entry in path.iterdir() if entry.is_dir())]
    files = [
        file
        for folder in folders
        if any(stem(entry, ENDINGS) != entry.name for entry in folder.iterdir())  # has a CSV file
        for file in files_of(folder, ENDINGS)
        if detect_format(file) == "reflexives"
    ]
    return files or files_of(path, ENDINGS)


def _items(file: Path, faults: Counter[str]) -> Iterator[Item]:
    """Yield the items of a file, each made of several rows. Add the faults that are found to
    `faults` (name of the fault → rows)."""
    experiment = file.resolve().parent.name
    cluster_ids: dict[str, str] = {}
    items: dict[tuple[str, int], list[tuple[str, dict[str, str]]]] = {}
    for location, row in table(file, NEEDED_COLUMNS):
        number = whole_number(row["item"], location)
        items.setdefault((row["pronoun"], number), []).append((location, row))
    for (pronoun, number), members in items.items():
        sentences: dict[str, list[Wording]] = {name: [] for name in CONDITIONS}
        for location, row in members:
            sentences[_condition(row, location, faults)].append(_wording(row, location, faults))
        for name, wordings in sentences.items():
            if not wordings:
                first_location, _ = members[0]
                wrong = f"item {number} has no {name}"
                raise malformed(first_location, wrong, ", ".join(CONDITIONS))
        conditions = {name: tuple(wordings) for name, wordings in sentences.items()}
        identity = item_id(SOURCE, experiment, pronoun, number)
        cluster_id = cluster_ids.setdefault(repr(conditions), identity)
        source = SOURCE if experiment in EXPERIMENTS else file.name
        facts = _facts(experiment, pronoun, number, [row for _, row in members])
        yield Item(identity, "suite", cluster_id, "en", source, "", conditions, facts=facts)


def _condition(row: Mapping[str, str], location: str, faults: Counter[str]) -> str:
    """Return the condition that a row belongs to. Add one to `faults` if the row's column
    `grammatical` contradicts its label."""
    label, grammatical = row["mismatch_position"], row["grammatical"]
    if grammatical not in ("0", "1"):
        raise malformed(location, f"grammatical is {grammatical!r:.20}", "0 or 1")
    default = DISTRACTOR if grammatical == "1" else UNGRAMMATICAL
    condition = LABELS.get(label, default)
    if (condition == UNGRAMMATICAL) != (grammatical == "0"):
        faults["wrong_grammatical"] += 1
    return condition


def _wording(row: Mapping[str, str], location: str, faults: Counter[str]) -> Wording:
    """Return the sentence of a row, cut into prefix, pronoun and rest. Add one to `faults` if the
    row's two columns of the sentence differ."""
    sentence = row["sentence"].removesuffix(EOS)
    words = sentence.split()
    if words.count(row["pronoun"]) != 1:
        raise malformed(
            location, f"{row['pronoun']!r:.20} is not once in it", "the pronoun's place"
        )
    if sentence != row["sentence_no_eos"]:
        faults["other_sentences"] += 1
    index = words.index(row["pronoun"])
    prefix, rest = words[:index], words[index + 1 :]
    return (
        Region(PREFIX, tuple(prefix), " ".join(prefix)),
        Region(PRONOUN, (words[index],), f" {words[index]}" if prefix else words[index]),
        Region(REST, tuple(rest), "." if rest == ["."] else "".join(f" {word}" for word in rest)),
    )


def _facts(
    experiment: str, pronoun: str, number: int, rows: Sequence[Mapping[str, str]]
) -> dict[str, str]:
    """Return the facts of the item with this number: name → text; `rows` are its sentences."""
    columns = list(rows[0])
    verb = columns.index("verb")
    nouns = columns[verb - 2 : verb]  # the two columns before it, see the top of this module
    published = EXPERIMENTS.get(experiment)
    facts = {"construction": published.row if published else experiment, "experiment": experiment}
    if published:
        facts |= {"paper_experiment": published.number, "constraint": published.constraint}
        facts["in_paper"] = "yes" if is_in_paper(experiment, pronoun, number) else "no"
    used_nouns = {row[noun] for row in rows for noun in nouns if row["mismatch_position"] == "none"}
    return {
        **facts,
        "pronoun": pronoun,
        "item_number": str(number),
        "nouns": ", ".join(sorted(used_nouns)),
        "verb": rows[0]["verb"],
    }


FORMAT = Format(read)
