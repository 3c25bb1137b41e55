-- Change requests with their reviews, and comments. Times are in milliseconds since 1970.

-- Change requests. The status becomes 'merged' in the batch that writes the revision on the space's branch.
CREATE TABLE change_requests (
  id TEXT PRIMARY KEY NOT NULL,
  space TEXT NOT NULL,
  number INTEGER NOT NULL,
  subject TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'draft',
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Revision of the space's branch that the change request started from.
  revision_initial TEXT NOT NULL,
  comments INTEGER NOT NULL DEFAULT 0,
  description TEXT NOT NULL DEFAULT '',
  -- The organization of the space.
  organization TEXT NOT NULL DEFAULT '',
  -- Incremented by triggers when reviews or requested reviewers change; a merge checks it.
  stamp INTEGER NOT NULL DEFAULT 0,
  -- `seq` of the branch's last edit, not counting updates from the live content.
  edited_seq INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE UNIQUE INDEX change_requests_by_number ON change_requests (space, number);
CREATE INDEX change_requests_by_status ON change_requests (space, status, created_at, id);
CREATE INDEX change_requests_by_update ON change_requests (space, status, updated_at, id);
CREATE INDEX change_requests_of_organization ON change_requests (organization, status, created_at, id);
CREATE INDEX change_requests_of_organization_by_update ON change_requests (organization, status, updated_at, id);
CREATE INDEX change_requests_of_creator ON change_requests (created_by, organization, status, created_at, id);
CREATE INDEX change_requests_of_creator_by_update ON change_requests (created_by, organization, status, updated_at, id);
CREATE TRIGGER change_requests_inserted AFTER INSERT ON change_requests BEGIN
  INSERT INTO space_counters (space, change_requests, change_requests_open, change_requests_draft)
  VALUES (new.space, 1, new.status = 'open', new.status = 'draft')
  ON CONFLICT (space) DO UPDATE SET
    change_requests = change_requests + 1,
    change_requests_open = change_requests_open + (new.status = 'open'),
    change_requests_draft = change_requests_draft + (new.status = 'draft');
END;
CREATE TRIGGER change_requests_updated AFTER UPDATE OF status ON change_requests
WHEN old.status <> new.status BEGIN
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
CREATE TRIGGER change_requests_contributed AFTER DELETE ON change_requests BEGIN
  DELETE FROM contributors WHERE branch = old.id;
END;
CREATE TRIGGER change_requests_commented AFTER DELETE ON change_requests BEGIN
  DELETE FROM comments WHERE branch = old.id;
END;

-- Users and teams (`kind` and `subject`) that have been asked to review and have not done so yet.
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
CREATE TRIGGER requested_reviewers_inserted AFTER INSERT ON requested_reviewers BEGIN
  UPDATE change_requests SET stamp = stamp + 1 WHERE id = new.change_request;
END;
CREATE TRIGGER requested_reviewers_deleted AFTER DELETE ON requested_reviewers BEGIN
  UPDATE change_requests SET stamp = stamp + 1 WHERE id = old.change_request;
END;

-- Submitted reviews, at most one of each reviewer without `superseded_at`.
CREATE TABLE reviews (
  id TEXT PRIMARY KEY NOT NULL,
  space TEXT NOT NULL,
  change_request TEXT NOT NULL REFERENCES change_requests (id) ON DELETE CASCADE,
  revision TEXT NOT NULL,
  -- `seq` of the reviewed revision on the change request's branch; 0 for a revision of the live content.
  seq INTEGER NOT NULL,
  reviewer TEXT NOT NULL,
  requested_by TEXT,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Set when the reviewer reviews again or is asked again.
  superseded_at INTEGER
) WITHOUT ROWID;
CREATE INDEX reviews_of_change_request ON reviews (change_request, created_at, id);
CREATE UNIQUE INDEX reviews_in_force ON reviews (change_request, reviewer)
  WHERE superseded_at IS NULL;
CREATE INDEX reviews_of_space ON reviews (space);
CREATE TRIGGER reviews_inserted AFTER INSERT ON reviews BEGIN
  UPDATE change_requests SET stamp = stamp + 1 WHERE id = new.change_request;
END;
CREATE TRIGGER reviews_updated AFTER UPDATE OF status, superseded_at ON reviews BEGIN
  UPDATE change_requests SET stamp = stamp + 1 WHERE id = new.change_request;
END;

-- Users who edited a change request, or commented on a branch. Comments are counted by triggers.
CREATE TABLE contributors (
  branch TEXT NOT NULL,
  action TEXT NOT NULL,
  user TEXT NOT NULL,
  space TEXT NOT NULL,
  count INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (branch, action, user)
) WITHOUT ROWID;
CREATE INDEX contributors_by_user ON contributors (user, space, branch);

-- Counters of a space, maintained by triggers so that they stay exact under concurrent writes.
CREATE TABLE space_counters (
  space TEXT PRIMARY KEY NOT NULL,
  comments INTEGER NOT NULL DEFAULT 0,
  change_requests INTEGER NOT NULL DEFAULT 0,
  change_requests_open INTEGER NOT NULL DEFAULT 0,
  change_requests_draft INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- Comments on a branch, which is a space's live content or a change request.
CREATE TABLE comments (
  id TEXT PRIMARY KEY NOT NULL,
  space TEXT NOT NULL,
  branch TEXT NOT NULL,
  -- The target of the comment when it was posted.
  page TEXT,
  node TEXT,
  document TEXT,
  about TEXT,
  review TEXT,
  revision TEXT NOT NULL,
  author TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  edited_at INTEGER,
  resolved_at INTEGER,
  resolved_by TEXT,
  replies INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX comments_by_time ON comments (branch, created_at, id);
CREATE INDEX comments_open ON comments (branch, created_at, id) WHERE resolved_at IS NULL;
CREATE INDEX comments_resolved ON comments (branch, created_at, id) WHERE resolved_at IS NOT NULL;
CREATE INDEX comments_by_page ON comments (branch, page, created_at, id) WHERE page IS NOT NULL;
CREATE INDEX comments_by_author ON comments (branch, author, created_at, id);
CREATE INDEX comments_by_space ON comments (space);
CREATE UNIQUE INDEX comments_by_review ON comments (review) WHERE review IS NOT NULL;
CREATE TRIGGER comments_posted AFTER INSERT ON comments BEGIN
  INSERT INTO space_counters (space, comments)
    SELECT new.space, 1 WHERE new.branch = new.space AND new.resolved_at IS NULL
  ON CONFLICT (space) DO UPDATE SET comments = comments + 1;
  UPDATE change_requests SET comments = comments + 1
    WHERE id = new.branch AND new.branch <> new.space AND new.resolved_at IS NULL;
  INSERT INTO contributors (branch, action, user, space, count, updated_at)
  VALUES (new.branch, 'comment', new.author, new.space, 1, new.created_at)
  ON CONFLICT (branch, action, user) DO UPDATE SET count = count + 1, updated_at = MAX(updated_at, new.created_at);
END;
CREATE TRIGGER comments_resolution AFTER UPDATE OF resolved_at ON comments
WHEN (old.resolved_at IS NULL) <> (new.resolved_at IS NULL) BEGIN
  UPDATE space_counters SET comments = comments + (CASE WHEN new.resolved_at IS NULL THEN 1 ELSE -1 END)
    WHERE space = new.branch;
  UPDATE change_requests SET comments = comments + (CASE WHEN new.resolved_at IS NULL THEN 1 ELSE -1 END)
    WHERE id = new.branch;
END;
CREATE TRIGGER comments_deleted AFTER DELETE ON comments BEGIN
  DELETE FROM comment_replies WHERE comment = old.id;
  DELETE FROM reactions WHERE object = old.id;
  UPDATE space_counters SET comments = comments - 1 WHERE space = old.branch AND old.resolved_at IS NULL;
  UPDATE change_requests SET comments = comments - 1 WHERE id = old.branch AND old.resolved_at IS NULL;
  UPDATE contributors SET count = count - 1 WHERE branch = old.branch AND action = 'comment' AND user = old.author;
  DELETE FROM contributors WHERE branch = old.branch AND action = 'comment' AND user = old.author AND count <= 0;
END;

-- Replies to comments.
CREATE TABLE comment_replies (
  id TEXT PRIMARY KEY NOT NULL,
  comment TEXT NOT NULL,
  space TEXT NOT NULL,
  branch TEXT NOT NULL,
  author TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  edited_at INTEGER
);
CREATE INDEX comment_replies_by_time ON comment_replies (comment, created_at, id);
CREATE INDEX comment_replies_by_space ON comment_replies (space);
CREATE TRIGGER comment_replies_posted AFTER INSERT ON comment_replies BEGIN
  UPDATE comments SET replies = replies + 1 WHERE id = new.comment;
  INSERT INTO contributors (branch, action, user, space, count, updated_at)
  VALUES (new.branch, 'comment', new.author, new.space, 1, new.created_at)
  ON CONFLICT (branch, action, user) DO UPDATE SET count = count + 1, updated_at = MAX(updated_at, new.created_at);
END;
CREATE TRIGGER comment_replies_deleted AFTER DELETE ON comment_replies BEGIN
  DELETE FROM reactions WHERE object = old.id;
  UPDATE comments SET replies = replies - 1 WHERE id = old.comment;
  UPDATE contributors SET count = count - 1 WHERE branch = old.branch AND action = 'comment' AND user = old.author;
  DELETE FROM contributors WHERE branch = old.branch AND action = 'comment' AND user = old.author AND count <= 0;
END;

-- Emoji reactions to a comment or a reply (`object`).
CREATE TABLE reactions (
  object TEXT NOT NULL,
  emoji TEXT NOT NULL,
  user TEXT NOT NULL,
  space TEXT NOT NULL,
  reacted_at INTEGER NOT NULL,
  PRIMARY KEY (object, emoji, user)
) WITHOUT ROWID;
CREATE INDEX reactions_by_time ON reactions (object, emoji, reacted_at, user);
CREATE INDEX reactions_by_space ON reactions (space);
CREATE TRIGGER reactions_added AFTER INSERT ON reactions BEGIN
  INSERT INTO reaction_counts (object, emoji, count, first_at) VALUES (new.object, new.emoji, 1, new.reacted_at)
  ON CONFLICT (object, emoji) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER reactions_removed AFTER DELETE ON reactions BEGIN
  UPDATE reaction_counts SET count = count - 1 WHERE object = old.object AND emoji = old.emoji;
  DELETE FROM reaction_counts WHERE object = old.object AND emoji = old.emoji AND count <= 0;
END;

-- Number of reactions of each emoji, maintained by triggers.
CREATE TABLE reaction_counts (
  object TEXT NOT NULL,
  emoji TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at INTEGER NOT NULL,
  PRIMARY KEY (object, emoji)
) WITHOUT ROWID;
