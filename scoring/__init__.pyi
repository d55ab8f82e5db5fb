from .outcome import Outcome as Outcome
from .query import LoadOptions as LoadOptions
from .query import Query as Query
from .released.recompute import recomputed as recomputed
from .rows import save_run as save_run
from .specs import load_model as load_model
