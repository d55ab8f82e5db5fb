"""Items for pages: made-up sentences in several scripts, some of them hostile."""

from dataclasses import replace

from colorless_green.data import Item, Leak, Nominal, Region, Suite, Target, pair
from tests.nonce.agreeing import agreeing

HOSTILE = "</script><script>window.evil=1</script><!--&amp;\u2028\u2029<img src=x onerror=evil()>"


def original(
    name: str,
    sentence: str,
    cue: int,
    target: int,
    wrong: str,
    *,
    language: str = "en",
    attractors: tuple[int, ...] = (),
    flags: tuple[str, ...] = (),
) -> Item:
    """Return an original from a sentence with blanks between its tokens; `name` is its item id."""
    tokens = tuple(sentence.split(" "))
    return agreeing(
        name,
        tokens,
        cue,
        target,
        wrong,
        item={"language": language, "facts": {"repair": "none"}},
        sent_id=f"sentence-{name}",
        construction="L__NOUN__VERB__nsubj",
        attractors=attractors,
        spaces=tuple("" if i == 0 or token in ",.׃" else " " for i, token in enumerate(tokens)),
        flags=flags,
        nominals=tuple(Nominal(i, 1, target - i, "Sing") for i in attractors),
    )


def variant(
    of: Item,
    number: int,
    words: dict[int, str],
    wrong: str,
    *,
    flags: tuple[str, ...] = (),
    leaks: tuple[Leak, ...] = (),
) -> Item:
    """Return a variant with some words exchanged; the target is among them."""
    assert of.agreement is not None
    tokens = tuple(words.get(i, token) for i, token in enumerate(of.agreement.tokens))
    agreement = replace(
        of.agreement,
        tokens=tokens,
        cue=tokens[of.agreement.cue_index],
        right=tokens[of.agreement.target_index],
        wrong=wrong,
        level="+frame",
        seed=7,
        variant=number,
        substitutions=tuple(words),
        flags=flags,
        leaks=leaks,
    )
    return replace(
        of,
        item_id=f"{of.item_id}-{number}",
        kind="nonce",
        conditions=pair(agreement),
        agreement=agreement,
    )


def set_to_read() -> Suite:
    """Two English originals with variants, one Hebrew, one Arabic with joined tokens, one pair of a
    published suite."""
    keys = original(
        "k", "the keys to the cabinet , we think , are gone .", 1, 9, "is", attractors=(4,)
    )
    keys_1 = variant(
        keys, 1, {1: "songs", 4: "river", 9: "sleep"}, "sleeps", leaks=(Leak("D", 0, "Plur"),)
    )
    keys_2 = variant(keys, 2, {1: "lamps", 9: HOSTILE}, "<b>drinks</b>", flags=("ambiguous",))
    dogs = original("d", "dogs of my neighbour bark", 0, 4, "barks")
    dogs_1 = replace(
        variant(dogs, 1, {0: "hats", 4: "sing"}, "sings"),
        targets=(Target("run", "runs", "run"), Target("eat", "eats", "eat")),
    )
    books = original("h", "הילדים של USB ליד הבית רצים .", 0, 5, "רץ", language="he")
    books_1 = variant(books, 1, {0: "הספרים", 5: "נופלים"}, "נופל")
    arabic = original("a", "علي ه كان يعول", 1, 3, "يعولون", language="ar")
    assert arabic.agreement is not None
    joined = replace(arabic.agreement, spaces=("", "", " ", " "))
    arabic = replace(arabic, agreement=joined, conditions=pair(joined))
    published = Item(
        item_id="p",
        kind="suite",
        cluster_id="p",
        language="en",
        source="BLiMP",
        licence="CC-BY-4.0",
        conditions={
            "good": ((Region("whole", ("Who", "sings"), "Who sings"),),),
            "bad": ((Region("whole", ("Who", "sing"), "Who sing"),),),
        },
        facts={"construction": HOSTILE},
    )
    items = (keys, keys_1, keys_2, dogs, dogs_1, books, books_1, arabic, published)
    return Suite("UD_X-Y/tested/<b>nonce</b>", items)
