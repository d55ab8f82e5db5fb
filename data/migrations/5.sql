-- Items in columns, once by content; surprisals and outcomes as compact arrays. Suites and runs of
-- before keep their rows of item and outcome; surprisals are asked of the models anew.
CREATE TABLE items (
    digest TEXT PRIMARY KEY,           -- SHA-256 of the parts
    parts BLOB NOT NULL                -- see nonce/table.py
);
ALTER TABLE suite ADD COLUMN items TEXT REFERENCES items (digest);
DROP VIEW original;
DROP TABLE score;
CREATE TABLE score (
    model_id INTEGER NOT NULL REFERENCES model ON DELETE CASCADE,
    query BLOB NOT NULL,               -- 16 bytes: hash of unit, prefix and continuation
    answer BLOB NOT NULL,              -- see scoring/rows.py
    PRIMARY KEY (model_id, query)
) WITHOUT ROWID;
ALTER TABLE run ADD COLUMN outcomes BLOB;  -- a frame, see scoring/rows.py
