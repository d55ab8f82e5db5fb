"""What a method section cites: one record a work, in words and as BibTeX.

Only what is certain of a work stands in its record.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

ACL = "Association for Computational Linguistics"
LETTERS: Mapping[str, str] = {  # for a BibTeX that reads ASCII alone
    "ä": r"{\"a}", "ö": r"{\"o}", "č": r"{\v{c}}", "–": "--", "&": r"\&",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reference:
    """A work. Braces in `title` keep capitals that BibTeX would take away."""

    key: str
    authors: tuple[str, ...]  # "Family, Given"
    year: int
    title: str
    venue: str  # journal, proceedings or publisher
    sort: str = "inproceedings"  # or "article", "book"
    volume: str = ""  # with the number: "47(2)"
    pages: str = ""
    doi: str = ""
    edition: str = ""


WORKS = (
    Reference(
        "gulordava2018",
        (
            *("Gulordava, Kristina", "Bojanowski, Piotr", "Grave, Edouard", "Linzen, Tal"),
            "Baroni, Marco",
        ),
        2018,
        "Colorless green recurrent networks dream hierarchically",
        "Proceedings of the 2018 Conference of the North American Chapter of the Association for"
        " Computational Linguistics: Human Language Technologies, Volume 1 (Long Papers)",
        pages="1195–1205",
        doi="10.18653/v1/N18-1108",
    ),
    Reference(
        "linzen2016",
        ("Linzen, Tal", "Dupoux, Emmanuel", "Goldberg, Yoav"),
        2016,
        "Assessing the ability of {LSTM}s to learn syntax-sensitive dependencies",
        f"Transactions of the {ACL}",
        "article",
        volume="4",
        pages="521–535",
        doi="10.1162/tacl_a_00115",
    ),
    Reference(
        "marvin2018",
        ("Marvin, Rebecca", "Linzen, Tal"),
        2018,
        "Targeted syntactic evaluation of language models",
        "Proceedings of the 2018 Conference on Empirical Methods in Natural Language Processing",
        pages="1192–1202",
        doi="10.18653/v1/D18-1151",
    ),
    Reference(
        "hu2020reflexives",
        ("Hu, Jennifer", "Chen, Sherry Yong", "Levy, Roger"),
        2020,
        "A closer look at the performance of neural language models on reflexive anaphor licensing",
        "Proceedings of the Society for Computation in Linguistics",
        volume="3",
    ),
    Reference(
        "hu2020systematic",
        ("Hu, Jennifer", "Gauthier, Jon", "Qian, Peng", "Wilcox, Ethan", "Levy, Roger"),
        2020,
        "A systematic assessment of syntactic generalization in neural language models",
        f"Proceedings of the 58th Annual Meeting of the {ACL}",
        pages="1725–1744",
        doi="10.18653/v1/2020.acl-main.158",
    ),
    Reference(
        "warstadt2020",
        (
            *("Warstadt, Alex", "Parrish, Alicia", "Liu, Haokun", "Mohananey, Anhad", "Peng, Wei"),
            *("Wang, Sheng-Fu", "Bowman, Samuel R."),
        ),
        2020,
        "{BLiMP}: The Benchmark of Linguistic Minimal Pairs for {E}nglish",
        f"Transactions of the {ACL}",
        "article",
        volume="8",
        pages="377–392",
        doi="10.1162/tacl_a_00321",
    ),
    Reference(
        "mueller2020",
        (
            *("Mueller, Aaron", "Nicolai, Garrett", "Petrou-Zeniou, Panayiota", "Talmina, Natalia"),
            "Linzen, Tal",
        ),
        2020,
        "Cross-linguistic syntactic evaluation of word prediction models",
        f"Proceedings of the 58th Annual Meeting of the {ACL}",
        pages="5523–5539",
        doi="10.18653/v1/2020.acl-main.490",
    ),
    Reference(
        "newman2021",
        ("Newman, Benjamin", "Ang, Kai-Siang", "Gong, Julia", "Hewitt, John"),
        2021,
        "Refining targeted syntactic evaluation of language models",
        "Proceedings of the 2021 Conference of the North American Chapter of the Association for"
        " Computational Linguistics: Human Language Technologies",
        pages="3710–3723",
        doi="10.18653/v1/2021.naacl-main.290",
    ),
    Reference(
        "nivre2020",
        (
            *("Nivre, Joakim", "de Marneffe, Marie-Catherine", "Ginter, Filip", "Hajič, Jan"),
            *("Manning, Christopher D.", "Pyysalo, Sampo", "Schuster, Sebastian"),
            *("Tyers, Francis", "Zeman, Daniel"),
        ),
        2020,
        "{U}niversal {D}ependencies v2: An evergrowing multilingual treebank collection",
        "Proceedings of the 12th Language Resources and Evaluation Conference",
        pages="4034–4043",
    ),
    Reference(
        "demarneffe2021",
        (
            *("de Marneffe, Marie-Catherine", "Manning, Christopher D.", "Nivre, Joakim"),
            "Zeman, Daniel",
        ),
        2021,
        "{U}niversal {D}ependencies",
        "Computational Linguistics",
        "article",
        volume="47(2)",
        pages="255–308",
        doi="10.1162/coli_a_00402",
    ),
    Reference(
        "deleeuw2023",
        ("de Leeuw, Joshua R.", "Gilbert, Rebecca A.", "Luchterhandt, Björn"),
        2023,
        "{jsPsych}: Enabling an open-source collaborative ecosystem of behavioral experiments",
        "Journal of Open Source Software",
        "article",
        volume="8(85)",
        pages="5351",
        doi="10.21105/joss.05351",
    ),
    Reference(
        "efron1993",
        ("Efron, Bradley", "Tibshirani, Robert J."),
        1993,
        "An introduction to the bootstrap",
        "Chapman & Hall",
        "book",
    ),
    Reference(
        "wilson1927",
        ("Wilson, Edwin B.",),
        1927,
        "Probable inference, the law of succession, and statistical inference",
        "Journal of the American Statistical Association",
        "article",
        volume="22(158)",
        pages="209–212",
    ),
    Reference(
        "holm1979",
        ("Holm, Sture",),
        1979,
        "A simple sequentially rejective multiple test procedure",
        "Scandinavian Journal of Statistics",
        "article",
        volume="6(2)",
        pages="65–70",
    ),
    Reference(
        "benjamini1995",
        ("Benjamini, Yoav", "Hochberg, Yosef"),
        1995,
        "Controlling the false discovery rate: A practical and powerful approach to multiple"
        " testing",
        "Journal of the Royal Statistical Society: Series B",
        "article",
        volume="57(1)",
        pages="289–300",
    ),
    Reference(
        "spearman1910",
        ("Spearman, Charles",),
        1910,
        "Correlation calculated from faulty data",
        "British Journal of Psychology",
        "article",
        volume="3(3)",
        pages="271–295",
    ),
    Reference(
        "brown1910",
        ("Brown, William",),
        1910,
        "Some experimental results in the correlation of mental abilities",
        "British Journal of Psychology",
        "article",
        volume="3(3)",
        pages="296–322",
    ),
    Reference(
        "fleiss1971",
        ("Fleiss, Joseph L.",),
        1971,
        "Measuring nominal scale agreement among many raters",
        "Psychological Bulletin",
        "article",
        volume="76(5)",
        pages="378–382",
    ),
    Reference(
        "krippendorff2004",
        ("Krippendorff, Klaus",),
        2004,
        "Content analysis: An introduction to its methodology",
        "Sage",
        "book",
        edition="2nd",
    ),
    Reference(
        "bates2015",
        ("Bates, Douglas", "Mächler, Martin", "Bolker, Ben", "Walker, Steve"),
        2015,
        "Fitting linear mixed-effects models using {lme4}",
        "Journal of Statistical Software",
        "article",
        volume="67(1)",
        pages="1–48",
        doi="10.18637/jss.v067.i01",
    ),
)
BY_KEY: Mapping[str, Reference] = {each.key: each for each in WORKS}
VENUES: Mapping[str, str] = {  # what BibTeX calls a venue
    "inproceedings": "booktitle", "article": "journal", "book": "publisher",
}  # fmt: skip


def cited(key: str) -> str:
    """The work as a text cites it: `Holm 1979`, `Hu, Chen & Levy 2020`, `Hu et al. 2020`."""
    work = BY_KEY[key]
    names = [author.partition(",")[0] for author in work.authors]
    if len(names) > 3:
        return f"{names[0]} et al. {work.year}"
    head = ", ".join(names[:-1])
    return f"{head} & {names[-1]} {work.year}" if head else f"{names[-1]} {work.year}"


def in_words(key: str) -> str:
    """The work as a list of references has it."""
    work = BY_KEY[key]
    volume = f" {work.volume}" if work.volume else ""
    edition = f", {work.edition} edition" if work.edition else ""
    pages = f", {work.pages}" if work.pages else ""
    doi = f" doi:{work.doi}" if work.doi else ""
    title = re.sub(r"[{}]", "", work.title)
    where = f"{work.venue}{volume}{edition}{pages}"
    return f"{'; '.join(work.authors)} ({work.year}). {title}. {where}.{doi}"


def bibtex(keys: Iterable[str]) -> str:
    """Entries of the works in this order."""
    return "\n".join(_entry(BY_KEY[key]) for key in keys)


def _entry(work: Reference) -> str:
    volume, _, number = work.volume.rstrip(")").partition("(")
    fields = {
        "author": " and ".join(work.authors),
        "title": work.title,
        VENUES[work.sort]: work.venue,
        "year": str(work.year),
        "volume": volume,
        "number": number,
        "pages": work.pages,
        "edition": work.edition,
        "doi": work.doi,
    }
    lines = [f"  {name} = {{{_tex(value, name)}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{work.sort}{{{work.key},", *lines, "}", ""])


def _tex(text: str, name: str) -> str:
    """As TeX takes it; a DOI stays as it is."""
    if name == "doi":
        return text
    return "".join(LETTERS.get(letter, letter) for letter in text)
