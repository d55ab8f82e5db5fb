"""Counting what the clauses of a treebank show.

One pass over the sentences fills a `TreebankCounts`; nothing is decided here. Words are counted
as words of the tree, in small letters but for nouns of a language that writes them with capitals.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ...data.items.tree import MultiwordToken, Sentence
from ...miner.treebank.paradigms import count_analyses
from ._clause_view import UNFIT, ClauseView, is_number
from ._opening_counts import count_complement, count_front
from ._treebank_counts import (
    CONTROLLING,
    Kind,
    NounCell,
    NounPosition,
    Predicate,
    PredicateForm,
    PredicateWord,
    TreebankCounts,
    ValencyCounts,
    case_of,
)

BOUND = ("compound:prt", "compound:svc")  # what makes another verb of a verb, beside `expl`
PARADIGM = frozenset({
    "Aspect", "Case", "Clitic", "Definite", "Degree", "Evident", "Foreign", "Mood", "NumType",
    "PartForm", "Person", "Polarity", "Polite", "Poss", "PronType", "Reflex", "Style", "Tense",
    "Variant", "VerbForm", "Voice",
})  # fmt: skip
"""Features that make one paradigm of a predicate and another."""


def count_treebank(sentences: Iterable[Sentence]) -> TreebankCounts:
    """Counts what the blocks of composed sets are made from."""
    counts = TreebankCounts()
    for sentence in sentences:
        count_analyses([sentence], counts.analyses)
        _Clause(sentence, counts).count()
    return counts


def feats_without(feats: Mapping[str, str], names: Sequence[str]) -> str:
    """FEATS in normal order without some names; layered ones (`Number[abs]`) go with theirs."""
    remaining = (f"{name}={value}" for name, value in feats.items() if name not in names)
    return "|".join(sorted(remaining))


class _Clause(ClauseView):
    """A sentence that is being counted."""

    def __init__(self, sentence: Sentence, counts: TreebankCounts) -> None:
        super().__init__(sentence)
        self.counts = counts

    def count(self) -> None:
        self._count_spellings()
        for index, upos in enumerate(self.upos):
            if upos in ("NOUN", "VERB", "ADJ"):
                self.counts.lemmas[self.lemmas[index]] += 1
            if self.rels[index] == "ccomp":
                count_complement(self, index, self.counts)
            if upos == "NOUN":
                self._noun(index)
            elif upos in ("VERB", "AUX", "ADJ"):
                self._predicate(index)
            elif upos == "PRON" and self.feats[index].get("Person") in ("1", "2"):
                self._pronoun(index)

    def _count_spellings(self) -> None:
        inside: dict[int, MultiwordToken] = {}
        for span in self.sentence.ranges:
            for index in range(span.first, span.last + 1):
                inside[index] = span
        for index in range(len(self.forms) - 1):
            if self.upos[index] not in ("ADP", "DET", "SCONJ", "PRON", "PART"):
                continue
            form, next_form = self.forms[index].lower(), self.forms[index + 1].lower()
            joined = inside.get(index)
            together = joined is not None and index < joined.last
            self.counts.attached[form][together] += 1
            if self.upos[index] != "ADP" or self.upos[index + 1] != "DET":
                continue
            if not together or joined is None:
                self.counts.pairs[form, next_form][""] += 1
                continue
            text = joined.form.lower()
            if joined.first == index and joined.last == index + 1:
                self.counts.pairs[form, next_form][text] += 1
            elif joined.first == index and joined.last == index + 2:
                third_form = self.forms[index + 2].lower()
                if text.endswith(third_form):
                    self.counts.pairs[form, next_form][text[: -len(third_form)] + "+"] += 1

    def _noun(self, index: int) -> None:
        feats, counts = self.feats[index], self.counts
        if not UNFIT.isdisjoint(feats) or self.lemmas[index] == "_":
            return
        number = feats.get("Number", "")
        if (
            number == "Ptan"
            or "," in number
            or any(
                self.rels[child] in ("flat", "goeswith", "fixed") for child in self.children[index]
            )
        ):
            return
        if self.rels[index] == "compound" and "Case" in feats:
            return  # German *Friedens-*
        form, lemma = self.forms[index], self.lemmas[index]
        cell = NounCell(case_of(feats), number, feats.get("Definite", ""))
        counts.nouns.setdefault(lemma, {}).setdefault(cell, Counter())[form] += 1
        gender = (feats.get("Gender", ""), feats.get("Animacy", ""))
        counts.noun_feats.setdefault(lemma, Counter())[gender] += 1
        self._count_position(index, cell)

    def _count_position(self, index: int, cell: NounCell) -> None:
        """Counts a noun in the place that it stands in, and its function words."""
        counts, below = self.counts, self.children[index]
        rels = {self.rels[child] for child in below}
        article = self.article(index)
        if article is not None and article == index - 1:
            key = (cell.number, self.feats[index].get("Gender", ""), cell.case)
            counts.articles[key][self.forms[article].lower(), self.forms[index].lower()] += 1
        marks = [child for child in below if self.rels[child] == "case"]
        if "nummod" in rels or len(marks) > 1:
            return
        start = index if article is None else article
        adposition, postposed = "", False
        if marks:
            mark = marks[0]
            if self.upos[mark] not in ("ADP", "PART") or self.children[mark]:
                return
            postposed = mark > index
            near = mark == index + 1 if postposed else mark == start - 1
            adposition = self.lemmas[mark] if self.lemmas[mark] != "_" else self.forms[mark]
            adposition = adposition.lower()
            following = self.forms[mark + 1].lower() if mark + 1 < len(self.forms) else ""
            counts.adpositions[adposition][self.forms[mark].lower(), following] += 1
            if not near and not any(mark < child < index for child in below):
                return
        head, rel = self.heads[index], self.rels[index]
        if rel == "obj":
            counts.object_cases[cell.case] += 1
        if rel in ("obj", "iobj", "obl") and not marks and self.upos[head] == "VERB":
            counts.dependent_cases[cell.case] += 1
        if rel == "obl" and not marks and cell.case in ("", "Nom", "Acc"):
            counts.adverbials[self.lemmas[index]] += 1
        if rel == "nsubj" and not marks:
            position = NounPosition("subject", "", False, cell.case)
        elif rel == "nmod" and head < index and self.upos[head] == "NOUN":
            position = NounPosition("nmod", adposition, postposed, cell.case)
        elif rel in ("obl", "nmod"):
            position = NounPosition("obl", adposition, postposed, cell.case)
        else:
            return
        uses = counts.positions[position]
        uses.heads[self.lemmas[head]] += 1
        uses.nouns.add(self.lemmas[index])
        uses.numbers[cell.number] += 1
        if rels <= {"case", "det", "punct"}:  # Romanian: others ask for the article
            uses.definite[cell.number, cell.definite] += 1
        if "det" not in rels or article is not None:
            uses.articles[article is not None] += 1
        uses.single[cell.number == "Sing" and "conj" not in rels] += 1
        if position.kind == "nmod":
            governor = self.heads[head]
            uses.n_subjects += self.rels[head] == "nsubj" and governor > index
        elif position.kind == "obl" and rel == "obl":
            count_front(self, index, position, counts)
            subject = self.subject(head)
            subordinate = any(self.rels[child] == "mark" for child in self.children[head])
            if subject is not None and not subordinate and "acl" not in self.rels[head]:
                target = self.target(head)[1]
                if target is not None and subject < target:
                    is_between = subject < index < target
                    uses.order[is_between] += 1
                    uses.n_subjects += is_between

    def _pronoun(self, index: int) -> None:
        """A pronoun of the speaker or hearer: how often it is an object, and where."""
        seen = self.counts.pronouns[self.forms[index].lower()]
        verb, case = self.heads[index], self.feats[index].get("Case", "")
        seen["object"] += self.rels[index] == "obj" and case in ("Acc", "Par")
        seen["subject"] += case in CONTROLLING
        seen["apposition"] += case == "Acc" and self.feats[index].get("Number") == "Plur"
        seen["first"] += index == 0 or self.upos[index - 1] in ("PUNCT", "CCONJ")
        seen["apart"] += self.rels[index] == "obj" and index + 1 < verb

    def _predicate(self, index: int) -> None:
        counts, below = self.counts, self.children[index]
        rels = [self.rels[child] for child in below]
        feats, upos = self.feats[index], self.upos[index]
        frame = counts.frames[self.lemmas[index]]
        frame.n_complement += any(
            self.rels[child] in ("xcomp", "csubj", "ccomp")
            or (self.rels[child] == "advcl" and self.feats[child].get("VerbForm") == "Inf")
            for child in below
        )
        frame.n_clause += "ccomp" in rels
        frame.n += upos in ("ADJ", "VERB")
        if upos == "VERB":
            self._verb(index, frame, below, rels)
        participle = feats.get("VerbForm") == "Part"
        if (upos == "ADJ" or participle) and self.subject(index) is not None:
            key = self._key(index, "adjective").feats
            counts.bare[key, "cop" not in rels and "aux" not in rels] += 1
        self._paradigm(index)
        subject = self.subject(index)
        kind, target = self.target(index)
        if target is not None and kind in ("copula", "auxiliary") and upos in ("VERB", "ADJ"):
            self._with_auxiliary(index, kind, target, rels)
        if subject is None or self.upos[subject] != "NOUN":
            return
        if target is None or not subject < target:
            return
        case = case_of(self.feats[subject])
        if any(self.rels[child] in ("case", "nummod", "conj") for child in self.children[subject]):
            return
        number = self.feats[subject].get("Number", "")
        for name, value in self.feats[target].items():
            if is_number(name):
                counts.agreement[Kind(kind, name, case)][value == number] += 1
        self._order(index, subject, target)
        if kind in ("copula", "auxiliary"):
            counts.predicate_order[kind, index < target] += 1
            passive = self.feats[target].get("Voice") == "Pass"
            frame = counts.auxiliaries[self.lemmas[target], passive]
            frame.n += 1
            frame.n_object += "obj" in rels

    def _verb(
        self, index: int, frame: ValencyCounts, below: Sequence[int], rels: Sequence[str]
    ) -> None:
        """Count what a verb's dependents show of its frame."""
        frame.n_object += "obj" in rels
        frame.n_subject += "nsubj" in rels
        frame.n_bound += any(
            self.deprels[child] in BOUND
            or self.deprels[child].startswith("expl")
            or self.feats[child].get("Reflex") == "Yes"
            for child in below
        )
        frame.n_oblique += "obl" in rels
        objects = [child for child in below if self.rels[child] == "obj"]
        cases = {self.feats[child].get("Case", "Acc") for child in objects}
        frame.n_accusative += not cases.isdisjoint(("Acc", "Par"))
        nominal = [
            child
            for child in objects
            if self.upos[child] == "NOUN"
            and not any(self.rels[below] == "case" for below in self.children[child])
        ]
        frame.n_nominal_object += bool(nominal)
        for noun in nominal:
            if "Case" not in self.feats[noun] or self.rels[index] == "root":
                self.counts.object_order[noun < index] += 1
        if self.rels[index] == "acl" or self.deprels[index] == "acl:relcl":
            self._relative(index)

    def _order(self, index: int, subject: int, target: int) -> None:
        """Count whether a predicate ends its clause, and what introduces one that does."""
        below = self.children[index]
        marks = [child for child in below if self.rels[child] == "mark" and child < subject]
        dependents = ("obj", "iobj", "obl", "advmod", "xcomp")
        final = index <= target and not any(
            self.rels[child] in dependents and child > target for child in below
        )
        self.counts.final[bool(marks)][final] += 1
        if len(marks) == 1 and final and self.upos[marks[0]] == "SCONJ":
            self.counts.subordinators[self.forms[marks[0]].lower()] += 1

    def _with_auxiliary(self, index: int, kind: str, target: int, rels: Sequence[str]) -> None:
        """A predicate with one copula or auxiliary."""
        if sum(rel in ("aux", "cop") for rel in rels) > 1:
            return
        if kind == "copula" and self.feats[index].get("VerbForm") == "Inf":
            return  # *ist zu empfehlen*: never without its particle
        subject = self.subject(index)
        number, precedes = "", False
        if subject is not None and self.upos[subject] == "NOUN":
            number = self.feats[subject].get("Number", "")
            precedes = subject < index == target - 1
        has_number = any(map(is_number, self.feats[index]))
        word = PredicateWord(
            self.upos[index], self.lemmas[index], self.forms[index].lower(), has_number
        )
        predicate = Predicate(kind, self.upos[target], self.lemmas[target], "")
        bare = {"obj", "iobj", "xcomp", "ccomp"}.isdisjoint(rels)
        self.counts.predicates_of[predicate][word, number, precedes, bare] += 1

    def _key(self, index: int, kind: str) -> Predicate:
        paradigm = {
            name: "3" if name == "Person" else value
            for name, value in self.feats[index].items()
            if name in PARADIGM or name.startswith("Person[")
        }
        return Predicate(kind, self.upos[index], self.lemmas[index], feats_without(paradigm, ()))

    def _paradigm(self, index: int) -> None:
        """Counts a form in its paradigm, under each kind that it could be a target of."""
        feats, upos = self.feats[index], self.upos[index]
        if "Typo" in feats or "Abbr" in feats or feats.get("Person", "3") not in ("3", "1,2,3"):
            return
        names = [name for name in feats if is_number(name)]
        if not names:
            return
        if self.lemmas[index] == "_" or any(name.endswith("[dat]") for name in feats):
            return
        if upos == "AUX":
            if feats.get("VerbForm", "Fin") != "Fin" or self.is_subordinate(self.heads[index]):
                return
            kinds: tuple[str, ...] = ("copula",) if self.rels[index] == "cop" else ("auxiliary",)
        elif upos == "ADJ":
            kinds = ("adjective",) if feats.get("VerbForm") != "Part" else ("participle",)
        elif feats.get("VerbForm") == "Fin" or (
            "VerbForm" not in feats and not {"Mood", "Person", "Tense"}.isdisjoint(feats)
        ):
            kinds = ("verb",)
        elif feats.get("VerbForm") == "Part":
            kinds = ("participle",)
        else:
            return
        gender, animacy = feats.get("Gender", ""), feats.get("Animacy", "")
        form = self.forms[index].lower()
        for kind in kinds:
            for name in names:
                key = self._key(index, kind)
                layers = "|".join(
                    f"{layer}={feats[layer]}" for layer in sorted(names) if layer != name
                )
                key = key._replace(feats="|".join(filter(None, (key.feats, layers, f"@{name}"))))
                self.counts.predicates[key][PredicateForm(feats[name], gender, animacy, form)] += 1

    def _relative(self, index: int) -> None:
        """A relative clause right after its noun whose relative word is the verb's object."""
        head = self.heads[index]
        if self.upos[head] != "NOUN" or head > index:
            return
        subject = self.subject(index)
        objects = [
            child
            for child in self.children[index]
            if self.rels[child] in ("obj", "mark") and head < child <= head + 2 and child < index
        ]
        finite = self.feats[index].get("VerbForm", "Fin") == "Fin"
        if not objects or not finite or subject is None or self.upos[subject] != "NOUN":
            return
        word = objects[0]
        if self.upos[word] not in ("PRON", "SCONJ", "DET"):
            return
        if self.rels[word] == "obj" and "Rel" not in self.feats[word].get("PronType", ""):
            return
        if not word < subject < index or (word == head + 2 and self.upos[head + 1] != "PUNCT"):
            return
        form = self.forms[word].lower()
        feats = self.feats[head]
        self.counts.relatives[form][feats.get("Number", ""), feats.get("Gender", "")] += 1
        self.counts.relative_comma[form][word == head + 2] += 1
