"""The command line as a user meets it: every run is a process of its own."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from colorless_green.cli import HUMANS_VERBS
from colorless_green.cli import VERBS as ALL_VERBS
from colorless_green.verbs import console
from colorless_green.verbs.gone import GONE
from tests.builders import colorless, conllu, refused, relational, write_conllu

HEAVY = ("torch", "transformers", "numpy", "scipy", "matplotlib", "pydantic",
         "jinja2", "kenlm", "ray", "rich.markdown", "rich.progress", "polars")  # fmt: skip
NOUNS = ("cat", "dog", "fox", "hen", "pig", "ram")
VERBS = ("jump", "bark", "dream", "wait")


def treebank(folder: Path, *, copies: int = 1) -> Path:
    """Subject and verb in both numbers, with a phrase and an adverb between."""
    blocks = []
    for number in range(48 * copies):
        value = ("Sing", "Plur")[number % 2]
        noun, verb = NOUNS[number // 2 % 6], VERBS[number // 3 % 4]
        other = NOUNS[number // 5 % 6]
        subject = noun + ("s" if value == "Plur" else "")
        predicate = verb + ("s" if value == "Sing" else "")
        rows = (
            "the/DET/-/2",
            f"{subject}/NOUN/{value}/7",
            "near/ADP/-/5",
            "the/DET/-/5",
            f"{other}s/NOUN/Plur/2",
            "often/ADV/-/7",
            f"{predicate}/VERB/{value}/0",
            "./PUNCT/-/7",
        )
        block = conllu(*rows, sent_id=f"s{number}")
        for form, lemma in ((subject, noun), (f"{other}s", other)):
            block = block.replace(f"\t{form}\t{form}\tNOUN", f"\t{form}\t{lemma}\tNOUN")
        blocks.append(block.replace(f"\t{predicate}\tVERB", f"\t{verb}\tVERB"))
    return write_conllu(folder / "xx_toy-ud-train.conllu", *blocks)


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "colorless_green", "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    imported = {line.rsplit("|", 1)[-1].strip() for line in shown.stderr.splitlines()}
    assert imported.isdisjoint(HEAVY)
    assert "typer" in imported


def test_help_names_the_verbs_that_work_and_no_others(tmp_path: Path) -> None:
    shown = colorless("--help", cwd=tmp_path)
    after_options = shown.stdout.partition("All steps:")[2]
    assert re.findall(r"^  (\w+)  ", after_options, re.M) == [
        "run", "demo",
        "fetch", "parse", "mine", "languages", "nonce", "compose", "grammar", "benchmark", "import",
        "export", "audit", "show", "train", "convert", "score", "surprisal", "compare", "report",
        "status", "humans",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the pipeline has run with the models that need no torch."""
    folder = tmp_path_factory.mktemp("project")
    treebank(folder)
    steps = (
        ("mine", "--rule", "released", "xx_toy-ud-train.conllu", "--out", "mined"),
        ("nonce", "--recipe", "gulordava2018", "--out", "nonce.jsonl"),
        (
            "grammar",
            str(sample_grammar()),
            *["--sample", "300", "--make", "treebank", "--out", "text.conllu"],
        ),
        ("train", "unigram", "text.conllu"),
        ("train", "ngram", "text.conllu"),
        ("score", "--out", "scores", "--set", "oov=keep"),
        ("report",),
    )
    for step in steps:
        done = colorless(*step, cwd=folder)
        assert done.returncode == 0, (step, done.stderr)
    return folder


def sample_grammar() -> Path:
    return Path(__file__).resolve().parents[1] / "data" / "sample" / "en.toml"


@pytest.mark.slow
def test_the_pipeline_needs_no_file_names_after_the_first(project: Path) -> None:
    page = (project / "report.html").read_text(encoding="utf-8")
    assert "L__NOUN" in page
    assert page.count("<script") == 1  # its own, which the policy of the page names by its hash
    assert "script-src 'sha256-" in page


@pytest.mark.slow
def test_tables_have_the_promised_columns(project: Path) -> None:
    headers = {
        "mined/constructions.tsv": "treebank rule construction feature values n n_agree n_by_value "
        "n_originals rate expected p q low high bound design_effect n_informative n_other "
        "n_other_agree rate_unambiguous rate_pairs judged_on verdict reason",
        "mined/rejections.tsv": "treebank sent_id cue_index target_index construction reason",
        "scores/scores.tsv": "run model item_id condition sentence_index region n_subwords "
        "surprisal_bits oov",
        "scores/outcomes.tsv": "run model suite method policy item_id pair_id construction "
        "prediction right wrong right_bits wrong_bits credit margin_bits tie oov note",
        "scores/accuracy.tsv": "run model step group method policy suite prediction kind level "
        "construction value n_attractors n_items n_clusters balanced accuracy sd low high n_common "
        "accuracy_common n_ties n_oov",
    }
    for name, header in headers.items():
        first = (project / name).read_text(encoding="utf-8").split("\n")[0]
        assert first.split("\t") == header.split(" ")


def test_the_same_request_again_does_nothing_new(project: Path) -> None:
    before = (project / "mined" / "originals.jsonl").read_bytes()
    model = {path: path.stat().st_mtime_ns for path in (project / "models").rglob("*")}
    colorless("mine --rule released xx_toy-ud-train.conllu --out mined", cwd=project)
    assert (project / "mined" / "originals.jsonl").read_bytes() == before
    assert colorless("train unigram text.conllu", cwd=project).returncode == 0
    assert {path: path.stat().st_mtime_ns for path in (project / "models").rglob("*")} == model


def test_json_is_all_that_stands_on_stdout(project: Path) -> None:
    done = colorless("score --json --set oov=keep", cwd=project)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["model"] for row in rows} == {"unigram", "ngram"}
    assert all(0 <= row["accuracy"] <= 1 for row in rows)


@pytest.mark.slow
def test_mined_and_nonce_files_do_not_hang_on_the_hash_seed(tmp_path: Path) -> None:
    contents = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        treebank(folder)
        env = {"PYTHONHASHSEED": seed}
        colorless("mine --rule released xx_toy-ud-train.conllu --out m", cwd=folder, env=env)
        colorless("nonce --recipe gulordava2018 --out n.jsonl", cwd=folder, env=env)
        names = ("m/constructions.tsv", "m/originals.jsonl", "m/rejections.tsv", "n.jsonl")
        contents.append([(folder / name).read_bytes() for name in names])
    assert contents[0] == contents[1]
    assert all(contents[0])


def test_standard_input_is_a_treebank_too(tmp_path: Path) -> None:
    text = treebank(tmp_path).read_text(encoding="utf-8")
    done = colorless(
        "mine --rule released - --language en --store none --out m", cwd=tmp_path, stdin=text
    )
    assert done.returncode == 0
    assert (tmp_path / "m" / "originals.jsonl").stat().st_size > 0
    assert not (tmp_path / "colorless.db").exists()


@pytest.mark.slow
def test_every_stage_runs_on_files_without_a_store(tmp_path: Path) -> None:
    treebank(tmp_path)
    write_lines(tmp_path / "text.txt")
    for line in (
        "mine --rule released xx_toy-ud-train.conllu --out m",
        "nonce --recipe gulordava2018 m/originals.jsonl --treebank xx_toy-ud-train.conllu "
        "--out n.jsonl",
        "train unigram text.txt --out model",
        "score n.jsonl --model model --set oov=keep",
    ):
        done = colorless(f"{line} --store none", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert {"model", "n_items", "nonce"} <= set(re.findall(r"^\w+", done.stdout, re.M))
    assert not (tmp_path / "colorless.db").exists()


def write_lines(path: Path) -> None:
    """Sixty different sentences."""
    lines = [f"the {noun}{ending} wait {verb} ." for noun in NOUNS for ending in ("", "s")
             for verb in (*VERBS, "now")]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_nothing_accepted_is_exit_code_1_and_shows_what_was_rejected(tmp_path: Path) -> None:
    write_conllu(
        tmp_path / "toy.conllu",
        conllu("a/NOUN/Sing/5", "x/X/-/5", "x/X/-/5", "x/X/-/5", "b/VERB/Sing/0"),
    )
    done = colorless("mine --rule released toy.conllu --language en", cwd=tmp_path)
    assert done.returncode == 1
    assert "L__NOUN_X_X_X_VERB" in done.stdout


def test_bad_sentences_are_told_or_skipped_and_counted(tmp_path: Path) -> None:
    good = treebank(tmp_path).read_text(encoding="utf-8")
    bad = conllu("a/X/-/7", sent_id="bad")
    write_conllu(tmp_path / "toy.conllu", bad, good)
    refused(
        colorless("mine --rule released toy.conllu --language en", cwd=tmp_path),
        "format",
        "toy.conllu:2",
    )
    skipped = colorless("mine --rule released toy.conllu --language en --skip-bad", cwd=tmp_path)
    assert skipped.returncode == 0
    assert skipped.stderr.count("toy.conllu:2") == 1


@pytest.mark.slow
def test_a_killed_mining_leaves_the_old_output(tmp_path: Path) -> None:
    treebank(tmp_path)
    colorless("mine --rule released xx_toy-ud-train.conllu --out m", cwd=tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "m").iterdir()}
    big = tmp_path / "big"
    big.mkdir()
    treebank(big, copies=200)
    words = ["mine", "--rule", "released", "big", "--out", "m"]
    command = [sys.executable, "-m", "colorless_green", *words]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    time.sleep(0.4)
    running.send_signal(signal.SIGKILL)
    running.wait()
    after = {path.name: path.read_bytes() for path in (tmp_path / "m").iterdir()}
    assert {name: after[name] for name in before} == before
    again = colorless("nonce --recipe gulordava2018", cwd=tmp_path)
    assert again.returncode == 0, again.stderr


@pytest.mark.slow
def test_an_interrupt_is_exit_code_130_and_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "colorless_green", "mine", "--rule", "released", "-"]
    running = subprocess.Popen(
        command, cwd=tmp_path, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert running.stdin is not None
    running.stdin.write("# text\n" * 100_000)  # more than a pipe holds: it is read meanwhile
    running.stdin.flush()
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=20)
    assert running.returncode == 130
    assert errors.count("\n") == 1


def test_an_interrupt_before_the_verbs_are_loaded_is_one_line_too(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'colorless_green.cli': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from colorless_green.__main__ import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (130, "", 1)


MISSING = {
    "fetch": "nosuch", "parse": "missing.txt --language en", "mine": "missing.conllu",
    "languages": "missing", "nonce": "missing.jsonl", "grammar": "missing.toml",
    "benchmark": "missing", "import": "missing.csv", "export": "missing.json",
    "audit": "missing.json", "train": "unigram missing.txt",
    "convert": "missing --vocabulary missing.txt", "score": "missing.json",
    "surprisal": "missing.txt --model unigram:missing", "compare": "",
    "report": "", "status": "--store no.db", "demo": "pairs.csv", "run": "missing",
    "compose": "missing", "show": "missing",
    "humans import": "missing.csv", "humans forget": "1", "humans analyse": "",
    "humans design": "missing.json", "humans export": "missing --to missing",
}  # fmt: skip
"""Of every verb a request that asks for what is not there."""
FURTHER = (
    "mien pairs.csv", "mine", "mine empty", "mine empty.conllu", "mine pairs.csv",
    "mine toy.conllu --rule testd", "mine toy.conllu --featrue Number",
    "mine toy.conllu --set min_gap=-3", "mine toy.conllu --set filters=conjunct",
    "mine toy.conllu --out pairs.csv", "mine toy.conllu --store pairs.csv",
    "mine toy.conllu --store empty", "mine toy.conllu --language klingon",
    "mine toy.conllu --vocabulary missing.txt", "mine toy.conllu --workers many",
    "mine toy.conllu --set contrasts=Dual", "mine toy.conllu --store new/folder/s.db --rule x",
    "languages empty", "nonce", "nonce pairs.csv", "nonce toy.conllu", "nonce -n 0",
    "grammar pairs.csv", "grammar marvin_linzen --out empty", "report --out empty",
    "grammar reflexives --out pairs.csv/x.jsonl", "nonce pairs.csv --out x.nosuch",
    "show pairs.csv --rejected", "show @3", "show rule:missing.toml", "benchmark empty",
    "benchmark toy.conllu --sets few --out out",
    "import columns.csv", "import broken.json", "import empty", "import pairs.csv --format nosuch",
    "export pairs.csv --out x.nosuch", "audit empty", "train nosuch text.txt",
    "train unigram empty", "train ngram pairs.csv --order 0", "score", "score pairs.csv",
    "score pairs.csv --model ngram:pairs.csv", "score pairs.csv --model unigram:missing",
    "score pairs.csv --model uniform:missing --method nosuch",
    "score pairs.csv --model unigram:broken.json --out broken.json",
    "surprisal pairs.csv --model uniform:words.txt --out x.nosuch",
    "score pairs.csv --model uniform:~nosuchuser/m", "score pairs.csv --model ~nosuchuser/m",
    "parse pairs.csv --language en --model ~nosuchuser/m", "fetch it_isdt --out ~nosuchuser/data",
    "score columns.csv --model uniform:words.txt", "score broken.json --model uniform:words.txt",
    "fetch nosuch@2.16", "humans import columns.csv", "humans import answers.csv",
    "humans import empty", "humans design --fillers rest", "humans nosuch",
)  # fmt: skip


@pytest.mark.parametrize("line", [*(f"{verb} {rest}" for verb, rest in MISSING.items()), *FURTHER])
def test_a_request_that_is_refused_is_one_line_and_leaves_nothing(
    tmp_path: Path, line: str
) -> None:
    (tmp_path / "empty").mkdir()
    for name, text in {
        "empty.conllu": "",
        "pairs.csv": "right,wrong\nThe keys are here.,The keys is here.\n",
        "columns.csv": "a,b\n1,2\n",
        "broken.json": '{"meta": ',
        "words.txt": "the\nkeys\n",
        "answers.csv": "participant,item,choice\nanna,i1,right\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    write_conllu(tmp_path / "toy.conllu", clause("Sing", "goes", "s1"))
    done = colorless(*line.split(), cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert re.fullmatch(r".+?: .+; .+\n", done.stderr)
    assert not done.made


def test_what_one_may_not_read_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def app(*given: object, **options: object) -> None:  # whoever runs the tests may be root
        raise PermissionError(errno.EACCES, "Permission denied", "locked/x.conllu")

    assert console.run(app, ["mine", "locked"]) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert said.err.startswith("locked/x.conllu: ")


def test_every_verb_is_tried_with_what_is_not_there() -> None:
    assert set(MISSING) == {*ALL_VERBS, *(f"humans {verb}" for verb in HUMANS_VERBS)}


def test_the_version_is_told(tmp_path: Path) -> None:
    from colorless_green import __version__

    assert colorless("--version", cwd=tmp_path).stdout == f"colorless-green {__version__}\n"


def test_the_paper_s_table_goes_out_and_comes_in(project: Path) -> None:
    assert colorless("export --out suite.tab", cwd=project).returncode == 0
    done = colorless("import suite.tab --store other.db --json", cwd=project)
    assert done.returncode == 0
    assert set(json.loads(done.stdout.splitlines()[0])) == {"suite", "kind", "n_items", "id"}


def clause(value: str, verb: str, sent_id: str) -> str:
    """Return a subject, three words, a form of the verb *go*, and a noun of the other number."""
    other = "Plur" if value == "Sing" else "Sing"
    return relational(
        f"c{value}/cue/NOUN/Number={value}/5/nsubj",
        *["x/x/ADP/_/5/obl"] * 2,
        f"x{sent_id}/x/ADP/_/5/obl",  # sentences with the same words count once
        f"{verb}/go/VERB/Number={'Sing' if verb == 'goes' else 'Plur'}/0/root",
        f"o/o/NOUN/Number={other}/5/obl",
        sent_id=sent_id,
    )


def two_treebanks(folder: Path) -> Path:
    """Return a folder of two: one in which Number agrees, one that does not annotate it."""
    blocks = [
        clause(value, form, f"{value}{number}")
        for number in range(8)
        for value, form in (("Sing", "goes"), ("Plur", "go"))
    ]
    write_conllu(folder / "UD_Xx-A" / "xx_a-ud-train.conllu", *blocks)
    write_conllu(folder / "UD_Yy-B" / "yy_b-ud-train.conllu", conllu("a/X/-/0"))
    return folder


def test_languages_says_of_each_treebank_what_it_offers(tmp_path: Path) -> None:
    folder = two_treebanks(tmp_path / "ud")
    done = colorless("languages", str(folder), "--out", "out.csv", "--json", cwd=tmp_path)
    assert done.returncode == 0
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    told = [(row["language"], row["verdict"], row["n_originals"]) for row in rows]
    assert told == [("xx", "accepted", 16), ("yy", "not annotated", 0)]
    assert rows[0]["constructions"] == "L__NOUN__VERB__nsubj 16/16"
    table = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert table[0].startswith("language,treebank,feature,verdict,n_sentences")
    assert len(table) == 3


@pytest.mark.slow
def test_languages_gives_the_same_with_several_processes(tmp_path: Path) -> None:
    folder = str(two_treebanks(tmp_path / "ud"))
    one = colorless("languages", folder, "--json", cwd=tmp_path)
    two = colorless("languages", folder, "--json", "--workers", "2", cwd=tmp_path)
    assert (two.returncode, two.stdout) == (one.returncode, one.stdout)


def test_where_no_treebank_gives_anything_the_exit_code_says_so(tmp_path: Path) -> None:
    write_conllu(tmp_path / "UD_Yy-B" / "yy_b-ud-train.conllu", conllu("a/X/-/0"))
    done = colorless("languages .", cwd=tmp_path)
    assert done.returncode == 1
    assert "not annotated" in done.stdout


def test_exceptions_are_shown_in_place_of_constructions(tmp_path: Path) -> None:
    folder = two_treebanks(tmp_path / "ud") / "UD_Xx-A"
    write_conllu(folder / "xx_a-ud-dev.conllu", clause("Sing", "go", "odd"))
    options = ("--rule", "tested", "--show-exceptions", "--json")
    done = colorless("mine", str(folder), *options, cwd=tmp_path)
    (row,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (row["construction"], row["sent_id"]) == ("L__NOUN__VERB__nsubj", "odd")
    assert (row["cue"], row["target"], row["text"]) == ("cSing", "go", "cSing x x xodd go o")
    assert done.returncode == 0


def test_a_feature_that_nothing_carries_is_said_to_be_unannotated(tmp_path: Path) -> None:
    folder = two_treebanks(tmp_path / "ud") / "UD_Xx-A"
    done = colorless("mine", str(folder), "--rule", "tested", "--feature", "Case", cwd=tmp_path)
    assert done.returncode == 1
    assert "Case" in done.stderr


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_mistake(tmp_path: Path) -> None:
    folder = str(two_treebanks(tmp_path / "ud"))
    command = [sys.executable, "-m", "colorless_green", "languages", folder, "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read().decode()
    assert (process.returncode, "Traceback" in said) == (0, False)


def test_a_folder_is_no_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORLESS_MIRROR", str(tmp_path))
    done = colorless("fetch it_isdt", cwd=tmp_path)
    refused(done, "value", "COLORLESS_MIRROR")


@pytest.mark.parametrize("written", GONE)
def test_what_version_1_had_is_answered_with_what_to_do_instead(
    written: str, tmp_path: Path
) -> None:
    done = colorless(*written.split(), "x", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"colorless {written}: ")
    assert GONE[written] in done.stderr
    verb, dashes, option = written.partition(" --")
    if dashes and " " not in option:
        done = colorless(*verb.split(), f"--{option}=x", cwd=tmp_path)
        assert GONE[written] in done.stderr


def test_other_mistakes_are_answered_as_ever(tmp_path: Path) -> None:
    done = colorless("compare", "results", cwd=tmp_path)
    assert done.returncode == 2
    assert not any(instead in done.stderr for instead in GONE.values())
