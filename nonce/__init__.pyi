from .formats import format_of as format_of
from .item import Item as Item
from .mined import raw_text as raw_text
from .mined import suite_of as suite_of
from .realise import Plan as Plan
from .realise import Realiser as Realiser
from .realise import realiser as realiser
