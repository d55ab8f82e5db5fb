from .outcome import Outcome as Outcome
from .rows import save_run as save_run
