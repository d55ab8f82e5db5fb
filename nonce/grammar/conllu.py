"""Derivations as CoNLL-U: full trees with ids, FEATS and `SpaceAfter=No`."""

from collections.abc import Iterator

from colorless_green.nonce.grammar.expand import sample
from colorless_green.nonce.grammar.language import Derivation, Grammar
from colorless_green.nonce.grammar.surface import Sentence, realised, sentence_text


def to_conllu(derivation: Derivation, sent_id: str) -> str:
    """One sentence: `# sent_id`, `# text`, a row for each token and word, a blank line at the end.

    XPOS and DEPS are empty; a contraction is a range row (`3-4`) that carries the spacing.
    """
    return _block(realised(derivation), [f"# sent_id = {sent_id}"])


def treebank(grammar: Grammar, n: int, seed: int) -> Iterator[str]:
    """`n` different sentences as CoNLL-U, one at a time; joined, they are the file.

    Ids are the grammar's name and a number from 1 with as many digits as `n` needs, at least four.
    The first sentence also says which grammar and seed made it, and the licence. Raises
    `InputError` where the grammar has fewer sentences.
    """
    width = max(4, len(str(n)))
    about = [f"# grammar = {grammar.name}", f"# seed = {seed}"]
    about += [f"# licence = {grammar.licence}"] if grammar.licence else []
    for number, each in enumerate(sample(grammar, n, seed), start=1):
        sent_id = f"# sent_id = {grammar.name}-{number:0{width}d}"
        yield _block(realised(each), [*(about if number == 1 else ()), sent_id])


def _block(sentence: Sentence, comments: list[str]) -> str:
    lines = [*comments, f"# text = {sentence_text(sentence)}"]
    for token in sentence.tokens:
        misc = "_" if token.space_after else "SpaceAfter=No"
        several = token.n_words > 1
        if several:
            last = token.first + token.n_words
            lines.append("\t".join([f"{token.first + 1}-{last}", token.text, *"_______", misc]))
        for index in range(token.first, token.first + token.n_words):
            word = sentence.words[index]
            head = 0 if word.head is None else word.head + 1
            row = [word.form, word.lemma, word.upos, "_", word.feats, str(head), word.relation, "_"]
            lines.append("\t".join([str(index + 1), *row, "_" if several else misc]))
    return "\n".join(lines) + "\n\n"
