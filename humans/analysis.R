# Mixed models of single answers, fitted by lme4 (Bates et al. 2015) to tidy.csv, one answer a row.
# Run in this folder: Rscript analysis.R. Needs R with the package lme4; blme for separated data.
library(lme4)

tidy <- read.csv("tidy.csv", na.strings = "", encoding = "UTF-8", check.names = FALSE,
                 colClasses = c(participant = "character", source = "character",
                                item = "character", condition = "character",
                                construction = "character"))
tidy <- tidy[complete.cases(tidy[, c(@variables@)]), ]

# Each condition is compared with the first one; its column is 1 in that condition and 0 elsewhere.
conditions <- c(@conditions@)
@columns@
# The maximal random slopes that the design allows (Barr et al. 2013), then simpler models: without
# correlations between a grouping's random effects, then without slopes.
formulas <- list(
  @formulas@
)
# To add how sure a model is, in bits and standardised, as a predictor (columns "margin MODEL"):
# tidy$margin <- as.numeric(scale(tidy[["margin MODEL"]])), then + margin in each formula.

control <- glmerControl(optimizer = "bobyqa", optCtrl = list(maxfun = 1e6))
for (formula in formulas) {
  model <- glmer(formula, data = tidy, family = binomial, control = control)
  print(summary(model))
  if (length(model@optinfo$conv$lme4$messages) == 0 && !isSingular(model)) break
  cat("\nThis model did not converge or is singular; a simpler one follows, if there is one.\n")
}
print(drop1(model, test = "Chisq"))

# Where some kind of item has only right (or only wrong) answers, estimates run to infinity. A weak
# normal prior (SD 2.5 log-odds; Gelman et al. 2008) on the fixed effects keeps them finite.
errors <- sqrt(diag(as.matrix(vcov(model))))
if (any(abs(fixef(model)) > 10 | errors > 5)) {
  cat("\nThe answers are separated: the estimates above are no numbers to be read.\n")
  if (requireNamespace("blme", quietly = TRUE)) {
    print(summary(blme::bglmer(formula(model), data = tidy, family = binomial,
                               control = control, fixef.prior = normal(sd = 2.5))))
  } else {
    cat("The package blme is needed: install.packages(\"blme\")\n")
  }
}
