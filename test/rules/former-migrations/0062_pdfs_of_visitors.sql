-- PDFs that visitors of a site asked for: each is of what one of them is shown, and is none of a member.
ALTER TABLE pdfs ADD COLUMN site TEXT;
-- Tells the visitors apart to whom different things are shown; '' for members.
ALTER TABLE pdfs ADD COLUMN visit TEXT NOT NULL DEFAULT '';
-- Who asked for it, as the token of a visitor tells; gone as soon as it is made.
ALTER TABLE pdfs ADD COLUMN visitor TEXT;
DROP INDEX pdfs_wanted;
CREATE UNIQUE INDEX pdfs_wanted ON pdfs (revision, page, only, title, subtitle, visit) WHERE state <> 'failed';
CREATE INDEX pdfs_of_site ON pdfs (site, visit) WHERE site IS NOT NULL;
