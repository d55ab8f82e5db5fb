CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE session (
  session TEXT PRIMARY KEY,
  participant TEXT NOT NULL UNIQUE,
  platform TEXT NOT NULL,
  request BLOB NOT NULL UNIQUE,
  token BLOB NOT NULL UNIQUE,
  list INTEGER NOT NULL,
  test_run INTEGER NOT NULL,
  consent TEXT NOT NULL,
  language TEXT NOT NULL,
  device TEXT NOT NULL,
  browser TEXT NOT NULL,
  screen TEXT NOT NULL,
  started_at TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  finished_at TEXT NOT NULL DEFAULT '',
  native TEXT NOT NULL DEFAULT '',
  help TEXT NOT NULL DEFAULT '',
  n_blurs INTEGER
) WITHOUT ROWID;
CREATE TABLE answer (
  session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
  trial TEXT NOT NULL,
  record TEXT NOT NULL,
  content TEXT NOT NULL,
  received_at TEXT NOT NULL,
  PRIMARY KEY (session, trial)
) WITHOUT ROWID;
CREATE TABLE audit (
  session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
  trial TEXT NOT NULL,
  record TEXT NOT NULL,
  content TEXT NOT NULL,
  received_at TEXT NOT NULL,
  PRIMARY KEY (session, trial, record, content)
) WITHOUT ROWID;
