-- The last edits of texts that sites show, in JSON: `[version, pages]` of each, after the version before them.
ALTER TABLE sites ADD COLUMN text_edits TEXT NOT NULL DEFAULT '[]';
