-- What stands behind a verdict on a construction.
ALTER TABLE construction ADD COLUMN bound REAL;
ALTER TABLE construction ADD COLUMN design_effect REAL;
ALTER TABLE construction ADD COLUMN n_informative INTEGER;
ALTER TABLE construction ADD COLUMN n_other INTEGER;
ALTER TABLE construction ADD COLUMN n_other_agree INTEGER;
ALTER TABLE construction ADD COLUMN rate_telling REAL;
ALTER TABLE construction ADD COLUMN rate_pairs REAL;
ALTER TABLE construction ADD COLUMN judged_on TEXT;
