"""What version 1 had and this one has not, as it was written → what to do instead. The table is
dropped in the version after this one."""

GONE = {
    "doctor": "run `colorless status`, which also shows the installation",
    "compare --results": "run `python -m bench.papers` in a copy of the repository",
}
