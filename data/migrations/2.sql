-- request: JSON, every option of a mining; parsed_by: the parser of the text, empty where people
-- annotated it. What `ghosts` said stands in the request.
ALTER TABLE treebank ADD COLUMN request TEXT NOT NULL DEFAULT '{}';
ALTER TABLE treebank ADD COLUMN parsed_by TEXT NOT NULL DEFAULT '';
ALTER TABLE treebank DROP COLUMN ghosts;
