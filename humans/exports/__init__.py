"""Other platforms that can run a study, one a file: a function from a study to files.

Nothing that goes to a participant's machine holds the answer key, but for practice trials.
"""

from collections.abc import Mapping

from . import experiment_page, pcibex, study_tables
from .study_tables import StudyExport

EXPORTS: Mapping[str, StudyExport] = {
    "csv": study_tables.files,
    "datapipe": experiment_page.datapipe,
    "download": experiment_page.download,
    "jatos": experiment_page.jatos,
    "pcibex": pcibex.files,
}
GROUP = "colorless_green.exports"
