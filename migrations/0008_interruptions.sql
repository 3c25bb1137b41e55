-- Runs of a job that began and have not ended. Of a job that is not running, they were interrupted.
ALTER TABLE outbox ADD COLUMN interruptions INTEGER NOT NULL DEFAULT 0;
