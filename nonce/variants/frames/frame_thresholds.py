"""Every threshold of frames, with its reason. Chosen on readings of English and Italian sets,
those of three attestations and of variety on German, Finnish, Hungarian and Russian ones; all are
asked of counts of the treebank at hand and of further lexicons."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class UseThreshold(NamedTuple):
    """The least number and share of uses in which something must have been seen of a word."""

    uses: int
    share: float  # of the uses in which its question arose, or of all
    of_all: bool = False

    def reached(self, n: int, total: int) -> bool:
        """Tell whether `n` of `total` is as much."""
        return n >= self.uses and n >= self.share * total


class UninformativeFact(NamedTuple):
    """When a fact says nothing of a word: a share of the words with so many uses has been seen
    with it."""

    question: str
    upos: str
    uses: int
    share: float


ATTESTED: Mapping[str, UseThreshold] = MappingProxyType(
    {
        "args": UseThreshold(3, 0.15),  # one use may be an error of annotation, two the same one
        "alone": UseThreshold(2, 0.25),  # *put* has its object alone now and then, *see* mostly
        "obl": UseThreshold(3, 0.06, of_all=True),  # an adposition is one of several
        "adverb": UseThreshold(2, 0, of_all=True),
        "aux": UseThreshold(1, 0, of_all=True),  # *be* or *have*: a verb has one
        "infinitive": UseThreshold(1, 0, of_all=True),  # a particle apart or inside: the same
        "subject": UseThreshold(1, 0, of_all=True),
        "det": UseThreshold(2, 0.05),
        "bare": UseThreshold(1, 0),
        "place": UseThreshold(1, 0, of_all=True),
        "nmod": UseThreshold(3, 0, of_all=True),  # and two nouns below it: `partners`
        "clause": UseThreshold(3, 0, of_all=True),
        "role": UseThreshold(
            1, 0
        ),  # the adposition or case that it stands with: not *seit Ländern*
        "relative": UseThreshold(1, 0, of_all=True),
        "name": UseThreshold(2, 0.1),
        "article": UseThreshold(2, 0.1),  # less the shares below
        "attribute": UseThreshold(2, 0.1),
        "order": UseThreshold(1, 0),  # before a numeral; the others are open
        "degree": UseThreshold(1, 0, of_all=True),
        "modifies": UseThreshold(2, 0.1),
    }
)
"""The first word of a question → how often one of its answers must have been seen of a word."""


class FrameThresholds(NamedTuple):
    """The least counts of everything that frames ask for. Shares are of a word's uses unless
    something else is said."""

    # What a word may be asked for
    attested: Mapping[str, UseThreshold] = ATTESTED
    intransitive: UseThreshold = UseThreshold(
        3, 0.3
    )  # objects are left out of sentences that could have one
    mass: UseThreshold = UseThreshold(
        3, 0.35
    )  # bare singulars of count nouns: headings, notes and idioms
    bare_name: float = 0.9  # names without an article; a few go without by style
    named_with_article: float = 0.5  # and with one
    occasions: float = 3.0  # expected sightings after which none at all is telling: e^−3 = 5 %
    ample: int = 10  # uses after which what was not seen often enough is an idiom or an error
    backed: int = 2  # nouns seen with an adposition: one may be *from … to*, *di nascosto*
    correlative: tuple[int, float] = (5, 3.0)  # times, times chance: *to* follows *from*
    needs_determiner: int = 5  # uses from which a noun that is hardly ever bare needs one

    # What no frame asks for, since it is so common
    free: tuple[UninformativeFact, ...] = (
        UninformativeFact("obl", "VERB", 10, 0.8),
        UninformativeFact("adverb", "VERB", 10, 0.5),
        UninformativeFact("infinitive", "VERB", 10, 0.6),
        UninformativeFact("nmod", "NOUN", 10, 0.45),
        UninformativeFact("clause", "NOUN", 10, 0.3),
        UninformativeFact("role", "NOUN", 10, 0.6),
    )
    free_bare: float = 0.5  # of nouns with 5 determiner slots, those that are bare in 30 % of them
    often_determined: int = 5
    often_bare: float = 0.3
    free_role: float = 0.35  # of nouns bare 3 times: a role in which most bare ones stand
    bare_uses: int = 3
    free_relative: float = 0.4  # of antecedents: relative pronouns that go with any noun
    compounds: tuple[int, float] = (5, 0.2)  # uses; nouns that modified one: any noun may

    # Idioms and bundles: words that stay as they are
    variety: int = 4  # nouns seen in a pattern (adposition and determiner) that is no idiom
    graded: int = 3  # adjectives seen with a degree adverb: *tuiki tärkeä* "utterly important"
    bare_partners: int = 3  # bare nouns seen with a verb where nouns mostly have articles
    articles: float = 0.15  # of singulars that are definite by a word beside them: such a language
    bundle: tuple[UseThreshold, ...] = (
        UseThreshold(5, 0.03),
        UseThreshold(3, 0.1),
        UseThreshold(2, 0.3),
    )  # of the rarer word
    expletive: UseThreshold = UseThreshold(5, 0.3)  # of the verb's: *es gibt*
    idiom_phrase: UseThreshold = UseThreshold(3, 0.25)  # with the article alone: *in the end*
    idiom_bare: UseThreshold = UseThreshold(
        3, 0.5
    )  # of the bare uses with this adposition: *at night*
    idiom_bare_of_all: float = 0.1
    usual_position: tuple[UseThreshold, ...] = (
        UseThreshold(3, 0.7),
        UseThreshold(6, 0.4),
    )  # of a number's: *ai sensi di*
    usual_lift: float = 5.0  # times the share among all nouns with an adposition
    idiomatic: float = 0.8  # uses that are one idiom, after which a noun is drawn nowhere
    unit: float = 0.3  # uses with a numeral: a unit of measure
    transitive: UseThreshold = UseThreshold(
        2, 0.5
    )  # with an object: its relative clause may lack one

    # Adjectives that do a determiner's work, or govern something
    plural: UseThreshold = UseThreshold(8, 0.9)  # uses before a noun; of them plurals: *several*
    indefinite: tuple[float, float] = (5.0, 0.02)  # articles by chance, share at most: *same*
    before_determiner: UseThreshold = UseThreshold(2, 0.1)  # *such a*
    instead: UseThreshold = UseThreshold(
        10, 3.0
    )  # bare for the determiner; times all adjectives' share: *altro*
    ungoverned: UseThreshold = UseThreshold(
        3, 0.5
    )  # uses of its kind; that govern nothing: not *capace di*

    # Forms that may be drawn
    lemma_uses: int = 2  # one may be a typo
    own_pos: float = 0.9  # of a form's uses, with its part of speech (Gulordava et al. 2018)
    own_number: float = 0.25  # of a form's uses, with its number; less is an error (*l'opere*)
    own_case: UseThreshold = UseThreshold(
        3, 0.2
    )  # of a form's uses, with its FEATS: not *mit Friedens*
    zero_plural: int = 3  # plurals spelled as their lemma; a slip of annotation (*weil Shirt sind*)
    contradicted: float = 0.2  # of a form's uses, whose determiner tells another case or number
    concord: UseThreshold = UseThreshold(
        20, 0.9
    )  # determiners that tell it; of them alike: where it agrees
    outdone: int = 2  # times as often another form or annotation is seen, which is then the right
    feature_marked: float = 0.75  # nouns that tell a feature: the others' articles need it
    slip: int = 5  # uses of a form beside which one a letter away, seen once, is a misspelling
    citation: UseThreshold = UseThreshold(
        10, 0.8
    )  # forms in a cell; of them lemmas: *struck* is no infinitive
    varied: UseThreshold = UseThreshold(
        5, 0.1
    )  # lemmas to tell by; with two endings in a cell: *guter*, *gute*
    usual_capital: int = 3  # times a name is seen with a capital inside (*McDonald*, not *ElPaso*)
    adverb_ending: UseThreshold = UseThreshold(
        10, 0.7
    )  # adverbs; of them begin like adjectives: *-ly*
