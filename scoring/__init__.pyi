from .outcome import Outcome as Outcome
from .released.recompute import recomputed as recomputed
from .rows import save_run as save_run
