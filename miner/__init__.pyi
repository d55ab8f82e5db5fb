from .conllu import read as read
from .tree import Sentence as Sentence
