"""Results of Ibex (its last version, 2021) and of PCIbex, which writes the same file with more.

Of Ibex's own controllers these are read: `Question` (a choice; after a sentence, a rating),
`FlashSentence` and `DashedSentence` (a sentence to be rated; words with their reading times),
`Form` (a field may tell the person). Columns go by the names that Ibex gives them. Items are found
by the texts shown. An answer `NULL` is none.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.humans.assemble import assembled
from colorless_green.humans.formats.blocks import Record, records, utc
from colorless_green.humans.formats.names import Names, keep_into, names_of, platform_of
from colorless_green.humans.formats.pcibex import PENN, READING_TIME, SENTENCE, Penn, penn_trials
from colorless_green.humans.formats.sheet import is_number
from colorless_green.humans.imported import Arrived, Imported, ImportOptions, about_strangers
from colorless_green.humans.judgment import Judgment, Reading, Session, kind_named
from colorless_green.humans.lookup import lookup_of
from colorless_green.nonce.item import Item

NULL = "NULL"
QUESTION, ANSWER = "Question (NULL if none)", "Answer"
CORRECT, ANSWER_TIME = "Whether or not answer was correct (NULL if N/A)", "Time taken to answer"
NUMBER, WORD = "Word number", "Word"
DASHED = "DashedSentence"
FIELD_NAME, FIELD_VALUE = "Field name", "Field value"
FLAGS: Mapping[str, int | None] = {"1": 1, "0": 0, NULL: None, "": None}


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """The judgments and readings in results files.

    Raises `InputError` if no line is about a known item, for numbers that are none, and as `join`
    does. A person is who a form or a logged column says, else (address, time of sending).
    """
    names = names_of(options)
    lines = [record for path in paths for record in records(path)]
    people, platforms, facts = _people(lines, names, options)
    penn = penn_trials([each for each in lines if each.controller == PENN], people, names)
    claims = [*penn.judgments, *_questions(lines, people)]
    lookup = lookup_of(items)
    known, strangers = [], dict[str, None]()
    for claim in claims:
        if claim.item or lookup.identified(claim).item in lookup.by_id:
            known.append(claim)
        elif claim.chosen or claim.rating is not None:
            strangers[claim.prefix or claim.option_1] = None
    readings = [*penn.readings, *_dashed(lines, people)]
    if lines and not known and not readings:
        raise InputError(
            str(paths[0]),
            f"no line is about a known item ({', '.join(list(strangers)[:5]) or 'no answers'})",
            "the suite that was shown (--suite, --items), or --map item=COLUMN",
            kind="empty",
        )
    places = {line.place: place for place, line in enumerate(lines)}
    known.sort(key=lambda claim: places[claim.origin])
    arrived = Arrived(
        n_files=len(paths),
        n_rows=len(lines),
        judgments=known,
        readings=readings,
        sessions=_sessions(lines, people, facts),
        n_others=len(lines) - len(known) - len(readings),
        in_order=True,
        platform="ibex",
        platforms=platforms,
        notes=(*_notes(lines, penn), *about_strangers(list(strangers))),
    )
    return assembled(arrived, items, options)


def _people(
    lines: Sequence[Record], names: Names, options: ImportOptions
) -> tuple[dict[str, str], dict[str, str], dict[str, dict[str, str]]]:
    """Session → person; person → platform, where it is told; session → what is to be kept."""
    people: dict[str, str] = {}
    platforms: dict[str, str] = {}
    facts: dict[str, dict[str, str]] = {}
    for line in lines:
        fields = line.fields
        if line.controller == "Form":
            fields = {line.value(FIELD_NAME): line.value(FIELD_VALUE)}
        keep_into(facts.setdefault(line.session, {}), fields, options.keep)
        for name in names["participant"]:
            who = fields.get(name, "")
            if who and who != NULL:
                people[line.session] = who
                platforms[who] = platform_of(names, (name,)) or "local"
                break
    for line in lines:
        people.setdefault(line.session, line.session)
    return people, platforms, facts


def _questions(lines: Sequence[Record], people: Mapping[str, str]) -> Iterator[Judgment]:
    """Answers to questions: choices after a prefix, or ratings of the sentence shown before
    (`AcceptabilityJudgment`, `DashedAcceptabilityJudgment`)."""
    flashed: dict[tuple[str, str, str], str] = {}
    for line in lines:
        trial = line.session, line.order, line.element
        if line.controller == "FlashSentence" or _is_whole(line):
            flashed[trial] = line.value(SENTENCE)
        if line.controller != "Question":
            continue
        question, answer = line.value(QUESTION), line.value(ANSWER)
        sentence = flashed.get(trial, "") if question == NULL else ""
        missing = answer == NULL
        if sentence and not missing and not is_number(answer):
            raise InputError(line.place, f"the rating is {answer!r}", "a number", kind="format")
        correct = line.value(CORRECT)
        if correct not in FLAGS:
            raise InputError(line.place, f"correct is {correct!r}", "1, 0 or NULL", kind="format")
        kind = kind_named(line.label)
        yield Judgment(
            participant=people[line.session],
            session=line.session,
            trial_id="/".join(trial),
            condition="" if kind else line.label,
            kind=kind or "target",
            prefix="" if sentence or question == NULL else question,
            option_1=sentence,
            chosen="" if missing or sentence else answer,
            correct=None if missing else FLAGS[correct],
            rating=float(answer) if sentence and not missing else None,
            rt_ms=None if missing else milliseconds(line.value(ANSWER_TIME), line.place),
            at=utc(line.time, line.place),
            origin=line.place,
        )


def _is_whole(line: Record) -> bool:
    """Whether the words of a sentence went by on their own, so that the line is about all of it."""
    return line.controller == DASHED and NUMBER not in line.fields


def milliseconds(text: str, place: str) -> float | None:
    """A time of Ibex; None for `NULL`."""
    if text in ("", NULL):
        return None
    if not is_number(text) or not 0 <= float(text) < float("inf"):
        raise InputError(place, f"the time is {text!r}", "milliseconds, or NULL", kind="format")
    return float(text)


def _dashed(lines: Sequence[Record], people: Mapping[str, str]) -> Iterator[Reading]:
    """Words of self-paced reading, each with its number, its time and its sentence (or the MD5)."""
    for line in lines:
        if line.controller != DASHED or _is_whole(line):
            continue
        number = line.value(NUMBER)
        if not (number.isdecimal() and number.isascii() and int(number[:9]) > 0):
            raise InputError(
                line.place, f"the word's number is {number!r}", "1 or more", kind="format"
            )
        kind = kind_named(line.label)
        yield Reading(
            participant=people[line.session],
            session=line.session,
            trial_id=f"{line.session}/{line.order}/{line.element}",
            item="",
            shown="",
            source="",
            construction="",
            condition="" if kind else line.label,
            kind=kind or "target",
            sentence=line.value(SENTENCE),
            word_index=int(number) - 1,
            word=line.value(WORD),
            rt_ms=milliseconds(line.value(READING_TIME), line.place),
            at=utc(line.time, line.place),
            origin=line.place,
        )


def _sessions(
    lines: Sequence[Record], people: Mapping[str, str], facts: Mapping[str, Mapping[str, str]]
) -> list[Session]:
    ended = {line.session: utc(line.time, line.place) for line in lines}
    return [
        Session(people[session], session, ended_at=ended[session], facts=facts[session])
        for session in ended
    ]


def _notes(lines: Sequence[Record], penn: Penn) -> Iterator[str]:
    times: dict[str, set[str]] = {}
    for line in lines:
        times.setdefault(line.md5, set()).add(line.time)
    shared = Counter(len(each) > 1 for each in times.values())[True]
    if shared:
        yield (
            f"{shared} addresses sent results more than once: the same person again, or several "
            "behind one address; each sending counts as a person unless an id was logged"
        )
    if penn.n_changes:
        yield f"{penn.n_changes} answers were changed before the trial ended: the last one counts"
