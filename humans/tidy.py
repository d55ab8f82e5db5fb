"""Judgments as a plain table and the R script that fits the same mixed model with lme4 to it.

The script is for those who trust lme4 more than a young package, and for what it alone does. All
names in its formula are ours; what the data bring (levels of factors) stands in strings whose every
unusual character is written as a number, and in cells that no spreadsheet takes for a formula.
"""

import csv
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from colorless_green.data.files import write_folder, write_whole
from colorless_green.data.tables import Cell, guarded
from colorless_green.humans.coding import CENTRED, complete, levels
from colorless_green.humans.formula import (
    FACTORS,
    GROUPINGS,
    NUMBERS,
    RESPONSE,
    MixedFormula,
    without,
)

TABLE, SCRIPT = "tidy.csv", "analysis.R"
MADE_BY = "colorless humans analyse"
COLUMNS = (*GROUPINGS, *FACTORS, *NUMBERS, "rt_ms", RESPONSE)
PICTURES = {code: 0x2400 + code for code in range(32)}  # R ends a line at a carriage return
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _.-")

HEAD = """\
# The mixed model of `colorless humans analyse`, fitted by lme4 (Bates et al. 2015) to tidy.csv.
# Run in this folder: Rscript analysis.R. Needs R and the package lme4.
library(lme4)

tidy <- read.csv("tidy.csv", na.strings = "", colClasses = c({classes}),
                 encoding = "UTF-8", quote = "\\"", stringsAsFactors = FALSE)
used <- c({used})
tidy <- tidy[complete.cases(tidy[, used]), ]
"""
FIT = """\

# At lme4's own tolerances estimates and standard errors stop short in the third digit.
tight <- glmerControl(optimizer = "bobyqa", tolPwrss = 1e-12,
                      optCtrl = list(rhoend = 1e-9, maxfun = 1e6))
fitted_model <- function(formula) {
  glmer(formula, data = tidy, family = binomial, control = tight)
}
"""
PRIOR = """\

# Where some kind of item has only right answers, estimates run to infinity. A weak normal prior
# (standard deviation 2.5) on the fixed effects keeps them finite; it needs the package blme:
# print(summary(blme::bglmer(formula(model), data = tidy, family = binomial,
#                            fixef.prior = normal(sd = 2.5))))
"""


def write_tidy(
    folder: Path, observations: pl.DataFrame, formula: MixedFormula, coding: str
) -> None:
    """A folder with `tidy.csv` (every answer) and `analysis.R`."""
    about = {"made_by": MADE_BY, "formula": str(formula), "coding": coding}
    with write_folder(folder, about) as new:
        with write_whole(new / TABLE) as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(COLUMNS)
            for row in observations.select(COLUMNS).iter_rows():
                writer.writerow(map(cell, row))
        with write_whole(new / SCRIPT) as stream:
            stream.write(script(observations, formula, coding))


def cell(value: Cell) -> Cell:
    """A cell that no spreadsheet runs and no reader breaks in two: control characters become their
    pictures (U+2400 to U+241F). Texts without them stay different."""
    return guarded(value.translate(PICTURES)) if isinstance(value, str) else value


def script(observations: pl.DataFrame, formula: MixedFormula, coding: str) -> str:
    """The R script: reads the table, codes its variables as here, fits, tests each variable."""
    rows = complete(observations, formula)
    names = (*formula.variables, *[grouping.name for grouping in formula.groupings])
    classes = [f'{name} = "character"' for name in (*GROUPINGS, *FACTORS)]
    head = HEAD.format(
        classes=", ".join(classes), used=", ".join(f'"{name}"' for name in (*names, RESPONSE))
    )
    return "".join([head, *_coding(rows, formula, coding), FIT, *_fits(formula), PRIOR])


def _coding(rows: pl.DataFrame, formula: MixedFormula, coding: str) -> Iterator[str]:
    for name in formula.variables:
        if name in FACTORS:
            ordered = levels(rows[name].unique())
            listed = ", ".join(quoted(str(cell(level))) for level in ordered)
            yield f"tidy${name} <- factor(tidy${name}, levels = c({listed}))\n"
            if coding == CENTRED:
                n = len(ordered)
                yield f"contrasts(tidy${name}) <- contr.treatment({n}) - 1 / {n}\n"
        elif name == "margin":
            yield "tidy$margin <- as.numeric(scale(tidy$margin))\n"
        elif coding == CENTRED:
            yield f"tidy${name} <- tidy${name} - mean(tidy${name})\n"


def _fits(formula: MixedFormula) -> Iterator[str]:
    yield f"\nmodel <- fitted_model({formula})\nprint(summary(model))\n"
    yield 'cat("singular fit:", isSingular(model), "\\n")\n'
    for variable in dict.fromkeys(name for term in formula.terms for name in term):
        yield f"\n# What {variable} adds, alone and in interactions.\n"
        yield f"print(anova(fitted_model({without(formula, variable)}), model))\n"


def quoted(text: str) -> str:
    """A string of R: whatever is no plain character is written as its code point (not 0, which R
    does not have)."""
    safe = (char if char in PLAIN else f"\\U{{{ord(char):x}}}" for char in text)
    return f'"{"".join(safe)}"'
