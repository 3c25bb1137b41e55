-- What one worker's writes do to another's tables is written by them, in packages/db/src/effects.
DROP TRIGGER change_requests_merged;
DROP TRIGGER change_requests_moved_on;
DROP TRIGGER revisions_contributed;
DROP TRIGGER members_no_reviewers;
DROP TRIGGER teams_no_reviewers;

-- No worker inserts a change request without its organization any more.
DROP TRIGGER change_requests_placed;
