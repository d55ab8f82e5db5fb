-- Named for what it is: the rate over targets whose form has one value alone.
ALTER TABLE construction RENAME COLUMN rate_telling TO rate_unambiguous;
