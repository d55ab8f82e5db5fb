-- Items in columns, once by content; surprisals and outcomes as compact arrays. Suites and runs of
-- before keep their rows of item and outcome; surprisals are asked of the models anew.
CREATE TABLE items (
    digest TEXT PRIMARY KEY,           -- SHA-256 of the parts
    parts BLOB NOT NULL                -- see nonce/table.py
);
ALTER TABLE suite ADD COLUMN items TEXT REFERENCES items (digest);
ALTER TABLE suite ADD COLUMN kinds TEXT NOT NULL DEFAULT '{}';  -- JSON: how many items of each kind
ALTER TABLE suite ADD COLUMN language TEXT NOT NULL DEFAULT '';  -- of the first item
UPDATE suite SET
    kinds = coalesce((SELECT json_group_object(kind, n) FROM (SELECT kind, count(*) AS n FROM item
        WHERE item.suite_id = suite.suite_id GROUP BY kind)), '{}'),
    language = coalesce((SELECT json_extract(record, '$.language') FROM item
        WHERE item.suite_id = suite.suite_id AND position = 0), '');
DROP VIEW original;
DROP TABLE score;
CREATE TABLE score (
    score_id INTEGER PRIMARY KEY,
    model_id INTEGER NOT NULL REFERENCES model ON DELETE CASCADE,
    keys BLOB NOT NULL,                -- 16 bytes a question: hash of unit, prefix, continuation
    answers BLOB NOT NULL              -- of these questions, see scoring/rows.py
);
CREATE INDEX score_of_model ON score (model_id);
ALTER TABLE run ADD COLUMN outcomes BLOB;  -- a frame, see scoring/rows.py
ALTER TABLE run ADD COLUMN n_items INTEGER NOT NULL DEFAULT 0;
UPDATE run SET n_items =
    (SELECT count(DISTINCT item_id) FROM outcome WHERE outcome.run_id = run.run_id);
