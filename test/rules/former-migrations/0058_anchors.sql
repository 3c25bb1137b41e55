-- The anchors of a document, by which it is known whether links lead to one: each between line ends. Empty where its text
-- does not tell them all; null until the sweep of old documents has read it.
ALTER TABLE documents ADD COLUMN anchors TEXT;
CREATE INDEX documents_without_anchors ON documents (hash) WHERE anchors IS NULL;
