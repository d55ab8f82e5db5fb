from .conllu import read as read
from .mine import Request as Request
from .mine import mine as mine
from .tree import Sentence as Sentence
from .treebank import sentences as sentences
from .treebank import treebank as treebank
