-- Named for what it is: the rate over targets whose form has one value alone.
ALTER TABLE construction RENAME COLUMN rate_telling TO rate_unambiguous;
-- No table changes: new cells of score.answers and run.outcomes end in their SHA-256 (see
-- data/store.py), which an earlier version could not read.
