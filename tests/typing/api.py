"""Code of a user that must type-check under `mypy --strict`; it is not run."""

import polars as pl

import colorless_green as cg


def mined() -> cg.Suite:
    mining: cg.Mining = cg.mine("UD_German-GSD", rule="tested", feature=["Number"])
    frame: pl.DataFrame = mining.constructions.filter(pl.col("rate") > 0.95)
    assert frame.height > 0
    suite: cg.Suite = cg.make_nonce(mining, level="+frame", n=9, store="de.db")
    cg.export(suite, "set.jsonl")
    return suite


def looked_at(suite: cg.Suite) -> None:
    names: list[str] = [item.item_id for item in suite.items]
    table: pl.DataFrame = suite.to_frame()
    found: cg.Result = cg.audit(suite, by=["construction"])
    found.write("audit.tex")
    print(names, table, found.to_pandas().head())
    try:
        cg.load_suite("pairs.csv", language="de")
    except cg.InputError as error:
        print(error.location, error.kind)


def scored(suite: cg.Suite) -> cg.Scores:
    made: cg.Trained = cg.train("ngram", ["text.txt"], out="models/ngram", language="de")
    model: cg.Model = cg.load_model("gpt2", device="cpu", dtype="bfloat16")
    words: pl.DataFrame = model.surprisals(["The keys are here."])
    pairs: pl.DataFrame = cg.score_pairs([("the keys are", "the keys is")], model)
    scores: cg.Scores = cg.score([suite, "number_prep.json"], [made, model, "ngram:de.arpa"])
    strict = cg.Method(extends="hu2020", ties="share", sample=9)
    cg.score(suite, model, method=strict, by=["kind", "value"], limit=20)
    by: pl.DataFrame = scores.accuracy(by=["construction", "n_attractors"])
    print(words, pairs, by, scores.outcomes, scores.surprisals)
    return scores


def compared(scores: cg.Scores, suite: cg.Suite) -> None:
    people: cg.Judgments = cg.read_judgments("answers.csv", suite=suite, study="study.toml")
    answers: pl.DataFrame = people.answers
    found: cg.Comparison = cg.compare(scores, people, construction=["*nsubj"])
    cg.report(scores, people, "report.html").write("report.tsv")
    print(answers, found.paired, cg.status(store="de.db").messages)
