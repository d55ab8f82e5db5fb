"""Synthetic material: made-up sentences, made-up models, made-up answers."""

from collections.abc import Sequence
from dataclasses import replace

from colorless_green.data import Agreement, Item, item_id, pair
from colorless_green.data.seeds import choose, generator
from colorless_green.data.tables import Row
from colorless_green.humans import Credits, Tally, tally_of

HOSTILE = "<script>alert('x')</script>"
MODELS = {  # mean and spread of margins, in bits
    "unigram:models/unigram": (0.1, 2.0),
    "ngram:models/ngram": (0.8, 2.5),
    "recurrent:models/recurrent-1": (2.2, 2.4),
    "causal:someone/small-model@main": (5.0, 4.0),
}
LABELS = {  # of models, on pages
    "unigram:models/unigram": "unigram",
    "ngram:models/ngram": "ngram",
    "recurrent:models/recurrent-1": "recurrent-1",
    "causal:someone/small-model@main": "causal:small-model@main",
}
CONSTRUCTIONS = (
    ("L__NOUN_VERB_VERB", "the keys that the guard dropped near the gate are gone", 1, 9, "is"),
    ("R__VERB_NOUN_CCONJ_VERB", "she reads the old letters and answers none", 1, 6, "answer"),
    ("L__DET_ADJ_NOUN", "we saw these very old but bright lamps there", 2, 7, "lamp"),
    ("R__NOUN_ADJ_PUNCT_PRON_VERB", "a roof green as moss , which leaks badly", 1, 7, "leak"),
)
NOUNS = ("clouds", "spoons", "ideas", "rivers", "lamps", "hats", "doors", "songs", "roofs", "nets")


def agreement_item(
    sentence: str,
    cue: int,
    target: int,
    wrong: str,
    *,
    construction: str = "L__NOUN_VERB_VERB",
    number: int = 0,
    variant: int = 0,
    language: str = "en",
    attractors: tuple[int, ...] = (),
    value: str = "Plur",
) -> Item:
    """Return an original (variant 0) or a variant, from a sentence with blanks between its
    tokens."""
    tokens = tuple(sentence.split(" "))
    agreement = Agreement(
        treebank="Synthetic",
        file="synthetic.conllu",
        sent_id=f"s{number}",
        rule="released",
        construction=construction,
        number=number,
        feature="Number",
        values=("Plur", "Sing"),
        value=value,
        cue_index=cue,
        target_index=target,
        cue=tokens[cue],
        cue_upos="NOUN",
        target_upos="VERB",
        target_feats="_",
        lemma="",
        right=tokens[target],
        wrong=wrong,
        attractors=attractors,
        tokens=tokens,
        upos=("X",) * len(tokens),
        feats=("_",) * len(tokens),
        spaces=("", *[" "] * (len(tokens) - 1)),
        level="upos" if variant else "",
        seed=0 if variant else None,
        variant=variant,
    )
    key = (language, construction, number)
    return Item(
        item_id=item_id(*key, variant),
        kind="nonce" if variant else "original",
        cluster_id=item_id(*key, 0),
        language=language,
        source="Synthetic",
        licence="CC0-1.0",
        conditions=pair(agreement),
        agreement=agreement,
    )


def originals(n: int) -> list[Item]:
    """So many originals of five letters, each with a first word of its own."""
    return [agreement_item(f"a{k} b c d e", 1, 3, "x", number=k) for k in range(n)]


def items(n_originals: int = 12, n_variants: int = 4) -> tuple[Item, ...]:
    """Originals and variants of four constructions; every third original has an attractor."""
    found = []
    for construction, sentence, cue, target, wrong in CONSTRUCTIONS:
        for number in range(n_originals):
            attractors: tuple[int, ...] = (cue + 2,) if number % 3 == 0 else ()
            attractors += (cue + 3,) if number % 6 == 0 else ()
            for variant in range(n_variants + 1):
                rng = generator(number, f"{construction}/{variant}")
                words = sentence.split(" ")
                if variant:
                    words[cue - 1 if cue == 2 else cue] = choose(rng, NOUNS)
                    words[-1] = choose(rng, NOUNS)
                found.append(
                    agreement_item(
                        " ".join(words),
                        cue,
                        target,
                        wrong,
                        construction=construction,
                        number=number,
                        variant=variant,
                        attractors=attractors,
                        value="Plur" if number % 2 else "Sing",
                    )
                )
    return tuple(found)


HEBREW = "L__NOUN_VERB_NOUN_VERB"


def hebrew() -> tuple[Item, Item]:
    """Return an original and a variant in a script that runs from right to left."""
    sentence = "הילדים שראו את הכלב הגדול רצים הביתה"
    variant = "הספרים שראו את הענן הגדול רצים הביתה"
    return (
        agreement_item(
            sentence, 0, 5, "רץ", number=900, language="he", attractors=(3,), construction=HEBREW
        ),
        agreement_item(
            variant, 0, 5, "רץ", number=900, variant=1, language="he", construction=HEBREW
        ),
    )


def hostile() -> Item:
    """Return a sentence that would be a script if it were not escaped."""
    return agreement_item(
        f"{HOSTILE} keys of <b>it</b> & all are \"gone'",
        *(1, 6, "<i>is</i>"),
        number=901,
        construction=f"L__{HOSTILE}",
    )


def of_treebank(name: str, item: Item) -> Item:
    """Return the same item, from a treebank of this name."""
    assert item.agreement is not None
    return replace(item, source=name, agreement=replace(item.agreement, treebank=name))


def outcomes(suite: Sequence[Item]) -> dict[str, Credits]:
    """Margins drawn for each model and item; harder for variants and with attractors."""
    result: dict[str, Credits] = {}
    for model, (mean, spread) in MODELS.items():
        own: dict[str, tuple[float | None, float | None]] = {}
        for item in suite:
            rng = generator(7, model + item.item_id)
            noise = sum(rng.random() for _ in range(12)) - 6
            assert item.agreement is not None
            cost = 0.8 * (item.kind == "nonce") + 1.2 * len(item.agreement.attractors)
            margin = round(mean - cost + spread * noise, 4)
            left_out = model.startswith("unigram") and rng.random() < 0.05
            own[item.item_id] = (None, None) if left_out else (float(margin > 0), margin)
        result[model] = own
    return result


def tallies(suite: Sequence[Item]) -> tuple[Tally, ...]:
    """Ten made-up people an item."""
    found = []
    for item in suite:
        rng = generator(3, item.item_id)
        assert item.agreement is not None
        share = 0.97 - 0.07 * (item.kind == "nonce") - 0.08 * len(item.agreement.attractors)
        found.append(tally_of(item, sum(rng.random() < share for _ in range(10)), 10))
    return tuple(found)


def constructions() -> tuple[Row, ...]:
    """Those of `items`, accepted, and one that is too rare."""
    shared: Row = {"treebank": "Synthetic", "rule": "released", "feature": "Number"}
    accepted: list[Row] = [
        {**shared, "construction": name, "n_originals": 12, "verdict": "accepted"}
        for name, *_ in CONSTRUCTIONS
    ]
    return (*accepted, {**shared, "construction": "L__NOUN_NOUN", "verdict": "rejected"})
