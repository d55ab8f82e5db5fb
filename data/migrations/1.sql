CREATE TABLE clock (reading INTEGER NOT NULL);  -- counts requests: what is newest, without a time
INSERT INTO clock VALUES (0);
CREATE TABLE treebank (
    treebank_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,          -- hash over everything the mining depends on
    name TEXT NOT NULL, language TEXT NOT NULL, licence TEXT NOT NULL,
    files TEXT NOT NULL,               -- JSON: absolute paths, in the order read
    vocabulary TEXT NOT NULL,          -- path, or empty
    rule TEXT NOT NULL, feature TEXT NOT NULL, repair TEXT NOT NULL, ghosts INTEGER NOT NULL,
    stages TEXT NOT NULL,              -- JSON: how many arcs reached each stage
    skipped TEXT NOT NULL,             -- JSON: faults of the sentences left out
    digests TEXT NOT NULL,             -- JSON: SHA-256 of each file
    used INTEGER NOT NULL,             -- reading of the clock when it was asked for last
    created TEXT NOT NULL
);
CREATE TABLE construction (
    treebank_id INTEGER NOT NULL REFERENCES treebank ON DELETE CASCADE,
    position INTEGER NOT NULL,
    treebank TEXT NOT NULL, rule TEXT NOT NULL, construction TEXT NOT NULL, feature TEXT NOT NULL,
    "values" TEXT NOT NULL, n INTEGER NOT NULL, n_agree INTEGER NOT NULL,
    n_by_value TEXT NOT NULL, n_originals INTEGER NOT NULL, rate REAL, expected REAL,
    p REAL, q REAL, low REAL, high REAL, verdict TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (treebank_id, position)
);
CREATE TABLE rejection (
    treebank_id INTEGER NOT NULL REFERENCES treebank ON DELETE CASCADE,
    position INTEGER NOT NULL,
    treebank TEXT NOT NULL, sent_id TEXT NOT NULL, cue_index INTEGER NOT NULL,
    target_index INTEGER NOT NULL, construction TEXT NOT NULL, reason TEXT NOT NULL,
    PRIMARY KEY (treebank_id, position)
);
CREATE TABLE suite (
    suite_id INTEGER PRIMARY KEY,
    content TEXT NOT NULL UNIQUE,      -- mining, name, and a hash of items and predictions
    name TEXT NOT NULL, kind TEXT NOT NULL,  -- originals, nonce, imported, template
    metric TEXT NOT NULL, predictions TEXT NOT NULL, meta TEXT NOT NULL,  -- JSON
    treebank_id INTEGER REFERENCES treebank ON DELETE SET NULL,
    used INTEGER NOT NULL, created TEXT NOT NULL
);
CREATE TABLE item (
    suite_id INTEGER NOT NULL REFERENCES suite ON DELETE CASCADE,
    position INTEGER NOT NULL,
    item_id TEXT NOT NULL, kind TEXT NOT NULL, cluster_id TEXT NOT NULL,
    record TEXT NOT NULL,              -- JSON: the item as in its JSONL file
    PRIMARY KEY (suite_id, position)
);
CREATE UNIQUE INDEX item_in_suite ON item (suite_id, item_id);
CREATE VIEW original AS
    SELECT suite.treebank_id, item.* FROM item JOIN suite USING (suite_id)
    WHERE suite.kind = 'originals';
CREATE TABLE model (
    model_id INTEGER PRIMARY KEY,
    signature TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL, spec TEXT NOT NULL, "group" TEXT NOT NULL, device TEXT NOT NULL,
    about TEXT NOT NULL                -- JSON: model.json of a trained one
);
CREATE TABLE trained (
    trained_id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,         -- absolute path of a model folder
    kind TEXT NOT NULL, name TEXT NOT NULL,
    treebank_id INTEGER REFERENCES treebank ON DELETE SET NULL,
    created TEXT NOT NULL
);
CREATE TABLE run (
    run_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,          -- hash of signature, suite content and scoring options
    model_id INTEGER NOT NULL REFERENCES model ON DELETE CASCADE,
    suite_id INTEGER NOT NULL REFERENCES suite ON DELETE CASCADE,
    method TEXT NOT NULL, options TEXT NOT NULL,  -- JSON
    exposed INTEGER,                   -- items whose sentence was in the training text, if known
    finished INTEGER NOT NULL, used INTEGER NOT NULL, created TEXT NOT NULL
);
CREATE TABLE score (
    model_id INTEGER NOT NULL REFERENCES model ON DELETE CASCADE,
    query TEXT NOT NULL,               -- hash of unit, prefix and continuation
    surprisals TEXT NOT NULL,          -- JSON: bits, spans, oov, prefix_oov
    PRIMARY KEY (model_id, query)
) WITHOUT ROWID;
CREATE TABLE outcome (
    run_id INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    item_id TEXT NOT NULL, prediction TEXT NOT NULL,
    credit REAL, margin_bits REAL, tie INTEGER NOT NULL, oov INTEGER NOT NULL, note TEXT NOT NULL,
    PRIMARY KEY (run_id, item_id, prediction)
) WITHOUT ROWID;
CREATE TABLE judgment_set (
    judgment_set_id INTEGER PRIMARY KEY,
    content TEXT NOT NULL UNIQUE,      -- hash of what was imported
    name TEXT NOT NULL, suite_id INTEGER REFERENCES suite ON DELETE SET NULL,
    simulated INTEGER NOT NULL, summary TEXT NOT NULL,
    used INTEGER NOT NULL, created TEXT NOT NULL
);
CREATE TABLE judgment (
    judgment_set_id INTEGER NOT NULL REFERENCES judgment_set ON DELETE CASCADE,
    record TEXT NOT NULL               -- JSON: one judgment
);
CREATE TABLE tally (
    judgment_set_id INTEGER NOT NULL REFERENCES judgment_set ON DELETE CASCADE,
    record TEXT NOT NULL               -- JSON: one tally
);
