-- What requests gave, for the same request again.
CREATE TABLE request (
    key TEXT PRIMARY KEY,              -- hash over all that the result depends on
    suite_id INTEGER NOT NULL REFERENCES suite ON DELETE CASCADE,  -- that it made, or was about
    result TEXT NOT NULL,              -- JSON: rows, columns, messages and the like
    created TEXT NOT NULL
);
