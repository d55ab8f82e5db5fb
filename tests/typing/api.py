"""Code of a user that must type-check under `mypy --strict`; it is not run."""

import polars as pl

import colorless_green as cg


def mined() -> cg.Suite:
    mining: cg.Mining = cg.mine("UD_German-GSD", rule="tested", feature=["Number"])
    frame: pl.DataFrame = mining.constructions.filter(pl.col("rate") > 0.95)
    assert frame.height > 0
    suite: cg.Suite = cg.make_nonce(mining, level="+frame", n=9, store="de.db")
    suite.write("set.jsonl")
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
        print(error.place, error.kind)
