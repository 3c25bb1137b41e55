-- What the web application lists besides content: the trash, comments of an organization, notifications, and recent and
-- favourite spaces and pages.

CREATE INDEX spaces_in_trash ON spaces (organization, deleted_at, id)
  WHERE deleted_at IS NOT NULL AND purging_at IS NULL;

-- Deleted pages and files. 9007199254740991 is the `until` of a current version.
CREATE INDEX versions_in_trash ON versions (branch, since, id)
  WHERE deleted = 1 AND until = 9007199254740991 AND kind IN ('page', 'file');

-- The organization of the space of a comment. Compatible: '' is the default, and a trigger sets it for comments of the
-- previous release too. After a transfer by that release, lists of organizations omit the comments of the space.
ALTER TABLE comments ADD COLUMN organization TEXT NOT NULL DEFAULT '';
-- Compatible: it only writes the new column.
UPDATE comments SET organization = COALESCE((SELECT organization FROM spaces WHERE id = comments.space), '');
CREATE INDEX comments_of_organization ON comments (organization, (resolved_at IS NULL), created_at, id);
-- Compatible: it only writes the new column.
CREATE TRIGGER comments_placed AFTER INSERT ON comments WHEN new.organization = '' BEGIN
  UPDATE comments SET organization = COALESCE((SELECT organization FROM spaces WHERE id = new.space), '')
  WHERE id = new.id;
END;

-- Notifications of users. The id is the same for all users who are notified of one event, and sorts by time.
CREATE TABLE notifications (
  user TEXT NOT NULL,
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  organization TEXT NOT NULL,
  space TEXT NOT NULL,
  change_request TEXT,
  comment TEXT,
  reply TEXT,
  -- The user who caused it.
  actor TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  read_at INTEGER,
  -- The time from which it is sent by mail. Null if it is not, or was sent.
  mail_at INTEGER,
  PRIMARY KEY (user, id)
) WITHOUT ROWID;
CREATE INDEX notifications_unread ON notifications (user, id) WHERE read_at IS NULL;
CREATE INDEX notifications_by_time ON notifications (created_at);
CREATE INDEX notifications_to_mail ON notifications (mail_at) WHERE mail_at IS NOT NULL;

-- How a user is notified of each kind: in the app, also by mail, by a daily mail, or not at all. Kinds without a row
-- have their default.
CREATE TABLE notification_preferences (
  user TEXT NOT NULL,
  kind TEXT NOT NULL,
  delivery TEXT NOT NULL,
  PRIMARY KEY (user, kind)
) WITHOUT ROWID;

-- The last mail with notifications to each user.
CREATE TABLE notification_mails (
  user TEXT PRIMARY KEY NOT NULL,
  sent_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Favorite spaces and pages of users, in their order. `page` is '' for a space.
CREATE TABLE favorites (
  id TEXT PRIMARY KEY NOT NULL,
  user TEXT NOT NULL,
  space TEXT NOT NULL,
  page TEXT NOT NULL DEFAULT '',
  position INTEGER NOT NULL
) WITHOUT ROWID;
CREATE UNIQUE INDEX favorites_of_user ON favorites (user, space, page);

-- The spaces and pages that a user opened last, at most 100. `page` is '' for a space.
CREATE TABLE recents (
  user TEXT NOT NULL,
  space TEXT NOT NULL,
  page TEXT NOT NULL DEFAULT '',
  opened_at INTEGER NOT NULL,
  PRIMARY KEY (user, space, page)
) WITHOUT ROWID;
