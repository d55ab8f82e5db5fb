"""Advice for commands, options and values of version 1 that this version does not have. The next
version drops this module."""

LME4 = "use `humans analyse --r FOLDER`, which writes the answers and a script for lme4"
PLATFORM = "use `humans export STUDY --to jatos, datapipe, pcibex or download`"
SPEED_READING = "make self-paced reading with PCIbex"
READ_ONLY = "this format is only read; use `--format pair_table`, `blimp`, `syntaxgym` or `jsonl`"
GONE: dict[str, str] = {  # as it was written → what to do instead
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
    "nonce --balance": "use `compose`, whose sets have the same words in every cell",
    "mine --second": "mine one parse; parses are not compared any more",
    "mine --min-agreement": "mine one parse; parses are not compared any more",
    "parse --gold": "compare parses with the script of the CoNLL 2018 shared task",
    "export --format clams": READ_ONLY,
    "export --format marvin_linzen": READ_ONLY,
    "export --format reflexives": READ_ONLY,
    "export --format syntaxgym_csv": READ_ONLY,
    "export --format linzen2016": READ_ONLY,
    "export --format lines": READ_ONLY,
    "mine --preset": "use --rule released",
    "mine --renumber": "it is automatic: sentence ids that repeat get their line",
    "mine --any-order": "use --set projective=false",
    "mine --no-ghosts": "use --set ghosts=false",
    "languages --renumber": "it is automatic: sentence ids that repeat get their line",
    "languages --csv": "use --out",
    "fetch --list": "see 'Fetching' in docs/mining.md; an unknown name, or a language, is answered "
    "with those that there are",
    "fetch --mirror": "set the environment variable COLORLESS_MIRROR",
    "parse --models": "use --model",
    "parse --package": "use --model",
    "parse --paragraphs": "where paragraphs end is detected",
    "parse --batch": "it is chosen by the program",
    "nonce --per-original": "use -n",
    "nonce --preset": "use --recipe gulordava2018",
    "nonce --composed": "use the verb `compose`",
    "nonce --sets": "use `compose --sets`",
    "nonce --attractors": "use `compose --set attractors=…`",
    "nonce --page": "use `show SUITE --page FILE`",
    "nonce --rejections": "use `show SUITE --rejected`",
    "grammar --suite": "use --make suite",
    "grammar --conllu": "use --make treebank",
    "grammar --capital": "write `capital = true` in the grammar's file",
    "grammar --no-capital": "write `capital = false` in the grammar's file",
    "grammar --period": 'write `stop = "."` in the grammar\'s file',
    "grammar --no-period": 'write `stop = ""` in the grammar\'s file',
    "nonce --fallback": "leave --level out: each original gets the highest level that serves it",
    "nonce --tail": "the level decides: from +frame on, words after the target stay",
    "nonce --lexicon": "name all treebanks with --treebank",
    "audit --split": "learned baselines are always cross-validated by cluster",
    "audit --frequencies": "the suite's own frequencies are used",
    "train --size": "use --training, such as --training small",
    "train --preset": "use --training, such as --training gulordava2018",
    "train --no-mixed": "use --set mixed=false",
    "train --seed": "use --seeds 7, with a comma for one seed",
    "score --setup": "use --method, such as --method hu2020",
    "score --aggregate": "use --set predictions=…",
    "score --devices": "use --device cuda:0,cuda:1",
    "score --threads": "set the environment variable OMP_NUM_THREADS",
    "humans import --keep-columns": "write `keep` in the file of --map",
    "humans import --language": "write `language` in the file of --map",
    "humans import --key": "write `key` in the file of --map",
    "humans import --platform": "write `platform` in the file of --map",
}
# options of version 1 that took no value:
FLAGS = ("undecided", "distant", "projective", "all_targets", "mixed", "compile",
         "drop_flagged")  # fmt: skip
SETTINGS = {  # command → options of version 1 that are settings now, as OPTION or OPTION=SETTING
    "mine": "pattern=patterns by min_gap max_gap gap_in direction relation=relations projective "
    "filter=filters min_n alpha floor undecided contrast=contrasts value_from distant repair",
    "languages": "min_gap max_gap min_n floor",
    "nonce": "all_targets exclude vocabulary unimorph frequencies seen_in marks",
    "train": "rnn_type prune vocabulary_size epochs mixed accuracy_on",
    "score": "metric eos period premise unigrams oov ties sample seed dtype bos boundary compile "
    "frequencies",
    "humans design": "lists drop_flagged checks practice blocks scale texts language",
}
for verb, options in SETTINGS.items():
    for option_and_setting in options.split():
        old, _, new = option_and_setting.partition("=")
        option = f"{verb} --{old.replace('_', '-')}"
        value = "true" if old in FLAGS else "VALUE"
        GONE[option] = f"use --set {new or old}={value}"
