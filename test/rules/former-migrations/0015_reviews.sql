ALTER TABLE change_requests ADD COLUMN description TEXT NOT NULL DEFAULT '';
-- The organization of the space, kept true by a trigger when the space is transferred.
ALTER TABLE change_requests ADD COLUMN organization TEXT NOT NULL DEFAULT '';
-- Moves with every change of the reviews and of the requested reviewers: what follows from them can be guarded by it.
ALTER TABLE change_requests ADD COLUMN stamp INTEGER NOT NULL DEFAULT 0;
-- The seq of the branch's last revision that is an edit: any but those that pull the live content in.
ALTER TABLE change_requests ADD COLUMN edited_seq INTEGER NOT NULL DEFAULT 0;

UPDATE change_requests SET
  organization = COALESCE((SELECT organization FROM spaces WHERE spaces.id = change_requests.space), ''),
  edited_seq = COALESCE((SELECT MAX(seq) FROM revisions WHERE branch = change_requests.id AND type <> 'update'), 0),
  updated_at = MAX(updated_at, COALESCE((SELECT MAX(created_at) FROM revisions WHERE branch = change_requests.id), 0));

CREATE INDEX change_requests_by_update ON change_requests (space, status, updated_at, id);
CREATE INDEX change_requests_of_organization ON change_requests (organization, status, created_at, id);
CREATE INDEX change_requests_of_organization_by_update ON change_requests (organization, status, updated_at, id);
CREATE INDEX change_requests_of_creator ON change_requests (created_by, organization, status, created_at, id);
CREATE INDEX change_requests_of_creator_by_update ON change_requests (created_by, organization, status, updated_at, id);

-- One that a worker of the version before inserts names no organization.
CREATE TRIGGER change_requests_placed AFTER INSERT ON change_requests WHEN new.organization = '' BEGIN
  UPDATE change_requests SET organization = COALESCE((SELECT organization FROM spaces WHERE id = new.space), '')
    WHERE id = new.id;
END;
CREATE TRIGGER change_requests_transferred AFTER UPDATE OF organization ON spaces
WHEN old.organization <> new.organization BEGIN
  UPDATE change_requests SET organization = new.organization WHERE space = new.id;
END;
CREATE TRIGGER change_requests_moved_on AFTER INSERT ON revisions WHEN new.branch <> new.space BEGIN
  UPDATE change_requests SET updated_at = MAX(updated_at, new.created_at),
    edited_seq = CASE WHEN new.type = 'update' THEN edited_seq ELSE new.seq END
  WHERE id = new.branch;
END;

-- Every review is kept. `superseded_at` is when its reviewer reviewed again or was asked again; at most one review of a
-- reviewer has none. `seq` is that of the reviewed revision on the change request's branch, 0 where that was main's.
CREATE TABLE reviews (
  id TEXT PRIMARY KEY NOT NULL,
  space TEXT NOT NULL,
  change_request TEXT NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  revision TEXT NOT NULL,
  seq INTEGER NOT NULL,
  reviewer TEXT NOT NULL,
  requested_by TEXT,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  superseded_at INTEGER
) WITHOUT ROWID;
CREATE INDEX reviews_of_change_request ON reviews (change_request, created_at, id);
CREATE UNIQUE INDEX reviews_in_force ON reviews (change_request, reviewer) WHERE superseded_at IS NULL;
CREATE INDEX reviews_of_space ON reviews (space);

-- Who was asked to review and has not yet. `subject` is a user's or a team's id, as `kind` tells.
CREATE TABLE requested_reviewers (
  change_request TEXT NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  space TEXT NOT NULL,
  organization TEXT NOT NULL,
  revision TEXT NOT NULL,
  requested_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (change_request, kind, subject)
) WITHOUT ROWID;
CREATE INDEX requested_reviewers_in_order ON requested_reviewers (change_request, created_at, subject);
CREATE INDEX requested_reviewers_by_subject ON requested_reviewers (subject, organization, change_request);
CREATE INDEX requested_reviewers_of_space ON requested_reviewers (space);

CREATE TRIGGER reviews_inserted AFTER INSERT ON reviews BEGIN
  UPDATE change_requests SET stamp = stamp + 1 WHERE id = new.change_request;
END;
CREATE TRIGGER reviews_updated AFTER UPDATE OF status, superseded_at ON reviews BEGIN
  UPDATE change_requests SET stamp = stamp + 1 WHERE id = new.change_request;
END;
CREATE TRIGGER requested_reviewers_inserted AFTER INSERT ON requested_reviewers BEGIN
  UPDATE change_requests SET stamp = stamp + 1 WHERE id = new.change_request;
END;
CREATE TRIGGER requested_reviewers_deleted AFTER DELETE ON requested_reviewers BEGIN
  UPDATE change_requests SET stamp = stamp + 1 WHERE id = old.change_request;
END;

-- Who is gone is not asked any more.
CREATE TRIGGER members_no_reviewers AFTER DELETE ON members BEGIN
  DELETE FROM requested_reviewers WHERE subject = old.user AND organization = old.organization;
END;
CREATE TRIGGER teams_no_reviewers AFTER DELETE ON teams BEGIN
  DELETE FROM requested_reviewers WHERE subject = old.id AND organization = old.organization;
END;
CREATE TRIGGER requested_reviewers_transferred AFTER UPDATE OF organization ON spaces
WHEN old.organization <> new.organization BEGIN
  DELETE FROM requested_reviewers WHERE space = new.id AND (kind = 'team'
    OR NOT EXISTS (SELECT 1 FROM members m WHERE m.organization = new.organization AND m.user = subject));
  UPDATE requested_reviewers SET organization = new.organization WHERE space = new.id;
END;
