from .mined import suite_of as suite_of
from .formats import format_of as format_of
from .item import Item as Item
