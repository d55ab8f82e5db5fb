"""Data of jsPsych 6, 7 and 8, as JSON or CSV, of one person a file or of many.

What an experiment adds to its trials has names of its own choosing; those that are usual are known,
others are given with `--map OURS=THEIRS`. A trial counts as one of ours if it names an item, or if
what it showed is an item's; all others (instructions, consent, surveys) are counted and left.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.humans.assemble import assembled
from colorless_green.humans.formats.answers import answer_in, options_in
from colorless_green.humans.formats.names import Names, keep_into, names_of, platform_of
from colorless_green.humans.formats.sheet import text_in
from colorless_green.humans.formats.trials import Trial, number_of, stripped, trials_in
from colorless_green.humans.imported import Arrived, Imported, ImportOptions, about_strangers
from colorless_green.humans.judgment import Judgment, Reading, Session, kind_named
from colorless_green.humans.lookup import Lookup, lookup_of, plain
from colorless_green.nonce.item import Item

FILE = "@file"  # `--map participant=@file`: every file is a person
READING = "self-paced-reading"
FLAGS = {"": None, "true": 1, "false": 0, "1": 1, "0": 0}


@dataclass(frozen=True, slots=True)
class Batch:
    """The trials of one file (or one result of a server), and what is known of whose they are."""

    path: Path
    trials: Sequence[Trial]
    participant: str = ""  # where the server knows
    otherwise: str = ""  # where neither server nor trials know better
    platform: str = ""  # whose id `participant` is
    session: str = ""


@dataclass(frozen=True, slots=True)
class Collected:
    """What has come together from batches; grows while they are read."""

    judgments: list[Judgment] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    blurs: dict[tuple[str, str], int] = field(default_factory=dict)
    facts: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    strangers: dict[str, None] = field(default_factory=dict)  # choices about no known item
    platforms: dict[str, str] = field(default_factory=dict)
    keys: dict[str, None] = field(default_factory=dict)  # names of fields seen, in order


def read(paths: Sequence[Path], items: Sequence[Item], options: ImportOptions) -> Imported:
    """The judgments in files of jsPsych. Raises `InputError` as `arrived` and `join` do."""
    batches = [Batch(path, trials_in(text_in(path), path)) for path in paths]
    return assembled(arrived(batches, items, options), items, options)


def arrived(
    batches: Iterable[Batch],
    items: Sequence[Item],
    options: ImportOptions,
    sessions: Sequence[Session] = (),
) -> Arrived:
    """What is in the batches. `sessions` are what a server says of them.

    Raises `InputError` if no trial is about an item, if one is nobody's, or if its response is not
    one of those its plugin gives.
    """
    names = names_of(options)
    lookup, collected = lookup_of(items), Collected()
    n_rows, paths = 0, dict[Path, None]()
    for batch in batches:
        n_rows += len(batch.trials)
        paths[batch.path] = None
        if batch.platform:
            collected.platforms[batch.participant or batch.otherwise] = batch.platform
        for trial in batch.trials:
            _collect(trial, batch, collected, lookup, names, options)
    if n_rows and not collected.judgments and not collected.readings:
        raise InputError(
            str(next(iter(paths))),
            f"no trial is about a known item; the fields are {', '.join(collected.keys)}",
            "--map item=FIELD, or the suite that was shown (--suite, --items)",
            kind="empty",
        )
    n_trials = len(collected.judgments) + len({each.trial_id for each in collected.readings})
    return Arrived(
        n_files=len(paths),
        n_rows=n_rows,
        judgments=collected.judgments,
        readings=collected.readings,
        sessions=_sessions(sessions, collected),
        n_others=n_rows - n_trials,
        in_order=True,
        platforms=collected.platforms,
        notes=about_strangers(list(collected.strangers)),
    )


def _collect(
    trial: Trial,
    batch: Batch,
    collected: Collected,
    lookup: Lookup,
    names: Names,
    options: ImportOptions,
) -> None:
    collected.keys.update(dict.fromkeys(trial.fields))
    session = batch.session or trial.text(*names["session"])
    who = _participant(trial, batch, names)
    if options.keep:
        _keep(trial, (who, session), collected, options.keep)
    if "event" in trial.fields and "trial_type" not in trial.fields:
        key = who, session
        collected.blurs[key] = collected.blurs.get(key, 0) + (trial.text("event") == "blur")
        return
    claim = _shown(trial, who, session, names)
    if not claim.item and lookup.identified(claim).item not in lookup.by_id:
        if claim.option_2:
            collected.strangers[claim.prefix or claim.option_1] = None
        return
    if not who:
        raise InputError(
            trial.place,
            "no participant",
            f"--map participant=FIELD, or --map participant={FILE} where every file is a person",
            kind="format",
        )
    platform = platform_of(names, trial.fields)
    if platform:
        collected.platforms.setdefault(who, platform)
    if trial.text("trial_type") == READING:
        collected.readings.extend(_readings(trial, claim))
        return
    collected.judgments.append(_answered(claim, trial, names))


def _participant(trial: Trial, batch: Batch, names: Names) -> str:
    if names["participant"] == (FILE,):
        return batch.participant or batch.path.stem
    return batch.participant or trial.text(*names["participant"]) or batch.otherwise


def _shown(trial: Trial, who: str, session: str, names: Names) -> Judgment:
    """The trial without its answer: what was shown to whom. What has no options is a sentence."""

    def text(ours: str) -> str:
        return trial.text(*names[ours])

    stimulus = text("sentence") or plain(stripped(trial.get("stimulus")))
    option_1, option_2 = options_in(trial, (stripped(text("option_1")), stripped(text("option_2"))))
    index = trial.text("trial_index")
    prefix = text("prefix") or ("" if text("item") or not option_2 else stimulus)
    return Judgment(
        participant=who,
        session=session,
        trial_id=text("trial_id") or (f"{session}/{who}/{index}" if index else ""),
        item=text("item"),
        condition=text("condition"),
        kind=kind_named(text("kind")) or "target",
        list=text("list"),
        prefix=prefix,
        option_1=option_1 if option_2 else stimulus,
        option_2=option_2,
        correct_form=text("correct_form"),
        at=text("at"),
        origin=trial.place,
    )


def _answered(claim: Judgment, trial: Trial, names: Names) -> Judgment:
    options = (claim.option_1, claim.option_2) if claim.option_2 else ("", "")
    keys = trial.text(*names["key_1"]), trial.text(*names["key_2"])
    answer = answer_in(trial, options, keys)
    missing = answer.index is None and answer.rating is None
    return replace(
        claim,
        chosen="" if answer.index is None else options[answer.index],
        chosen_index=answer.index,
        correct=None if missing else FLAGS.get(trial.text(*names["correct"]).lower()),
        rating=answer.rating,
        rt_ms=_time(trial),
    )


def _time(trial: Trial) -> float | None:
    value = trial.get("rt")
    if isinstance(value, list):
        return None
    found = number_of(value, "rt", trial.place)
    if found is not None and found < 0:
        raise InputError(trial.place, f"rt is {found:g}", "0 or more", kind="format")
    return found


def _readings(trial: Trial, claim: Judgment) -> list[Reading]:
    words, times = trial.get("word"), trial.get("rt")
    if not isinstance(words, list) or not isinstance(times, list) or len(words) != len(times):
        raise InputError(
            trial.place,
            "words and times do not belong together",
            "arrays `word` and `rt`",
            kind="format",
        )
    shown = trial.get("sentence")
    sentence = " ".join(map(str, shown)) if isinstance(shown, list) else str(shown or "")
    return [
        Reading(
            participant=claim.participant,
            session=claim.session,
            trial_id=claim.trial_id,
            item=claim.item,
            shown="",
            source="",
            construction="",
            condition=claim.condition,
            kind=claim.kind,
            sentence=sentence or " ".join(map(str, words)),
            word_index=place,
            word=str(word),
            rt_ms=number_of(time, "rt", trial.place),
            at=claim.at,
            origin=trial.place,
        )
        for place, (word, time) in enumerate(zip(words, times, strict=True))
    ]


def _keep(trial: Trial, key: tuple[str, str], collected: Collected, wanted: Sequence[str]) -> None:
    """Fields that were asked for, of the trial itself or of a survey's response."""
    response = trial.get("response")
    fields = Trial("", {**(response if isinstance(response, dict) else {}), **trial.fields})
    keep_into(
        collected.facts.setdefault(key, {}), {name: fields.text(name) for name in wanted}, wanted
    )


def _sessions(known: Sequence[Session], collected: Collected) -> list[Session]:
    """What the server says, with what the trials add. Whose a session is, its trials know best."""
    owners = {each.session: each.participant for each in collected.judgments}
    named = [replace(e, participant=owners.get(e.session, e.participant)) for e in known]
    found = {(each.participant, each.session): each for each in named}
    for key in (*collected.blurs, *collected.facts):
        found.setdefault(key, Session(*key))
    return [
        replace(
            each,
            n_blurs=collected.blurs.get(key, each.n_blurs),
            facts={**each.facts, **collected.facts.get(key, {})},
        )
        for key, each in found.items()
        if key[0]
    ]
