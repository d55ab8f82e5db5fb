"""Names of mined constructions in plain words: `L__NOUN__VERB__nsubj` is *noun … verb; the first is
subject of the other*."""

import re
from collections.abc import Mapping

from ...miner.search.pattern import built_in

LABEL = re.compile(r"\[[^]]*\]")  # a form that a word must have: `VERB[Fin]`
NAME = re.compile(
    r"""(?P<direction>[LRX])       # L: the dependent or controller is first; R: second; X: either
    __(?P<words>[A-Z_]+?)          # parts of speech from the cue on, joined by `_`
    (?:__(?P<target>[A-Z]+))?      # that of the target, where those between are left out
    (?:__(?P<path>[a-z:-]+))?      # the dependency relation, or the name of a path
    (?:@\w+)?                      # the feature""",
    re.VERBOSE,
)
PARTS_OF_SPEECH: Mapping[str, str] = {
    "ADJ": "adjective", "ADP": "adposition", "ADV": "adverb", "AUX": "auxiliary",
    "CCONJ": "conjunction", "DET": "determiner", "INTJ": "interjection", "NOUN": "noun",
    "NUM": "numeral", "PART": "particle", "PRON": "pronoun", "PROPN": "name",
    "PUNCT": "punctuation", "SCONJ": "subordinator", "SYM": "symbol", "VERB": "verb",
    "X": "other word",
}  # fmt: skip
RELATIONS: Mapping[str, str] = {
    "nsubj": "subject", "csubj": "clausal subject", "obj": "object", "iobj": "indirect object",
    "obl": "oblique", "amod": "adjective", "nmod": "modifier", "det": "determiner",
    "aux": "auxiliary", "cop": "copula", "acl": "clause", "advcl": "adverbial clause",
    "conj": "conjunct", "appos": "apposition", "xcomp": "complement", "ccomp": "complement",
    "nummod": "numeral", "expl": "expletive", "parataxis": "parataxis",
    "dislocated": "dislocated word",
}  # fmt: skip


def in_words(name: str) -> str:
    """Return a construction's name in words: the two words that agree, the words between them, and
    how the two are related. Return "" for a name that does not
    follow the notation.

    >>> in_words("L__NOUN__AUX__subject-auxiliary")
    'noun … auxiliary: the auxiliary agrees with the subject of the verb it belongs to'
    >>> in_words("R__VERB_DET_NOUN__nsubj")
    'verb … noun, across determiner; the second is subject of the other'
    """
    match = NAME.fullmatch(LABEL.sub("", name))
    tags = re.findall("[A-Z]+", f"{match['words']}_{match['target'] or ''}") if match else []
    if match is None or len(tags) < 2:
        return ""
    cue, *between, target = (PARTS_OF_SPEECH.get(tag, tag.lower()) for tag in tags)
    words = f"{cue} … {target}"
    if between:
        words += f", across {', '.join(between)}"
    path = match["path"] or ""
    dependent = "first" if match["direction"] == "L" else "second"
    if pattern := built_in().get(path):
        words += f": {pattern.about}"
    elif path:
        relation = RELATIONS.get(path.partition(":")[0], path)
        words += f"; the {dependent} is {relation} of the other"
    elif match["direction"] != "X":
        words += f"; the {dependent} depends on the other"
    return words
