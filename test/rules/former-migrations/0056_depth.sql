-- How many runs of scripts led to something, each in answer to an event that the one before it caused: it goes from the
-- event to the tokens of the run, and from these to what is written by them.
ALTER TABLE outbox ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integration_tasks ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
