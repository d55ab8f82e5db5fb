"""What the flags of items mean, in words (docs/mining.md, docs/sets.md)."""

from collections.abc import Mapping

from colorless_green.miner.partner import PERSON_TOO, UNIMORPH
from colorless_green.nonce.ambiguity import AMBIGUOUS
from colorless_green.nonce.near_duplicates import NEAR_DUPLICATE
from colorless_green.nonce.variant import KEPT_TARGET, UNRESTRAINED
from colorless_green.nonce.wording import PREFIX_DIFFERS

FLAGS: Mapping[str, str] = {
    # of originals
    "ghost": "cue or target is a word inside a multiword token",
    "same_sentence": "another original is of the same sentence",
    "same_target": "another original has the same target",
    "multiword": "the target is part of a multiword token",
    UNIMORPH: "the wrong form is from a UniMorph list",
    PERSON_TOO: "the two forms differ in Person, too",
    # of variants
    KEPT_TARGET: "the target is its original's",
    UNRESTRAINED: "words of fixed use were replaced, too: no level could serve it otherwise",
    PREFIX_DIFFERS: "right and wrong sentence differ beside the target, too",
    "pseudo": "its new words are coined",
    NEAR_DUPLICATE: "an earlier item has nearly the same words before the target",
    # of the forms
    "equal_forms": "right and wrong form are spelled alike",
    "ambiguous_cue": "the cue's form has the other value, too",
    "ambiguous_target": "one of the two forms has the other's value, too",
    "clitic_spelling": "one of the two forms is a clitic's spelling",
    "odd_spelling": "the wrong form has capitals that the right one lacks",
    "other_tense": "the wrong form could be right in another tense or mood",
    "unmarked": "the wrong form is a misspelling rather than the other value",
    "other_person": "the two forms differ in Person, too, and verbs spell the persons apart",
    "other_lexeme": "the two forms belong to two words",
    # of the place
    AMBIGUOUS: "another word could license the target",
    "other_word": "the wrong form is another word that could stand here",
    "other_noun": "the target could be said of another noun",
    "object_relative": "the noun could be the object of its relative clause",
    "oblique_relative": "the noun is neither subject nor object of its relative clause",
    "infinitive_before": "the wrong form could go with an earlier infinitive or imperative",
    "other_conjunct": "the target could be coordinated with another verb",
    "unspoken_subject": "the coordinated verb may have another, unspoken subject",
    "own_subject": "the target has a subject of its own",
    "infinitive_marker": "one form could be the infinitive after its marker",
    "later_auxiliary": "an auxiliary that follows could govern the wrong form",
    "nearer_subject": "a nearer word could be the subject",
    "object_first": "the cue could be an object, and the subject follow",
    "subject_follows": "the subject comes after the target",
    "copula_of_predicate": "the copula may agree with what follows",
    "predicate_noun": "the noun is said of a subject and need not agree",
    "compound": "the wrong form could be the first part of a compound",
    "participle_alone": "a participle that agrees with nothing before it",
    "quantity": "the noun is a quantity or of many members, which may take both values",
    "coordinated_cue": "the cue is coordinated, so that a plural could be right",
    "unrelated": "cue and target stand in no relation of agreement",
    "honorific": "a plural could be the polite form for one person",
    "imperative": "an imperative without a subject: nothing tells how many are spoken to",
    "quoted_title": "the cue is part of a quoted title, or has one behind it",
    # of the sentence
    "faulty_word": "cue or target is misspelt, foreign or broken off",
    "fragment": "a sentence without finite verb or subject",
    "unbalanced": "a bracket or quotation mark without its partner",
    "contradiction": "cue and target contradict each other, or their own words",
    "pronoun_cue": "the cue is a pronoun, which no other word can stand for",
    "likely_typo": "a word of the sentence is likely misspelt",
    "odd_capital": "a word has a capital that it mostly lacks, or lacks one",
}


def in_words(flag: str) -> str:
    """What a flag means; the flag of another tool is told by its name."""
    return FLAGS.get(flag, f"flag “{flag}”")
