"""Other platforms that can run a study, one a file: a function from a study to files.

Nothing that goes to a participant's machine holds the answer key, but for practice trials.
"""

from collections.abc import Mapping

from . import experiment_page as bundle
from . import pcibex
from . import study_tables as tables
from .platform import StudyExport

EXPORTS: Mapping[str, StudyExport] = {
    "csv": tables.files,
    "datapipe": bundle.datapipe,
    "download": bundle.download,
    "jatos": bundle.jatos,
    "pcibex": pcibex.files,
}
GROUP = "colorless_green.exports"
