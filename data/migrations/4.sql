-- study: JSON, what the study file of the researchers says; empty without one.
ALTER TABLE judgment_set ADD COLUMN study TEXT NOT NULL DEFAULT '{}';
