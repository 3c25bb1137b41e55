-- What one worker's writes do to another's tables is written by them, in packages/db/src/effects.
DROP TRIGGER change_requests_merged;
DROP TRIGGER change_requests_moved_on;
DROP TRIGGER revisions_contributed;
DROP TRIGGER members_no_reviewers;
DROP TRIGGER teams_no_reviewers;

-- No worker inserts a change request without its organization any more.
DROP TRIGGER change_requests_placed;

DROP TRIGGER spaces_trashed;
DROP TRIGGER spaces_transferred;
DROP TRIGGER change_requests_transferred;
DROP TRIGGER requested_reviewers_transferred;
DROP TRIGGER collections_transferred;
DROP TRIGGER spaces_purging;
DROP TRIGGER spaces_purged;
DROP TRIGGER spaces_purged_counters;
DROP TRIGGER collections_purged;
DROP TRIGGER lineage_sources_freed;

-- A space that was trashed or restored by a worker of this version before its trigger was gone was counted twice.
UPDATE teams SET spaces = (SELECT COUNT(*) FROM grants g WHERE g.subject = teams.id AND g.role IS NOT NULL
  AND g.object LIKE 'spc%' AND NOT EXISTS (SELECT 1 FROM spaces s WHERE s.id = g.object AND s.deleted_at IS NOT NULL));
UPDATE members SET spaces = (SELECT COUNT(*) FROM grants g
  WHERE g.subject = members.user AND g.organization = members.organization AND g.role IS NOT NULL
  AND g.object LIKE 'spc%' AND NOT EXISTS (SELECT 1 FROM spaces s WHERE s.id = g.object AND s.deleted_at IS NOT NULL));
