from .outcome import Outcome as Outcome
from .query import LoadOptions as LoadOptions
from .query import Query as Query
from .rows import save_run as save_run
from .specs import load_model as load_model
