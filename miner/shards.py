"""Read a treebank in parts, on several workers, with the results of a single reader.

A *part* is a file, or a span of a big one. The first pass counts each part by itself, and adds the
counts in the order of the treebank. So the sums, and the order in which constructions and forms are
first seen, do not depend on the number of workers. The second pass reads again the sentences that
have instances of accepted constructions.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from ..data.errors import InputError
from ..data.items.tree import Sentence, comment_in
from ..data.progress import Progress, silent
from .search.instances import Search
from .treebank.conllu import read
from .treebank.conllu_lines import WHOLE_FILE, Span, spans
from .treebank.treebank import REPAIRS, Treebank, repaired
from .verdict.construction import ConstructionKey
from .verdict.counts import (
    MAX_SENT_IDS,
    SENT_ID,
    SENTENCES_PER_STRATUM,
    Counts,
    Instance,
    count,
)

MapFunction: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""`map`, or a parallel version that returns results in the order of the jobs."""
PART_BYTES = 16 << 20  # about a second's work: progress shows, and a lost worker costs little
MB = 1 << 20
STRATA_PER_FILE = 1 << 24  # more than a file has, so that no two files have a number in common


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """The settings for reading sentences, the same in all parts."""

    repair: str  # a name in `REPAIRS`; anything else: no repair
    lenient: bool  # leave out bad sentences and report them, instead of raising an error


@dataclass(frozen=True, slots=True)
class FilePart:
    """A part of a treebank: a file, or a span of one."""

    path: Path
    span: Span = WHOLE_FILE
    first_number: int = 0  # number of its first sentence in the file; known after the first pass
    has_repeats: bool = False  # the file repeats a sentence id; known after the first pass


class Survey(NamedTuple):
    """The result of the first pass: the counts of a treebank (FEATS unrepaired), and its parts."""

    reading: ReadSettings
    counts: Counts  # each instance also has the number of its part
    parts: list[FilePart]


def survey(
    source: Treebank,
    search: Search,
    reading: ReadSettings,
    *,
    run: MapFunction = map,
    part_bytes: int = PART_BYTES,
    progress: Progress = silent,
) -> Survey:
    """Run the first pass: count all parts of a treebank and add up their counts.

    In each part, sentences, documents and strata (50 sentences, for a treebank that marks few
    documents) are numbered from 0; here they get the numbers that they have in file and treebank.
    Raises `InputError` for the first fault in the treebank, unless `reading` is lenient.
    """
    parts = [FilePart(path, span) for path in source.files for span in spans(path, part_bytes)]
    sizes = [min(part.path.stat().st_size, part.span.end - part.span.start) for part in parts]
    total = Counts()
    numbered: list[FilePart] = []
    frames: list[pl.DataFrame] = []
    ids_of_file: set[str] = set()
    files_with_repeats: set[Path] = set()
    first_number = n_files = 0  # number of the part's first sentence in its file; files so far
    results = run(partial(count_part, search, reading), parts)
    for part_number, (part, counts) in enumerate(zip(parts, results, strict=True)):
        if part.span.start == 0:  # a new file
            first_number, ids_of_file = 0, set()
            n_files += 1
        if counts.has_repeats or not ids_of_file.isdisjoint(counts.ids):
            files_with_repeats.add(part.path)
        if len(ids_of_file) < MAX_SENT_IDS:
            ids_of_file |= counts.ids
        instances = counts.instances.with_columns(part=pl.lit(part_number, pl.UInt32))
        if search.evidence:  # the rule tests, and needs to know documents and strata
            stratum = (pl.col("sentence").cast(pl.UInt64) + first_number) // SENTENCES_PER_STRATUM
            instances = instances.with_columns(
                document=pl.col("document") + total.n["documents"],
                stratum=stratum + n_files * STRATA_PER_FILE,
            )
        frames.append(instances)
        numbered.append(replace(part, first_number=first_number))
        first_number += counts.n["sentences"] + len(counts.faults)  # faulty ones have numbers, too
        total.add(counts)
        progress("reading, MB", sum(sizes[: part_number + 1]) // MB, sum(sizes) // MB)
    total.instances = pl.concat(frames)
    if search.evidence:
        total.finish(REPAIRS.get(reading.repair))
    numbered = [replace(part, has_repeats=part.path in files_with_repeats) for part in numbered]
    return Survey(reading, total, numbered)


def count_part(search: Search, reading: ReadSettings, part: FilePart) -> Counts:
    """Read one part of a treebank; count its instances and the analyses of its words.

    Sentences are numbered from the part's first one. The ids of a whole file are left out, since no
    other part can repeat them.
    """
    faults: list[InputError] = []
    on_bad = faults.append if reading.lenient else None
    stream = read(part.path, on_bad=on_bad, span=part.span)
    counts = count(stream, search, REPAIRS.get(reading.repair))
    counts.faults = faults
    if part.span == WHOLE_FILE:
        counts.ids.clear()
    return counts


def sentences_with(
    first_pass: Survey, keys: Sequence[ConstructionKey], run: MapFunction = map
) -> Iterator[tuple[Sentence, list[Instance]]]:
    """Run the second pass: yield each sentence that has instances of the constructions `keys`, with
    these instances, in the order of the treebank."""
    selected = pl.DataFrame(keys, schema=["feature", "construction"], orient="row").cast(
        pl.Categorical
    )
    instances = first_pass.counts.instances.join(
        selected, ["feature", "construction"], "semi", maintain_order="left"
    )
    # number of a part → numbers of its sentences, counted from the first one of the part
    numbers = dict(instances.group_by("part").agg(pl.col("sentence").unique()).iter_rows())
    jobs = [
        (part, frozenset(part.first_number + number for number in numbers[part_number]))
        for part_number, part in enumerate(first_pass.parts)
        if part_number in numbers
    ]
    sentences = chain.from_iterable(run(partial(read_part, first_pass.reading), jobs))
    rows = instances.select("part", "sentence", *Instance._fields).iter_rows()
    by_sentence = groupby(rows, key=itemgetter(0, 1))  # part and sentence
    for sentence, (_, sentence_rows) in zip(sentences, by_sentence, strict=True):
        yield sentence, [Instance(*fields) for _, _, *fields in sentence_rows]


def read_part(reading: ReadSettings, job: tuple[FilePart, Set[int]]) -> list[Sentence]:
    """Read some sentences of one part. `job` is (part, numbers of the sentences in the file)."""
    part, numbers = job
    stream = read(
        part.path,
        on_bad=(lambda fault: None) if reading.lenient else None,
        only=numbers,
        span=part.span,
        first_number=part.first_number,
    )
    unique_ids = map(with_line, stream) if part.has_repeats else stream
    return list(repaired(unique_ids, REPAIRS.get(reading.repair)))


def with_line(sentence: Sentence) -> Sentence:
    """Add the line of a sentence to its id (`weblog-7@1234`), so that ids are unique in a file."""
    comments = (
        f"{line.rstrip()}@{sentence.line}" if comment_in([line], SENT_ID) is not None else line
        for line in sentence.comments
    )
    return replace(sentence, comments=tuple(comments))
