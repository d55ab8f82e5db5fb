"""The page as a whole: safe, self-contained, the same every time, and whole without its parts."""

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise

import pytest

import colorless_green as cg
from colorless_green.data import Item, sample
from colorless_green.data.items.item_table import table_of
from colorless_green.data.tables import Row
from colorless_green.humans import rater_accuracies, tally_of
from tests.humans.pages import Cell, Node, Page, numbers
from tests.humans.report_material import (
    CONSTRUCTIONS,
    HEBREW,
    HOSTILE,
    LABELS,
    MODELS,
    agreement_item,
    hebrew,
    hostile,
    items,
    originals,
    outcomes,
)
from tests.humans.report_pages import (
    ASKED,
    answered,
    answered_page,
    everything,
    full,
    undrawn,
    without_people,
)
from tests.humans.stored import Kept, of_margins

ADDRESS = "https://github.com/UniversalDependencies/"
EVIL = '"><img src=x onerror=alert(1)>$\\frac{ id="told0" url(#x)'


@pytest.fixture(scope="module")
def page() -> Page:
    return full()


@pytest.fixture
def kept() -> Kept:
    return Kept()


def scored(kept: Kept, suite: Sequence[Item], **margins: float | None) -> Page:
    """Return a page on items that models got with one margin each."""
    suite_id = kept.suite(suite)
    for model, margin in margins.items():
        kept.run(suite_id, model, of_margins({item.item_id: margin for item in suite}))
    return kept.report()


# Safe and self-contained


def test_every_id_is_there_once_and_every_reference_stays_on_the_page(page: Page) -> None:
    assert len(page.ids) == len(set(page.ids))
    inside = {each[1:] for each in page.references if each.startswith("#")}
    assert inside <= set(page.ids)
    assert all(each.startswith(("#", "data:", ADDRESS)) for each in page.references)
    assert set(re.findall(r"url\(#([^)]*)\)", page.html)) <= set(page.ids)
    # A treebank's repository may be linked to; nothing is ever fetched, from there or elsewhere.
    plain = page.html.replace(f'<a href="{ADDRESS}', "<a")
    assert not re.search(r"url\((?!#)|@import|https?:", plain)


def test_the_page_forbids_itself_everything_but_its_own_style_and_script(page: Page) -> None:
    digest = b64encode(sha256(page.root.one("script").text.encode()).digest()).decode()
    (policy,) = (each for each in page.root.all("meta") if "http-equiv" in each.attrs)
    assert policy.attrs == {
        "http-equiv": "Content-Security-Policy",
        "content": "default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
        f" script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
    }
    assert policy in page.root.one("head").inside


def test_names_from_outside_are_escaped_wherever_they_stand(kept: Kept) -> None:
    item = agreement_item(f"a {EVIL} c d e", 1, 3, EVIL, construction=EVIL, value=EVIL)
    item = replace(item, source=EVIL, licence=EVIL)
    other = agreement_item(f"a {EVIL} c d e", 1, 3, EVIL, construction=f"{EVIL}2", number=1)
    row: Row = {"construction": EVIL, "feature": EVIL, "values": EVIL, "n": 3, "n_by_value": EVIL}
    row = {**row, "verdict": EVIL, "reason": EVIL}
    suite_id = kept.suite([item, other], EVIL, mined=[row], rejected=[EVIL])
    for n in range(2):
        model = f"{EVIL}{n}"
        kept.run(suite_id, model, of_margins({item.item_id: n - 0.5}), group=EVIL, method=EVIL)
    kept.totals({item.item_id: (1, 2)})
    page = kept.report(drawn=True)
    assert "img" not in {each.tag for each in page.root}
    assert "onerror" not in {name for each in page.root for name in each.attrs}
    assert page.root.text.count(EVIL) > 10


# Constructions in words

IN_WORDS = {
    "L__NOUN__AUX__subject-auxiliary": "noun … auxiliary: the auxiliary agrees with the subject of"
    " the verb it belongs to",
    "L__NOUN_NOUN_VERB": "noun … verb, across noun; the first depends on the other",
    "L__NOUN[-Case]__VERB[Fin]__nsubj@Person": "noun … verb; the first is subject of the other",
    "R__VERB_DET_NOUN__nsubj": "verb … noun, across determiner; the second is subject of the other",
    "X__PRON_VERB": "pronoun … verb",
    "R__VERB_NOUN__obl:agent": "verb … noun; the second is oblique of the other",
    "L__NOUN": "",
    "npi_scope": "",
}


def test_words_stand_below_the_names_of_constructions(kept: Kept) -> None:
    suite = [
        agreement_item("the keys here are old", 1, 3, "is", construction=name, number=number)
        for number, name in enumerate(IN_WORDS)
    ]
    page = scored(kept, suite, m=1)
    names = [row["construction"] for row in page.rows("by-construction")]
    assert {name.text: name.below for name in names} == {
        name: f"{words}; for example keys … are / is" if words else "keys … are / is"
        for name, words in IN_WORDS.items()
    }
    assert all(words in page.by_id["examples"].text for words in IN_WORDS.values())


# Structure


def test_headings_go_down_one_step_at_a_time(page: Page) -> None:
    levels = [int(each.tag[1]) for each in page.root if re.fullmatch(r"h[1-6]", each.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_landmarks_and_contents_lead_to_every_section(page: Page) -> None:
    for found in (page, answered_page()):
        for tag in ("header", "nav", "main", "footer"):
            found.root.one(tag)
        assert found.root.one("html").attrs["lang"] == "en"
        assert [each.attrs["href"] for each in found.root.one("nav").all("a")] == [
            f"#{each}" for each in found.sections
        ]
        for section in found.root.all("section"):
            section.one("h2")
        assert {"reliability", "disagreements", "method"} <= set(found.sections)
        assert all(each.startswith(("#", "data:", ADDRESS)) for each in found.references)


def test_every_table_says_what_it_is_and_can_be_scrolled_to(page: Page) -> None:
    for name in page.tables:
        region = page.by_id[name]
        assert region.attrs["role"] == "region"
        assert region.attrs["tabindex"] == "0"
        assert region.attrs["aria-label"] == region.one("caption").text
        assert all(each.attrs["scope"] == "col" for each in region.one("thead").all("th"))
        assert all(each.attrs["scope"] == "row" for each in region.one("tbody").all("th"))


def test_drawings_have_a_name_a_description_and_their_numbers(page: Page) -> None:
    drawings = [each for each in page.root.all("svg") if each.attrs.get("role") == "img"]
    assert len(drawings) == 4 * 2 + 4  # two kinds; four models
    for drawing in drawings:
        assert page.by_id[drawing.attrs["aria-labelledby"]].tag == "title"
        assert numbers(page.by_id[drawing.attrs["aria-describedby"]].text)
    assert all(page.data(each) for each in page.figures if each != "people-figure")  # items.csv


def test_drawings_take_their_colours_from_the_style_sheet(page: Page) -> None:
    body = page.html[page.html.index("</style>") :]
    assert not re.search(r"#0a0[bc]", body)
    assert set(re.findall(r"(?:fill|stroke): (#[0-9a-f]{6})", body)) <= {"#000000"}
    used = set(re.findall(r"var\((--[a-z0-9]+)\)", body))
    style = page.html[: page.html.index("</style>")]
    assert all(f"{name}:" in style for name in used)


@pytest.mark.slow
def test_simulated_judgments_are_called_so_wherever_people_stand(page: Page) -> None:
    (alarm,) = page.root.all("p", "alarm")
    assert alarm.attrs["role"] == "note"
    captions = [figure.one("figcaption") for figure in page.root.all("figure")]
    assert len(captions) == 5
    assert all(each.all("strong") for each in captions)
    every = [each.text.strip() for each in page.root.all("li")]
    legends = [each for each in every if each.startswith("people")]
    assert legends
    assert set(legends) == {"people (simulated)"}
    assert "imulated" not in everything(simulated=False).report().html


# Without its parts


@pytest.mark.slow
def test_without_matplotlib_the_numbers_are_unfolded_and_the_same(page: Page) -> None:
    bare = undrawn()
    assert not bare.root.all("svg")
    assert bare.tables == page.tables
    for name in (each for each in bare.figures if each != "people-figure"):
        assert "open" in bare.by_id[name].one("details").attrs
        assert bare.data(name) == page.data(name)
    assert "colorless-green[humans]" in bare.root.text


def test_a_page_without_people_has_the_figures_of_models() -> None:
    page = without_people()
    assert page.figures == [
        *("answer-figure", "attractors-figure", "distance-figure", "constructions-figure")
    ]
    assert page.by_id["people"].all("p")
    assert not {"study", "exclusions", "participants", "reliability"} & set(page.sections)


def test_a_page_on_what_nobody_did_stands(kept: Kept) -> None:
    suite_id = kept.suite([agreement_item("a b c d e", 1, 3, "x")])
    kept.run(suite_id, "m", {})
    page = kept.report()
    assert page.figures == []
    assert not {"results", "study", "mined"} & set(page.sections)
    assert page.root.one("div", "answer").all("p")
    linked = {each[1:] for each in page.references if each.startswith("#")}
    assert linked <= set(page.ids)


# The answer


def answer(page: Page) -> list[str]:
    return [each.text for each in page.root.one("div", "answer").all("p")]


def lines(page: Page) -> dict[str, Node]:
    """Return the sentences of the answer, by what they say."""
    return {each.attrs["data-says"]: each for each in page.root.one("div", "answer").all("p")}


def test_the_answer_names_the_best_model_its_interval_and_chance(page: Page) -> None:
    rows = [row for row in page.rows("accuracy") if row["sentences"].text == "nonce variants"]
    people = rows.pop()
    rows.sort(key=lambda row: row["right, %"].value or 0)
    weakest, best = rows[0], rows[-1]
    (originals,) = (
        row
        for row in page.rows("accuracy")
        if row["sentences"].text == "originals" and row["rater"] == best["rater"]
    )
    said = {name: each.text for name, each in lines(page).items()}
    assert next(iter(said)) == "best"

    def shown(row: dict[str, Cell], *names: str) -> set[float]:
        return {each for name in names for each in numbers(row[name].text)}

    interval = ("right, %", "items", "95 % low", "95 % high")
    assert best["rater"].text in said["best"]
    assert {4.0, 95.0, 50.0} | shown(best, *interval) == set(numbers(said["best"]))
    assert shown(originals, "right, %", "items") <= set(numbers(said["originals"]))
    assert weakest["rater"].text in said["weakest"]
    assert shown(weakest, "right, %", "items") == set(numbers(said["weakest"]))
    assert shown(people, *interval) == set(numbers(said["people"]))


def test_the_answer_says_where_a_model_stands_to_chance() -> None:
    """Better, worse, or neither: three different sentences about the same numbers."""
    said = set()
    for rights in (18, 10, 2):
        kept = Kept()
        kept.scored(originals(20), {"m": rights})
        only = lines(kept.report())["best"].text
        assert {5 * rights, 20, 50} <= set(numbers(only))
        said.add(re.sub(r"[\d.]+", "", only))
    assert len(said) == 3


def test_before_scoring_the_answer_is_what_was_mined(kept: Kept) -> None:
    rows: tuple[Row, ...] = (
        {"construction": "L__A_B", "verdict": "accepted", "n_originals": 25},
        {"construction": "L__A_C", "verdict": "rejected", "n_originals": 0},
    )
    item = agreement_item("a b c d e", 1, 3, "x")
    kept.suite([item], mined=rows)
    kept.totals({item.item_id: (0, 0)})
    (only,) = answer(kept.report())
    assert numbers(only) == [1, 25]


# Tables of the results


def test_every_rater_has_a_label_a_shape_and_a_colour_of_its_own(page: Page) -> None:
    legend = page.by_id["constructions-figure"].one("ul", "legend").all("li")
    names = [each.text.strip() for each in legend]
    assert names == ["people (simulated)", *LABELS.values()]
    looks = {(e.one("path").attrs["class"], e.one("path").attrs["d"]) for e in legend}
    assert len(looks) == 5


def test_labels_are_short_but_never_shared(kept: Kept) -> None:
    names = ["ngram:a/ngram", "recurrent:a/recurrent-1", "causal:x/m", "causal:y/m", "uniform"]
    page = scored(kept, items(1, 0), **dict.fromkeys(names, 1.0))
    shown = dict.fromkeys(row["rater"].text for row in page.rows("accuracy"))
    assert list(shown) == ["ngram", "recurrent-1", "causal:x/m", "causal:y/m", "uniform"]


def test_seeds_of_one_group_are_drawn_as_their_mean(kept: Kept) -> None:
    suite = [agreement_item("a b c d e", 1, 3, "x", number=n) for n in range(10)]
    suite_id = kept.suite(suite)
    for n in range(3):
        margins = {item.item_id: 1.0 if k < 5 + n else -1.0 for k, item in enumerate(suite)}
        kept.run(suite_id, f"r{n}", of_margins(margins), group="r")
    page = kept.report()
    rows = [row for row in page.rows("accuracy") if row["sentences"].text == "originals"]
    assert [(row["rater"].text, row["right, %"].text) for row in rows] == [
        ("r0", "50.0"), ("r1", "60.0"), ("r2", "70.0"), ("r", "60.0"),
    ]  # fmt: skip
    assert numbers(rows[-1]["right, %"].below) == [10.0]
    assert {row["rater"].text for row in page.data("constructions-figure")} == {"r"}


@pytest.mark.slow
def test_accuracies_are_the_means_of_what_was_counted() -> None:
    """Of each model and of people, in all and along each dimension, from the items' own rows: of
    those that every model and somebody could answer."""
    page = undrawn()
    every = page.file("items.csv")
    rows = [row for row in every if all(row[f"{model}: credit"] for model in LABELS)]
    assert 0 < len(rows) < len(every)
    kinds = {"originals": "original", "nonce variants": "nonce"}
    dimensions = {"value": "value", "construction": "construction"}
    for name, column in dimensions.items():
        table = page.rows(f"by-{name}")
        first = page.columns(f"by-{name}")[0]
        assert {row[first].text for row in table} == {row[column] for row in rows}
        for row in table:
            own = [
                each
                for each in rows
                if each[column] == row[first].text and each["kind"] == kinds[row["sentences"].text]
            ]
            shares = [int(each["people_right"]) / int(each["people_total"]) for each in own]
            assert row["people (simulated)"].value == pytest.approx(100 * sum(shares) / len(shares))
            for model, label in LABELS.items():
                credits = [float(each[f"{model}: credit"]) for each in own]
                assert row[label].value == pytest.approx(100 * sum(credits) / len(credits))
                assert numbers(row[label].below)[-1] == len(own)


def test_originals_come_before_variants_and_totals_before_constructions() -> None:
    rows = undrawn().data("constructions-figure")
    assert list(dict.fromkeys(row["sentences"].text for row in rows)) == [
        "originals",
        "nonce variants",
    ]
    n_constructions = len(CONSTRUCTIONS) + 2
    for start in (0, 5):
        assert {row["construction"] for row in rows[start : start + 5]} == {rows[0]["construction"]}
    assert len({row["construction"] for row in rows}) == n_constructions + 1


def test_ties_and_words_that_a_model_does_not_know_are_counted(kept: Kept) -> None:
    suite = [agreement_item("a b c d e", 1, 3, "x", number=n) for n in range(6)]
    suite_id = kept.suite(suite)
    margins = dict(zip((i.item_id for i in suite), (1, 0.0, -1, None, 1e-12, 2), strict=True))
    kept.run(suite_id, "m", of_margins(margins))
    row = kept.report().rows("accuracy")[0]
    assert (row["items"].value, row["ties"].value, row["OOV"].value) == (5, 2, 1)
    assert row["right, %"].value == pytest.approx(60)


@pytest.mark.slow
def test_composed_items_are_shown_by_what_is_between_and_rules_that_find_the_head_are_named(
    kept: Kept,
) -> None:
    """The nearest noun is the head where nothing stands between: no baseline for such items."""
    made = cg.compose(
        cg.mine(str(sample.treebank("en")), language="en", store=kept.folder / "m.db"), sets=5
    )
    page = scored(kept, made.items, grown=1.0)
    cells = [row["cell of the set"].text for row in page.rows("by-cell")]
    between = ["same value between", "opposite value between"]
    firsts = [", head first", ", first noun the same", ", first noun opposite"]
    assert cells == ["nothing between", *(cell + first for first in firsts for cell in between)]
    said = lines(page)
    assert numbers(said["relations"].text)[0] == page.rows("by-cell")[0]["grown"].value
    assert "see" in said["baseline"].text  # the head, by construction of the set
    assert said["blind"].attrs["data-rater"] not in ("nearest_noun", "adjacent_word", "window")


def test_peoples_interval_is_over_originals_and_people_where_these_are_known() -> None:
    """In the table and in the headline; of totals it is over originals alone."""
    page = answered_page()
    measures = [row for row in page.file("measures.csv") if row["statistic"].startswith("accuracy")]
    people = [row for row in page.rows("accuracy") if row["rater"].text == "people"]
    assert len(people) == 2
    for row in people:
        kind = {"originals": "original", "nonce variants": "nonce"}[row["sentences"].text]
        own = [row["95 % low"].value, row["95 % high"].value]
        known = [
            [100 * float(each["low"]), 100 * float(each["high"])]
            for each in measures
            if (each["kind"], each["rater"]) == (kind, "humans")
            and each["statistic"] == "accuracy over items"
            and not each["construction"]
        ]
        compared = [
            [100 * float(each["low"]), 100 * float(each["high"])]
            for each in page.file("comparison.csv")
            if (each["kind"], each["rater"], each["construction"]) == (kind, "humans", "")
        ]
        assert known == compared == [pytest.approx(own)]
        if kind == "nonce":
            told = set(numbers(lines(page)["people"].text))
            assert {round(each or 0.0, 1) for each in own} <= told


def test_the_comparison_puts_people_beside_each_model() -> None:
    page, suite = answered_page(), {item.item_id: item for item in ASKED}
    counts = [
        tally_of(suite[row["item"]], int(row["people_right"]), int(row["people_total"]))
        for row in page.file("items.csv")
    ]
    found = outcomes(ASKED)
    models = {model: found[model] for model in list(MODELS)[-2:]}
    entries = table_of(ASKED).entries()
    source = {entry.item_id: entry.cluster_id for entry in entries}
    counts = [replace(tally, source=source[tally.item]) for tally in counts]
    expected = [
        row for row in rater_accuracies("", entries, counts, models) if row.rater != "humans"
    ]
    totals, cells = page.rows("comparison"), page.rows("comparison-constructions")
    expected.sort(key=lambda each: bool(each.construction))  # stable
    assert len(totals) + len(cells) == len(expected) == 2 * len(answered().compare().rows) // 3
    for row, each in zip([*totals, *cells], expected, strict=True):
        assert row["model"].text == LABELS[each.rater]
        assert row["model, %"].value == pytest.approx(100 * each.accuracy)
        assert each.compared is not None
        for column, p_column, difference in (
            ("difference", "p", each.compared.majority),
            ("difference of shares", "p of shares", each.compared.share),
        ):
            if difference is not None:
                assert row[column].value == pytest.approx(100 * difference.value)
                assert row[p_column].value is not None
        assert row["ρ"].value == each.spearman
    assert "comparison" not in without_people().tables


# Models and examples


def test_models_have_their_perplexity_and_what_they_have_seen() -> None:
    page = undrawn()
    assert [row["perplexity"].value for row in page.rows("runs")] == [431.27, 52.1, 52.1, 52.1]
    seen = [numbers(row["seen before?"].text) for row in page.rows("runs")]
    assert seen == [[], [12, 26], [], []]


def spoken(sentence: Node) -> str:
    """Return the sentence with its right form, without the labels of its marks."""
    kept = []
    for each in sentence.inside:
        if isinstance(each, str):
            kept.append(each)
        elif each.attrs.get("class") in ("marked", "pair"):
            marked = each.all("bdi", "mark")
            kept.append(next(m for m in marked if "wrong" not in m.attrs["class"]).text)
        else:
            kept.append(each.text)
    return "".join(kept)


def test_examples_are_the_sentences_with_their_parts_marked(page: Page) -> None:
    suite = [*items(6, 2), *hebrew(), hostile()]
    shown = page.root.all("p", "sentence")
    assert len(shown) > 12
    constructions_ = set()
    for each in shown:
        marks: dict[str, list[str]] = {"lure": []}
        for mark in each.all("bdi", "mark"):
            marks.setdefault(mark.attrs["class"].split()[1], []).append(mark.text)
        item = next(  # sentences with and without attractors are of the same words
            item
            for item in suite
            if item.agreement is not None
            and " ".join(item.agreement.tokens) == spoken(each)
            and [item.agreement.tokens[n] for n in item.agreement.attractors] == marks["lure"]
        )
        assert item.agreement is not None
        constructions_.add(item.agreement.construction)
        assert each.attrs["lang"] == item.language
        assert each.attrs["dir"] == ("rtl" if item.language == "he" else "ltr")
        assert marks.pop("cue") == [item.agreement.cue]
        assert (marks.pop("right"), marks.pop("wrong")) == (
            [item.agreement.right],
            [item.agreement.wrong],
        )
        lures = marks.pop("lure")
        assert not marks
        labels = each.all("span", "label")
        assert len(labels) == 3 + len(lures)  # each mark has one, in words
        assert all(label.text and label.attrs["lang"] == "en" for label in labels)
    assert constructions_ == {*(name for name, *_ in CONSTRUCTIONS), HEBREW, f"L__{HOSTILE}"}


def test_replaced_words_of_a_variant_are_marked_and_no_others(page: Page) -> None:
    (original, variant) = (
        each for each in page.root.all("p", "sentence") if each.attrs["lang"] == "he"
    )
    news = [[n.text for n in each if "new" in n.attrs.get("class", "").split()] for each in
            (original, variant)]  # fmt: skip
    assert news == [[], ["הספרים", "הענן"]]


def test_words_that_an_item_says_were_changed_are_new_where_lengths_differ(kept: Kept) -> None:
    original = agreement_item("the keys of it are gone", 1, 4, "is")
    variant = agreement_item("the clouds of all it are mild", 1, 5, "is", variant=1)
    assert variant.agreement is not None
    variant = replace(variant, agreement=replace(variant.agreement, substitutions=(2,)))
    page = scored(kept, [original, variant], m=1.0)
    news = [n.text for n in page.root if "new" in n.attrs.get("class", "").split()]
    assert news == ["of"]


def test_direction_follows_the_script(kept: Kept) -> None:
    right = ("he", "ar", "fa", "ur", "yi", "he-IL", "ku-Arab", "AR_eg")
    left = ("en", "it", "und", "", "az-Latn", "fa-Latn", "hy", "sr")
    suite = [
        agreement_item(f"a b c d e{n}", 1, 3, "x", construction=f"L__C{n}", language=language)
        for n, language in enumerate((*right, *left))
    ]
    page = scored(kept, suite, m=1.0)
    shown = [(e.attrs["lang"], e.attrs["dir"]) for e in page.root.all("p", "sentence")]
    assert shown == [*((each, "rtl") for each in right), *((each, "ltr") for each in left)]


def test_flags_of_items_are_counted_in_words(kept: Kept) -> None:
    suite = []
    for n, flags in enumerate((("equal_forms",), ("equal_forms",), ("of_another_tool",))):
        item = agreement_item("a b c d e", 1, 3, "x", number=n)
        assert item.agreement is not None
        suite.append(replace(item, agreement=replace(item.agreement, flags=flags)))
    rows = scored(kept, suite, m=1.0).rows("flags")
    assert [row["items"].value for row in rows] == [2, 1]
    assert "_" not in rows[0]["flag"].text


# What is concluded


def test_always_one_value_gains_nothing_in_the_headline_of_variants() -> None:
    """Three of four variants ask for the plural: what always prefers it is right in 75 %."""
    suite = [
        agreement_item(
            f"a{n} b c d e", 1, 3, "x", number=n, variant=1, value="Sing" if n % 4 == 0 else "Plur"
        )
        for n in range(40)
    ]
    always = {item.item_id: 1.0 if n % 4 else -1.0 for n, item in enumerate(suite)}
    fair = {item.item_id: 1.0 if n % 10 else -1.0 for n, item in enumerate(suite)}
    kept = Kept()
    suite_id = kept.suite(suite)
    kept.run(suite_id, "always", of_margins(always))
    said = lines(kept.report())["best"].text
    assert {50.0, 75.0, 40.0} <= set(numbers(said))
    assert "guessing" in said
    kept.run(suite_id, "fair", of_margins(fair))
    page = kept.report()
    said_of = lines(page)
    assert said_of["best"].attrs["data-rater"] == "fair"
    expected = 100 * (28 / 30 + 8 / 10) / 2
    assert numbers(said_of["best"].text).count(round(expected, 1)) == 1
    assert round(expected - 50, 1) in numbers(said_of["lead"].text)


def test_the_page_has_the_measures_that_the_analysis_has() -> None:
    """Of agreement, reliability and error consistency every figure, and no other."""
    page = answered_page()
    known: dict[str, list[float]] = {}
    for row in page.file("measures.csv"):
        if not row["construction"] and row["value"]:
            known.setdefault(row["statistic"], []).append(float(row["value"]))
    shown: dict[str, list[float]] = {}
    for cells in page.rows("reliability-table"):
        shown.setdefault(cells["statistic"].text, []).append(cells["value"].value or 0.0)
    assert {name for name in shown if name.startswith("error consistency")}
    for name, values in shown.items():
        assert values == pytest.approx(known[name])


def test_the_only_construction_of_a_kind_is_not_said_twice() -> None:
    suite, kept = originals(20), Kept()
    kept.scored(suite, {"m": 20})
    kept.totals({item.item_id: (8, 10) for item in suite})
    compared = kept.compare()
    shown = len(compared.rows) - compared.n_hidden
    assert [row["rater"] for row in compared.rows[:shown]] == ["humans", "m"]
    assert len(compared.rows) == 4  # a file has every construction


def test_a_model_is_called_the_best_only_where_a_test_says_so() -> None:
    for rights, is_best in (((40, 38), "no"), ((40, 20), "yes")):
        kept = Kept()
        kept.scored(originals(40), dict(zip("mn", rights, strict=True)))
        said = lines(kept.report())
        assert said["lead"].attrs["data-best"] == is_best
        assert round(100 * (rights[0] - rights[1]) / 40, 1) in numbers(said["lead"].text)
        assert "best" not in said["best"].text
    kept = Kept()
    kept.scored(originals(40), {"m": 40})
    assert "lead" not in lines(kept.report())


def test_people_or_a_model_do_better_only_where_both_measures_say_so() -> None:
    """As the comparison has it, which names the measure of the headline."""
    for right, better in ((10, "people"), (5, "")):
        suite, kept = originals(40), Kept()
        kept.scored(suite, {"m": 20})
        kept.totals({item.item_id: (right, 10) for item in suite})
        page = kept.report()
        said = lines(page)["difference"]
        (row,) = (r for r in page.rows("comparison") if r["model"].text == "m")
        (known,) = (
            r for r in page.file("comparison.csv") if (r["rater"], r["construction"]) == ("m", "")
        )
        assert said.attrs["data-better"] == known["better"] == better
        assert said.attrs["data-measure"] == known["measure"]
        shown = {round(row[name].value or 0, 1) for name in ("difference", "difference of shares")}
        assert shown <= set(numbers(said.text))


def test_an_accepted_construction_without_an_item_is_named(kept: Kept) -> None:
    usual: Row = {"verdict": "accepted", "n": 40}
    mined: tuple[Row, ...] = (
        {**usual, "construction": "L__NOUN_VERB_VERB", "n_originals": 25},
        {**usual, "construction": "L__NOUN_NOUN", "n_originals": 34},
    )
    item = agreement_item("a b c d e", 1, 3, "x")
    kept.run(kept.suite([item], mined=mined), "m", of_margins({item.item_id: 1.0}))
    said = lines(kept.report())["absent"]
    assert (said.one("code").text, numbers(said.text)) == ("L__NOUN_NOUN", [34])


def test_examples_say_which_form_people_and_models_chose(kept: Kept) -> None:
    suite = [agreement_item("the keys of it are gone", 1, 4, "is", number=n) for n in range(3)]
    margins = dict(zip((item.item_id for item in suite), (2.0, -2.0, 0.0), strict=True))
    kept.run(kept.suite(suite), "m", of_margins(margins))
    kept.totals({item.item_id: (n, 2) for n, item in enumerate(suite)})
    chosen = [
        [span.all("bdi")[1].text for span in verdicts.all("span")]
        for verdicts in kept.report().root.all("p", "verdicts")
    ]
    assert chosen == [["is", "are"], ["are / is", "is"], ["are", "are / is"]]


def test_variants_and_composed_sets_of_one_treebank_are_one_page(kept: Kept) -> None:
    """Each kind has its own headline; the people of one suite are told of, and compared there."""
    suites = {
        "nonce": [
            agreement_item(f"a{n} b c d e", 1, 3, "x", number=n, variant=1) for n in range(20)
        ],
        "composed": [
            replace(
                agreement_item(f"b{n} c d e f", 1, 3, "x", number=50 + n, variant=1),
                kind="composed",
                facts={"relation": ("same", "opposite")[n % 2], "first_noun": "none"},
            )
            for n in range(20)
        ],
    }
    for rights, (name, suite) in zip((18, 12), suites.items(), strict=True):
        kept.scored(suite, {"m": rights}, name)
    kept.totals({item.item_id: (n % 5, 5) for n, item in enumerate(suites["nonce"])}, suite="nonce")
    page = kept.report("nonce", "composed")
    best = [each for each in page.root.one("div", "answer").all("p") if
            each.attrs["data-says"] == "best"]  # fmt: skip
    assert [numbers(each.text)[:2] for each in best] == [[90, 20], [60, 20]]
    rows = {(row["rater"].text, row["sentences"].text): row for row in page.rows("accuracy")}
    assert {key: row["items"].value for key, row in rows.items()} == {
        ("m", "nonce variants"): 20, ("m", "composed items"): 20, ("people", "nonce variants"): 20,
    }  # fmt: skip
    assert [row["sentences"].text for row in page.rows("comparison")] == ["nonce variants"]
    assert "reliability" in page.sections
    assert {row["cell of the set"].text for row in page.rows("by-cell")} == {
        "same value between, head first", "opposite value between, head first",
    }  # fmt: skip


def test_what_a_model_has_seen_is_told_of_the_suite_with_the_originals(kept: Kept) -> None:
    """A composed set has none, so that its run knows of none that was seen."""
    original = agreement_item("a b c d e", 1, 3, "x")
    composed = replace(agreement_item("b c d e f", 1, 3, "x", number=1), kind="composed")
    for item, exposed in ((original, 1), (composed, 0)):
        suite_id = kept.suite([item], item.kind)
        kept.run(suite_id, "m", of_margins({item.item_id: 1.0}), exposed=exposed)
    (row,) = kept.report("original", "composed").rows("runs")
    assert numbers(row["seen before?"].text) == [1, 1]
