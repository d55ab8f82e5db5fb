from .query import LoadOptions as LoadOptions
from .query import Query as Query
from .specs import load_model as load_model
