CREATE TABLE change_requests (
  id TEXT PRIMARY KEY NOT NULL,
  space TEXT NOT NULL,
  number INTEGER NOT NULL,
  subject TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'draft',
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision_initial TEXT NOT NULL,
  comments INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE UNIQUE INDEX change_requests_by_number ON change_requests (space, number);
CREATE INDEX change_requests_by_status ON change_requests (space, status, created_at, id);

-- Counters of a space, kept by the triggers below so that they are exact under any concurrency.
CREATE TABLE space_counters (
  space TEXT PRIMARY KEY NOT NULL,
  comments INTEGER NOT NULL DEFAULT 0,
  change_requests INTEGER NOT NULL DEFAULT 0,
  change_requests_open INTEGER NOT NULL DEFAULT 0,
  change_requests_draft INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TRIGGER change_requests_inserted AFTER INSERT ON change_requests BEGIN
  INSERT INTO space_counters (space, change_requests, change_requests_open, change_requests_draft)
  VALUES (new.space, 1, new.status = 'open', new.status = 'draft')
  ON CONFLICT (space) DO UPDATE SET
    change_requests = change_requests + 1,
    change_requests_open = change_requests_open + (new.status = 'open'),
    change_requests_draft = change_requests_draft + (new.status = 'draft');
END;

CREATE TRIGGER change_requests_updated AFTER UPDATE OF status ON change_requests WHEN old.status <> new.status BEGIN
  UPDATE space_counters SET
    change_requests_open = change_requests_open + (new.status = 'open') - (old.status = 'open'),
    change_requests_draft = change_requests_draft + (new.status = 'draft') - (old.status = 'draft')
  WHERE space = new.space;
END;

CREATE TRIGGER change_requests_deleted AFTER DELETE ON change_requests BEGIN
  UPDATE space_counters SET
    change_requests = change_requests - 1,
    change_requests_open = change_requests_open - (old.status = 'open'),
    change_requests_draft = change_requests_draft - (old.status = 'draft')
  WHERE space = old.space;
END;

-- A change request is merged in the very batch that writes its revision on main: there is no half-merged state.
CREATE TRIGGER change_requests_merged AFTER INSERT ON revisions WHEN new.change_request IS NOT NULL BEGIN
  UPDATE change_requests SET status = 'merged', updated_at = new.created_at WHERE id = new.change_request;
END;
