"""Run all measurements, one after the other, and write their output to one page.

    python -m bench [SHARED] [--only reading,mining] [--list] [--out build/benchmarks.md]

SHARED (`../shared`) has `treebanks`, `published` and `vocabularies`. The page has the date, the
commit, the machine, and for each command its output and running time; BENCHMARKS.md quotes such a
page and explains the figures. If a command fails, or its data are missing, the page says so and the
next one runs. All of them take hours on two cores.
"""

import argparse
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from colorless_green import __version__

EWT = "{shared}/treebanks/UD_English-EWT-r2.0/en-ud-train.conllu.gz"
EWT_NEW = "{shared}/treebanks/UD_English-EWT/en_ewt-ud-{part}.conllu.gz"
SEQUOIA = "{shared}/treebanks/UD_French-Sequoia/fr_sequoia-ud-dev.conllu.gz"
BLIMP = "{shared}/published/blimp/data"
GERMAN_AND_ITALIAN = " ".join(
    "{shared}/treebanks/UD_" + name for name in ("German-GSD", "Italian-VIT")
)
COMMANDS = (  # name, command line; {work} is a temporary folder
    ("reading", "bench.reading {shared}/treebanks 3"),
    (
        "mining",
        f"bench.mining {EWT} --vocabulary {{shared}}/vocabularies/english-wikipedia-50k.txt",
    ),
    ("collection", "bench.collection {shared}/treebanks released strict tested"),
    ("growth", f"bench.growth {EWT} 64"),
    ("agreement", "bench.agreement {shared}/treebanks"),
    ("nonce", f"bench.nonce {SEQUOIA} --rule tested --level +frame"),
    ("leaks", f"bench.leaks {GERMAN_AND_ITALIAN}"),
    ("benchmark", "bench.benchmark {shared}/treebanks"),
    ("suites", "bench.suites {shared}/published"),
    ("papers", "bench.papers {shared}/published"),
    (
        "scoring",
        "bench.scoring --pairs 200 --rounds 2 --sets a,b "
        + EWT_NEW.format(shared="{shared}", part="test"),
    ),
    (
        "model",  # scored by `blimp`
        f"colorless_green train ngram {EWT} --language en --store none --out {{work}}/model",
    ),
    ("blimp", f"bench.blimp {BLIMP} {{work}}/model"),
    ("whole", f"bench.whole {BLIMP}"),
    ("calibration", "bench.calibration --studies 1000"),
    ("ngram", f"bench.ngram {EWT}"),
    ("grown", f"bench.grown 10000000 {{work}}/grown.txt {EWT}"),
    ("large", "bench.ngram --large {work}/grown.txt"),
)
REQUIRED = {"blimp": "model", "large": "grown"}
"""measurement → the one whose output it reads"""


def selected_commands(only: str) -> list[tuple[str, str]]:
    """Return (name, command) for the names in `only` (joined by commas; "": all) and for those
    whose output they read."""
    wanted = set(filter(None, only.split(","))) or {name for name, _ in COMMANDS}
    unknown = wanted - {name for name, _ in COMMANDS}
    if unknown:
        raise SystemExit(f"--only: no such measurement {', '.join(sorted(unknown))}; --list")
    wanted |= {REQUIRED[name] for name in wanted if name in REQUIRED}
    return [(name, command) for name, command in COMMANDS if name in wanted]


def page_head() -> str:
    """Return the head of the page: date, commit and machine."""
    described = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    commit = described.stdout.strip() or "no commit"
    return (
        f"# Benchmarks of {datetime.now(UTC):%Y-%m-%d}\n\n"
        f"colorless-green {__version__}, commit {commit}; Python {platform.python_version()}, "
        f"{platform.machine()}, {os.cpu_count()} cores.\n"
    )


def run_section(name: str, command: str) -> str:
    """Run a command, and return its section of the page: command, seconds, output."""
    start = monotonic()
    run = subprocess.run(
        [sys.executable, "-m", *command.split()], capture_output=True, text=True, check=False
    )
    end = "" if run.returncode == 0 else f"\n(exit code {run.returncode}) {run.stderr[-500:]}"
    return (
        f"\n## {name}\n\n`python -m {command}` ({monotonic() - start:.0f} s)\n\n"
        f"```\n{run.stdout.rstrip()}{end}\n```\n"
    )


def main() -> None:
    """Run the selected measurements, and append the section of each to the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shared", nargs="?", default="../shared")
    parser.add_argument("--only", default="", help="names, with commas between them")
    parser.add_argument("--list", action="store_true", help="print the commands and run none")
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks.md"))
    options = parser.parse_args()
    os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    with TemporaryDirectory() as work:
        commands = [
            (name, command.format(shared=options.shared, work=work))
            for name, command in selected_commands(options.only)
        ]
        if options.list:
            for name, command in commands:
                print(f"{name}: python -m {command}")
            return
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(page_head(), encoding="utf-8")
        for name, command in commands:
            print(f"{name} …", file=sys.stderr)
            with options.out.open("a", encoding="utf-8") as page:
                page.write(run_section(name, command))
    print(options.out)


if __name__ == "__main__":
    main()
