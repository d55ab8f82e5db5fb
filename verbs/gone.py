"""Verbs, options and values of version 1 that this version does not have, as they were written →
what to do instead. The next version drops this table."""

LME4 = "use `humans analyse --r FOLDER`, which writes the answers and a script for lme4"
PLATFORM = "use `humans export STUDY --to jatos, datapipe, pcibex or download`"
SPEED_READING = "make self-paced reading with PCIbex"
READ_ONLY = "this format is only read; use `--format pair_table`, `blimp`, `syntaxgym` or `jsonl`"
GONE = {
    "doctor": "use `status`, which also shows what is installed",
    "compare --results": "run `python -m bench.papers` in a copy of the repository",
    "humans serve": PLATFORM,
    "humans answers": "give the file that the platform saved to `humans import`; answers that "
    "version 1 collected are taken out with version 1, and imported as ever",
    "humans power": "use `humans design`, which prints the power of the very design",
    "humans export --to static": "use `--to download`, which is the same page",
    "humans export --to mturk": "use `--to csv` and Mechanical Turk's own pages",
    "humans design --task reading": SPEED_READING,
    "humans design --questions": SPEED_READING,
    "humans design --question-share": SPEED_READING,
    "humans analyse --formula": LME4,
    "humans analyse --model": LME4,
    "humans analyse --coding": LME4,
    "humans analyse --prior": LME4,
    "humans analyse --tidy": LME4,
    "nonce --balance": "use `nonce --composed`, whose sets have the same words in every cell",
    "mine --second": "mine one parse; parses are not compared any more",
    "mine --min-agreement": "mine one parse; parses are not compared any more",
    "parse --gold": "compare parses with the script of the CoNLL 2018 shared task",
    "export --format clams": READ_ONLY,
    "export --format marvin_linzen": READ_ONLY,
    "export --format reflexives": READ_ONLY,
    "export --format syntaxgym_csv": READ_ONLY,
    "export --format linzen2016": READ_ONLY,
    "export --format lines": READ_ONLY,
}
