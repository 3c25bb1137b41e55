-- The scripts of which a PDF shows letters by their numbers, for no font has them: with commas between.
ALTER TABLE pdfs ADD COLUMN missing TEXT NOT NULL DEFAULT '';
