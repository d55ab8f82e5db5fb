"""A treebank read in parts, each by whichever worker is free, and put together again in order.

A part is a file, or a span of a big one. The first pass counts each part by itself and adds the
counts up in the order of the treebank, so that the sums (and the order in which keys and forms were
first seen) are those of one reader, however many there were. The second goes back for the sentences
that hold what was accepted.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import polars as pl

from ..data.errors import InputError
from ..data.items.tree import Sentence
from ..data.progress import Progress, silent
from .parse import parsed_by
from .search.instances import Search
from .treebank.conllu import read
from .treebank.conllu_lines import WHOLE_FILE, Span, spans
from .treebank.repair import REPAIRS, repaired
from .treebank.treebank import REMEMBERED, Treebank, identified, repeated_id_error
from .verdict.construction import ConstructionKey
from .verdict.counts import STRATUM, Counts, count

MapFunction: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
"""`map`, or what does the same on several workers: results in the order of the jobs."""
PART_BYTES = 16 << 20  # about a second's work: progress shows, and a lost worker costs little
MB = 1 << 20
STRATA_PER_FILE = 1 << 24  # more strata than a file has


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """How sentences are read, in every part alike."""

    repair: str  # a name in `REPAIRS`, or anything else for none
    lenient: bool  # bad sentences are left out and told, not fatal
    renumber: bool = False  # sentence ids get their line; else none may come twice in a file


@dataclass(frozen=True, slots=True)
class FilePart:
    """A stretch of a file."""

    path: Path
    span: Span = WHOLE_FILE
    first_number: int = 0  # of its first sentence in the file; known once the parts before are read


class PartCounts(NamedTuple):
    """What the first pass found in one part. Places and numbers count from its first sentence."""

    counts: Counts
    n_numbers: int  # sentences, faulty ones too
    ids: Mapping[str, int]  # `sent_id` → line, of a part of a file
    fatal: InputError | None = None  # where a part of a file could not be read to its end


class Survey(NamedTuple):
    """The counts of a treebank (analyses unrepaired), and where its instances stand."""

    reading: ReadSettings
    counts: Counts  # its instances have the number of their part too
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
    """Run the first pass. Raises the treebank's first fault where `reading` is not lenient."""
    parts = [FilePart(path, span) for path in source.files for span in spans(path, part_bytes)]
    sizes = [min(part.path.stat().st_size, part.span.end - part.span.start) for part in parts]
    total = Counts()
    numbered: list[FilePart] = []
    frames: list[pl.DataFrame] = []
    ids: dict[str, int] = {}
    first_number = n_files = 0
    results = run(partial(count_part, search, reading), parts)
    for number, (part, counted) in enumerate(zip(parts, results, strict=True)):
        if part.span.start == 0:
            first_number, ids = 0, {}
            n_files += 1
        counts, n_numbers, *_ = _without_repeats(part, counted, ids, search, reading)
        instances = counts.instances.with_columns(part=pl.lit(number, pl.UInt32))
        if search.evidence:  # document and stratum in the whole treebank
            stratum = (pl.col("sentence").cast(pl.UInt64) + first_number) // STRATUM
            instances = instances.with_columns(
                document=pl.col("document") + total.n["documents"],
                stratum=stratum + n_files * STRATA_PER_FILE,
            )
        frames.append(instances)
        numbered.append(replace(part, first_number=first_number))
        first_number += n_numbers
        total.add(counts)
        progress("reading, MB", sum(sizes[: number + 1]) // MB, sum(sizes) // MB)
    total.instances = pl.concat(frames)
    if search.evidence:
        total.finish(REPAIRS.get(reading.repair))
    return Survey(reading, total, numbered)


def _without_repeats(
    part: FilePart, counted: PartCounts, ids: dict[str, int], search: Search, reading: ReadSettings
) -> PartCounts:
    """The same, less sentences whose `sent_id` an earlier part of the file has; `ids` grows."""
    clashes = {name: ids[name] for name in counted.ids if name in ids}
    if clashes:
        if not reading.lenient:
            line, name = min((counted.ids[name], name) for name in clashes)
            raise repeated_id_error(part.path, line, name, clashes[name])
        counted = count_part(search, reading, part, prior=clashes)
    if counted.fatal is not None:
        raise counted.fatal
    if len(ids) < REMEMBERED:
        ids.update(counted.ids)
    return counted


def count_part(
    search: Search, reading: ReadSettings, part: FilePart, prior: Mapping[str, int] | None = None
) -> PartCounts:
    """Counts one part. `prior`: `sent_id`s of earlier parts, with their lines, that come again."""
    faults: list[InputError] = []
    ends: list[int] = []
    parsers: dict[str, None] = {}
    on_bad = faults.append if reading.lenient else None
    ids = dict(prior or {})

    def noting_parser(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
        for sentence in sentences:  # the file's first one may say what parsed it
            if sentence.number == 0 and sentence.line <= len(sentence.comments) + 1:
                parsers[parsed_by(sentence.comments)] = None
            yield sentence

    stream: Iterable[Sentence] = read(part.path, on_bad=on_bad, span=part.span, on_end=ends.append)
    stream = noting_parser(identified(stream, part.path, reading.renumber, on_bad, ids))
    try:
        counts = count(stream, search, REPAIRS.get(reading.repair))
    except InputError as error:
        if part.span == WHOLE_FILE:
            raise
        return PartCounts(Counts(), 0, ids, error)  # an id above it may be a repeat
    counts.faults, counts.parsers = faults, parsers
    return PartCounts(counts, ends[0], {} if part.span == WHOLE_FILE else ids)


def sentences_with(
    first_pass: Survey, keys: Sequence[ConstructionKey], run: MapFunction = map
) -> Iterator[Sentence]:
    """The second pass: the sentences that hold an instance of one of `keys`, in order."""
    selected = pl.DataFrame(keys, schema=["feature", "construction"], orient="row").cast(
        pl.Categorical
    )
    instances = first_pass.counts.instances.join(selected, ["feature", "construction"], "semi")
    numbers = dict(instances.group_by("part").agg(pl.col("sentence").unique()).iter_rows())
    jobs = [
        (part, frozenset(part.first_number + index for index in numbers[number]))
        for number, part in enumerate(first_pass.parts)
        if number in numbers
    ]
    for sentences in run(partial(read_part, first_pass.reading), jobs):
        yield from sentences


def read_part(reading: ReadSettings, job: tuple[FilePart, Set[int]]) -> list[Sentence]:
    """The sentences of one part that have these numbers."""
    part, numbers = job
    stream = read(
        part.path,
        on_bad=(lambda fault: None) if reading.lenient else None,
        only=numbers,
        span=part.span,
        first_number=part.first_number,
    )
    numbered = identified(stream, part.path, True, None) if reading.renumber else stream
    return list(repaired(numbered, REPAIRS.get(reading.repair)))
