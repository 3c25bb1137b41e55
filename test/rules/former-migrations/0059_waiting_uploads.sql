-- What waits to be used is counted without what is over its time, and a blob is kept for every upload that may still be used.
DROP INDEX uploads_waiting;
CREATE INDEX uploads_waiting ON uploads (organization, expires_at, created_by, size) WHERE settled = 0;
DROP INDEX uploads_of_blob;
CREATE INDEX uploads_of_blob ON uploads (blob, expires_at) WHERE blob IS NOT NULL;

-- How often another request has taken an upload over: each has numbers of its own for the parts that it stores, which are
-- kept with them. What was under way begins anew.
ALTER TABLE uploads ADD COLUMN turn INTEGER NOT NULL DEFAULT 0;
UPDATE uploads SET parts = '[]';
UPDATE uploads SET received = 0 WHERE blob IS NULL;

-- Small files that come together, in one request: to which address, and in which order.
ALTER TABLE uploads ADD COLUMN bundle TEXT;
ALTER TABLE uploads ADD COLUMN ordinal INTEGER NOT NULL DEFAULT 0;
CREATE INDEX uploads_of_bundle ON uploads (bundle, ordinal) WHERE bundle IS NOT NULL;
