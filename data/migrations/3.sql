-- judgment and tally hold what counts; what rules left out stands in left_out, and why in exclusion.
-- post_hoc: 1 where the rules are not those of the suite's first import; format and files say what
-- was read. From here on content of a judgment_set is a hash of the answers, whatever the rules.
ALTER TABLE judgment_set ADD COLUMN rules TEXT NOT NULL DEFAULT '{}';
ALTER TABLE judgment_set ADD COLUMN rules_digest TEXT NOT NULL DEFAULT '';
ALTER TABLE judgment_set ADD COLUMN post_hoc INTEGER NOT NULL DEFAULT 0;
ALTER TABLE judgment_set ADD COLUMN format TEXT NOT NULL DEFAULT '';
ALTER TABLE judgment_set ADD COLUMN files TEXT NOT NULL DEFAULT '[]';  -- JSON: [name, SHA-256]
CREATE TABLE left_out (
    judgment_set_id INTEGER NOT NULL REFERENCES judgment_set ON DELETE CASCADE,
    record TEXT NOT NULL               -- JSON: one judgment
);
CREATE TABLE exclusion (
    judgment_set_id INTEGER NOT NULL REFERENCES judgment_set ON DELETE CASCADE,
    undefined INTEGER NOT NULL,        -- 1: the rule had nothing to look at, and left nobody out
    record TEXT NOT NULL               -- JSON: who or what, the rule, value, threshold, trials
);
CREATE TABLE reading (
    judgment_set_id INTEGER NOT NULL REFERENCES judgment_set ON DELETE CASCADE,
    record TEXT NOT NULL               -- JSON: one word that was read
);
CREATE TABLE participant (
    judgment_set_id INTEGER NOT NULL REFERENCES judgment_set ON DELETE CASCADE,
    participant TEXT NOT NULL,         -- pseudonym
    record TEXT NOT NULL               -- JSON: one session
);
