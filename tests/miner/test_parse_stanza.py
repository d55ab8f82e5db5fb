"""A real Stanza: a tiny model, trained here on sentences of the project's own Italian grammar."""

import json
import os
import pickle
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import conllu
import pytest

from colorless_green import parse
from colorless_green.data.sample import grammar
from colorless_green.miner import parsed_by, read, surface_of
from tests.builders import colorless, mistake

pytestmark = pytest.mark.slow
N_SENTENCES = 300
PROCESSORS = ("tokenize", "mwt", "pos", "lemma", "depparse")
ROOT = Path(__file__).resolve().parents[2]
# Letters of many scripts, blanks of all sorts, and what tokenisers trip over.
ODD = (
    "La ragazza canta.\u00a0I poeti\u2028 leggono\ttutto!?",
    "\u200b",
    "…",
    "漢字かな交じり文。हिन्दी العربية \U0001f600\u0301",
    "a" * 3_000,
    "www.example.org/a?b=c ann@example.org 1.000,50 «Gli» - – — ' \" “”",
    "della dell' del della",
)


TRAINING = """
import sys
from pathlib import Path
from tests.miner import tiny_stanza
n_sentences, *files = sys.argv[1:]
tiny_stanza.train(*map(Path, files), "it", int(n_sentences))
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder, with bare models in `models`, and the held-out treebank `dev.conllu`."""
    if find_spec("stanza") is None:
        pytest.skip("needs stanza")
    folder = tmp_path_factory.mktemp("trained")
    for name, n, seed in (("train", N_SENTENCES, "1"), ("dev", N_SENTENCES // 5, "2")):
        options = ("--make", "treebank", "--sample", str(n), "--seed", seed)
        done = colorless("grammar", str(grammar("it")), *options, cwd=folder)
        (folder / f"{name}.conllu").write_text(done.stdout, encoding="utf-8")
    files = [str(folder / "train.conllu"), str(folder / "dev.conllu"), str(folder / "models")]
    command = [sys.executable, "-c", TRAINING, str(N_SENTENCES), *files]
    ended = subprocess.run(
        command,
        cwd=ROOT,
        # two threads that wait for each other cost ten times as much on a busy machine
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return folder


def parsed(folder: Path, models: Path, lines: Sequence[str]) -> str:
    """Return the CoNLL-U of paragraphs."""
    text = folder / "text.txt"
    text.write_text("\n".join(lines), encoding="utf-8")
    return parse([text], language="it", model=models).conllu


def sentences_of(conllu: str) -> list[list[str]]:
    """Return the rows of each sentence."""
    blocks = conllu.split("\n\n")
    return [[line for line in block.split("\n") if line[:1] != "#"] for block in blocks]


def texts_of(path: Path) -> list[str]:
    return [str(sentence.comment("text")) for sentence in read(path)]


def words_of(path: Path) -> dict[object, tuple[object, ...]]:
    """Where each word is in the text (its multiword token's start, its form) → POS, FEATS, where
    its head is, and that with the relation."""
    found: dict[object, tuple[object, ...]] = {}
    end = 0
    for sentence in conllu.parse(path.read_text(encoding="utf-8")):
        places: dict[int, object] = {0: None}
        rows = []
        start, last = end, 0
        for token in sentence:
            if isinstance(token["id"], tuple) or token["id"] > last:
                start, end = end, end + len("".join(token["form"].split()))
            if isinstance(token["id"], tuple):
                last = token["id"][2]
            else:
                places[token["id"]] = (start, token["form"])
                rows.append(token)
        for row in rows:
            head = places[row["head"]]
            found[places[row["id"]]] = (row["upos"], row["feats"], head, (head, row["deprel"]))
    return found


def test_a_parse_of_held_out_text_is_near_gold(trained: Path, tmp_path: Path) -> None:
    folder = trained
    out, gold = tmp_path / "parse.conllu", folder / "dev.conllu"
    text = tmp_path / "dev.txt"
    text.write_text("\n".join(texts_of(gold)), encoding="utf-8")
    parse([text], language="it", model=folder / "models", out=out, write=print)
    found, right = words_of(out), words_of(gold)
    same = [(found[place], right[place]) for place in found.keys() & right.keys()]
    n = (len(found) + len(right)) / 2
    assert len(same) > 0.8 * n
    shares = [sum(one[k] == other[k] for one, other in same) / n for k in range(4)]
    upos, feats, head, labelled = shares
    assert upos > 0.5
    assert feats > 0.25
    assert head > 0.35
    assert labelled > 0.25
    signature = parsed_by(next(read(out)).comments)
    assert signature.startswith("stanza ")
    assert " it tokenize+mwt+pos+lemma+depparse " in signature


def test_what_a_text_gives_does_not_hang_on_the_others(trained: Path, tmp_path: Path) -> None:
    lines, models = texts_of(trained / "dev.conllu")[:20], trained / "models"
    together = sentences_of(parsed(tmp_path, models, lines))
    alone = [parsed(tmp_path, models, [line]) for line in lines]
    assert together == sentences_of("".join(alone))


def test_what_comes_out_spells_what_went_in(trained: Path, tmp_path: Path) -> None:
    path, lines = tmp_path / "x.conllu", [*ODD, "Dicono <UNK> e " + "b" * 500 + ", poi no."]
    path.write_text(parsed(tmp_path, trained / "models", lines), encoding="utf-8")
    spelled: dict[str, str] = {}
    for sentence in read(path):
        number = sentence.sent_id.split("-")[1]
        forms = "".join(surface_of(sentence, "merged").forms)
        spelled[number] = spelled.get(number, "") + "".join(forms.split())
    assert len({sentence.sent_id for sentence in read(path)}) == len(list(read(path)))
    for nth, line in enumerate(lines, start=1):
        assert spelled.get(str(nth), "") in ("", "".join(line.split()))
    assert len(spelled) >= len(lines) - 2  # a parser may find no sentence in a blank of no width


def test_models_and_text_are_all_it_takes(
    trained: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    def connect(*address: object) -> None:
        raise AssertionError(f"the network was asked for {address}")

    monkeypatch.setattr(socket.socket, "connect", connect)
    conllu = parsed(tmp_path, trained / "models", ["I poeti cantano."])
    assert "# text = I poeti cantano." in conllu
    assert capfd.readouterr() == ("", "")


def test_a_folder_as_stanza_fills_it_gives_the_same_parse(trained: Path, tmp_path: Path) -> None:
    entry: dict[str, object] = {"packages": {"default": dict.fromkeys(PROCESSORS, "tiny")}}
    for name in PROCESSORS:
        path = tmp_path / "it" / name / "tiny.pt"
        path.parent.mkdir(parents=True)
        shutil.copy(trained / "models" / f"{name}.pt", path)
        entry[name] = {"tiny": {"md5": "0"}}
    (tmp_path / "resources.json").write_text(json.dumps({"it": entry}))
    one, other = (
        parsed(tmp_path, models, ["I poeti cantano."]) for models in (trained / "models", tmp_path)
    )
    assert one == other


@pytest.mark.parametrize("spoilt", ["no model", "another's model", "code"])
def test_a_model_that_is_none_is_named_and_its_code_is_not_run(
    trained: Path, tmp_path: Path, spoilt: str
) -> None:
    folder = tmp_path / "models"
    shutil.copytree(trained / "models", folder)
    if spoilt == "another's model":
        shutil.copy(folder / "tokenize.pt", folder / "depparse.pt")
    else:
        code = pickle.dumps(Touching(tmp_path / "touched"))
        (folder / "lemma.pt").write_bytes(b"no model" if spoilt == "no model" else code)
    with mistake("format", folder):
        parsed(tmp_path, folder, ["Uno."])
    assert not (tmp_path / "touched").exists()


class Touching:
    """An object whose unpickling makes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.path,)


def test_a_gpu_that_is_not_there_is_not_replaced_in_silence(trained: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Uno.", encoding="utf-8")
    with mistake("unsupported", "device"):
        parse([text], language="it", model=trained / "models", device="cuda:99")


DOWNLOADING = """
import sys
from pathlib import Path
from colorless_green import parse
from colorless_green.data.errors import InputError
Path("text.txt").write_text("Uno.")
try:
    parse("text.txt", language="it", model=Path(sys.argv[1]), download=True)
except InputError as error:
    print(error.kind, error.location)
"""


def test_a_download_without_a_connection_is_one_line(trained: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DOWNLOADING, str(tmp_path / "models")],
        env={**os.environ, "STANZA_RESOURCES_URL": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "network download\n"
