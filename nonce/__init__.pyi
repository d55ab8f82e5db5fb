from .item import Item as Item
from .item import Leak as Leak
from .item import Region as Region
from .rows import save_suite as save_suite
from .suite import Suite as Suite
