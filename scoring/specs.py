"""Model specs: `kind:where`, or the bare folder of a model made by `train`. Some kinds take options
of their own behind: `masked:where?pll=original`, `seq2seq:where?eos=yes`,
`recurrent:where?stream=FILE`."""

from dataclasses import dataclass
from pathlib import Path

from colorless_green.data.errors import InputError
from colorless_green.data.registry import load, nearest
from colorless_green.scoring.backends import BACKENDS, GROUP
from colorless_green.scoring.query import Load, LoadOptions, Scorer
from colorless_green.scoring.training.folder import ModelFolder, is_model_folder, read_model


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model and where it came from."""

    spec: str
    name: str  # short, for tables: the folder's or file's own name, or what its backend says
    scorer: Scorer
    folder: ModelFolder | None  # of a model made by `train`

    @property
    def group(self) -> str:
        """Models of one group are seeds of one setting."""
        return str(self.folder.about.get("group", "")) if self.folder else ""

    @property
    def device(self) -> str:
        """Where it ran, from the signature."""
        return self._signed("device", "cpu")

    @property
    def dtype(self) -> str:
        """Its number type, from the signature."""
        return self._signed("dtype", "float32")

    @property
    def notes(self) -> tuple[str, ...]:
        """What its backend has to say of it."""
        return tuple(getattr(self.scorer, "notes", ()))

    def _signed(self, name: str, otherwise: str) -> str:
        pairs = (part.partition(":") for part in self.scorer.signature.split("|"))
        return next((value for key, _, value in pairs if key == name), otherwise)


def load_model(spec: str, options: LoadOptions) -> Model:
    """The model of a spec. Raises `InputError` for an unknown kind, a missing path or a broken
    file, and where the extra that a kind needs is not installed."""
    kind, colon, where = spec.partition(":")
    if is_model_folder(Path(spec)):
        kind, where = read_model(Path(spec)).kind, spec
    elif not colon and kind not in BACKENDS:
        raise InputError(
            f"--model {spec}",
            "neither a folder made by colorless train nor a spec",
            f"KIND:PATH, KIND {nearest(kind, sorted(BACKENDS))}",
            kind="unknown",
        )
    loader: Load = load(BACKENDS, kind, f"--model {spec}", GROUP)
    path = Path(where.partition("?")[0])
    folder = read_model(path) if is_model_folder(path) else None
    scorer = loader(where, options)
    return Model(spec, getattr(scorer, "name", "") or path.name or kind, scorer, folder)
