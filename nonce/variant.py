"""New words in an original's tree → an item: its tokens, its text, and what is known of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from colorless_green.nonce.item import (
    PREFIX,
    REST,
    RIGHT,
    TARGET,
    WRONG,
    Agreement,
    Item,
    Leak,
    Nominal,
    Region,
    Wording,
    raw_text,
)
from colorless_green.nonce.realise.layout import Realised
from colorless_green.nonce.slots import Frame

PREFIX_DIFFERS = "prefix_differs"  # flags of a pair whose sentences differ beside the target, too
REST_DIFFERS = "rest_differs"


@dataclass(frozen=True, slots=True)
class Words:
    """What differs from the original, by word of the tree."""

    forms: Mapping[int, str]  # the target's left out
    right: str  # the target's two forms, as words
    wrong: str
    lemma: str
    lemmas: Mapping[int, str] = field(default_factory=dict)  # of the words in `forms`
    feats: Mapping[int, str] = field(default_factory=dict)  # of words in another inflection
    value: str = ""  # of cue and target; empty: the original's, like the next two
    target_feats: str = ""
    attractors: tuple[int, ...] | None = None  # words of the tree


@dataclass(frozen=True, slots=True)
class Wordings:
    """A pair of sentences as they are written."""

    right: Realised
    wrong: Realised
    right_form: str  # whole tokens
    wrong_form: str


def written(frame: Frame, words: Words) -> Wordings:
    """The two sentences of a pair: the same words with the right and with the wrong form."""
    if frame.target_is_token:
        around = frame.plan.realise(words.forms)
        right, wrong = (_with_token(frame, around, each) for each in (words.right, words.wrong))
    else:
        right = frame.plan.realise({**words.forms, frame.target: words.right})
        wrong = frame.plan.realise({**words.forms, frame.target: words.wrong})
    return Wordings(
        right,
        wrong,
        right.tokens[right.places[frame.target]],
        wrong.tokens[wrong.places[frame.target]],
    )


def _with_token(frame: Frame, sentence: Realised, token: str) -> Realised:
    tokens = list(sentence.tokens)
    tokens[sentence.places[frame.target]] = token
    return replace(sentence, tokens=tuple(tokens))


def conditions(frame: Frame, wordings: Wordings) -> dict[str, tuple[Wording, ...]]:
    """The conditions right and wrong; each has the prefix that its own form asks for."""
    return {
        RIGHT: (_regions(wordings.right, frame.target),),
        WRONG: (_regions(wordings.wrong, frame.target),),
    }


def _regions(sentence: Realised, target: int) -> Wording:
    tokens, spaces, index = sentence.tokens, sentence.spaces, sentence.places[target]
    cuts = (0, index, index + 1, len(tokens))
    return tuple(
        [
            Region(name, tokens[start:end], raw_text(tokens[start:end], spaces[start:end]))
            for name, start, end in zip((PREFIX, TARGET, REST), cuts, cuts[1:], strict=False)
        ]
    )


def varied(frame: Frame, words: Words, flags: Sequence[str]) -> tuple[Agreement, Wordings]:
    """The facts of an original with other words in it; level, seed and variant are the caller's."""
    agreement, wordings = frame.agreement, written(frame, words)
    sentence = wordings.right
    places = sentence.places
    old_places = frame.tree.tokens
    moved = places != old_places
    upos, feats = _annotation(frame, sentence, words.feats)
    forms = frame.tree.forms
    old = agreement.tokens
    replaced = {
        places[node]
        for node, form in words.forms.items()
        if form != forms[node] and sentence.tokens[places[node]] != old[old_places[node]]
    }
    if wordings.right_form != agreement.right:
        replaced.add(places[frame.target])
    told = set(flags) | ({"ghost"} & set(agreement.flags))
    if (
        sentence.tokens[: places[frame.target]]
        != (wordings.wrong.tokens[: wordings.wrong.places[frame.target]])
    ):
        told.add(PREFIX_DIFFERS)
    if (
        sentence.tokens[places[frame.target] + 1 :]
        != (wordings.wrong.tokens[wordings.wrong.places[frame.target] + 1 :])
    ):
        told.add(REST_DIFFERS)
    before, after = _around(wordings.right_form, words.right)
    cue_index, target_index = places[frame.cue], places[frame.target]
    shifted = _shift(old_places, places) if moved else None
    value = words.value or agreement.value
    wrong_value = agreement.wrong_value if value == agreement.value else agreement.value
    return (
        replace(
            agreement,
            value=value,
            target_feats=words.target_feats or agreement.target_feats,
            cue_index=cue_index,
            target_index=target_index,
            gap=target_index - cue_index - 1,
            cue=agreement.cue if "ghost" in agreement.flags else sentence.tokens[cue_index],
            lemma=words.lemma,
            right=wordings.right_form,
            wrong=wordings.wrong_form,
            attractors=_attractors(frame, words, places, shifted),
            tokens=sentence.tokens,
            upos=upos,
            feats=feats,
            spaces=sentence.spaces,
            substitutions=tuple(sorted(replaced)),
            flags=tuple(sorted(told)),
            before=before,
            after=after,
            tree=None,
            cue_node=-1,
            target_node=-1,
            nominals=_moved_nominals(agreement.nominals, shifted, target_index),
            leaks=_moved_leaks(agreement.leaks, shifted),
            value_from=_moved(agreement.value_from, shifted),
            cues_before=_moved(agreement.cues_before, shifted),
            cues_between=_moved(agreement.cues_between, shifted),
            cues_beside_target=_moved(agreement.cues_beside_target, shifted),
            wrong_value=wrong_value,
            wrong_forms={wrong_value: wordings.wrong_form} if wrong_value else {},
        ),
        wordings,
    )


def _attractors(
    frame: Frame, words: Words, places: Sequence[int], shifted: Mapping[int, int] | None
) -> tuple[int, ...]:
    """The attractors as tokens, those inside the tokens of cue and target left out."""
    if words.attractors is None:
        return _moved(frame.agreement.attractors, shifted)
    found = dict.fromkeys(places[node] for node in words.attractors)
    return tuple(each for each in found if places[frame.cue] < each < places[frame.target])


def _around(token: str, word: str) -> tuple[str, str]:
    """What stands before and after a word in its token."""
    start = token.find(word) if token != word else 0
    return (token[:start], token[start + len(word) :]) if start >= 0 else ("", "")


def _annotation(
    frame: Frame, sentence: Realised, other_feats: Mapping[int, str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """UPOS and FEATS of each token: the original's where the same words stand together."""
    agreement, tree = frame.agreement, frame.tree
    if sentence.places == tree.tokens and not other_feats:
        return agreement.upos, agreement.feats
    old: dict[tuple[int, ...], int] = {
        tuple(nodes): token for token, nodes in _words_of(tree.tokens).items()
    }
    upos: list[str] = []
    feats: list[str] = []
    for _, nodes in sorted(_words_of(sentence.places).items()):
        token = old.get(tuple(nodes))
        changed = any(node in other_feats for node in nodes)
        if token is not None and not changed:
            upos.append(agreement.upos[token])
            feats.append(agreement.feats[token])
        elif len(nodes) == 1:
            upos.append(tree.upos[nodes[0]])
            feats.append(other_feats.get(nodes[0], tree.feats[nodes[0]]))
        else:
            upos.append("+".join(tree.upos[node] for node in nodes))
            feats.append("_")
    return tuple(upos), tuple(feats)


def _words_of(places: Sequence[int]) -> dict[int, list[int]]:
    """Token → its words."""
    words: dict[int, list[int]] = {}
    for node, token in enumerate(places):
        words.setdefault(token, []).append(node)
    return words


def _shift(old: Sequence[int], new: Sequence[int]) -> dict[int, int]:
    """Token of the original → that of the variant in which its last word stands."""
    return dict(zip(old, new, strict=True))


def _moved(tokens: tuple[int, ...], shifted: Mapping[int, int] | None) -> tuple[int, ...]:
    return tokens if shifted is None else tuple(shifted[token] for token in tokens)


def _moved_nominals(
    nominals: tuple[Nominal, ...], shifted: Mapping[int, int] | None, target_index: int
) -> tuple[Nominal, ...]:
    if shifted is None:
        return nominals
    return tuple(
        each._replace(token=shifted[each.token], distance=target_index - shifted[each.token])
        for each in nominals
    )


def _moved_leaks(leaks: tuple[Leak, ...], shifted: Mapping[int, int] | None) -> tuple[Leak, ...]:
    if shifted is None:
        return leaks
    return tuple(each._replace(token=shifted[each.token]) for each in leaks)


def as_item(
    frame: Frame,
    agreement: Agreement,
    wordings: Wordings,
    identity: str,
    kind: str,
    **more: object,
) -> Item:
    """The item of a variant of an original."""
    return replace(
        frame.item,
        item_id=identity,
        kind=kind,
        cluster_id=frame.item.cluster_id,
        conditions=conditions(frame, wordings),
        agreement=agreement,
        **more,  # type: ignore[arg-type]  # fields of an item
    )
