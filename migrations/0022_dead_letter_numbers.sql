-- The number of a dead letter, in the order in which they were received, so that the last ones are found without counting.
-- Null for letters of the previous release, which are deleted by age.
ALTER TABLE dead_letters ADD COLUMN number INTEGER;
CREATE INDEX dead_letters_by_number ON dead_letters (number);
