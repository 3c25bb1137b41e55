import type { DatabaseSync } from 'node:sqlite';

/**
 * Organization `a` has two members and a team of both, organization `b` only the first member. Space `one` is in a
 * collection, `two` in a nested collection, and `old` and `purged` are in the trash. Both members and the team have
 * grants on each space.
 */
export const world = `
  INSERT INTO organizations (id, title, created_at) VALUES ('a', 'A', 1), ('b', 'B', 1);
  INSERT INTO users (id, email, display_name, created_at) VALUES ('usr_1', '1@x', '1', 1), ('usr_2', '2@x', '2', 1);
  INSERT INTO members (organization, user, role, joined_at) VALUES ('a', 'usr_1', 'read', 1), ('a', 'usr_2', 'read', 1), ('b', 'usr_1', 'admin', 1);
  INSERT INTO teams (id, organization, title, created_at) VALUES ('team_1', 'a', 'T', 1);
  INSERT INTO collections (id, organization, parent, title, created_by, created_at, deleted_at) VALUES
    ('col_1', 'a', NULL, 'C', '', 1, NULL), ('col_2', 'a', 'col_1', 'C', '', 1, NULL), ('col_3', 'a', NULL, 'C', '', 1, 1);
  INSERT INTO spaces (id, organization, parent, title, emoji, created_by, created_at, updated_at) VALUES
    ('spc_one', 'a', 'col_1', '', '', '', 1, 1), ('spc_two', 'a', 'col_2', '', '', '', 1, 1),
    ('spc_old', 'a', NULL, '', '', '', 1, 1), ('spc_purged', 'a', NULL, '', '', '', 1, 1);
  UPDATE spaces SET deleted_at = 1 WHERE id IN ('spc_old', 'spc_purged');
  UPDATE spaces SET purging_at = 1 WHERE id = 'spc_purged';
  INSERT INTO grants (object, subject, organization, role)
    SELECT s.id, g.value, 'a', 'edit' FROM spaces s, json_each('["usr_1","usr_2","team_1"]') g;
  UPDATE grants SET role = NULL WHERE object = 'spc_one' AND subject = 'usr_2';
  INSERT INTO grants (object, subject, organization, role) SELECT id, 'usr_1', 'a', 'read' FROM collections;
  INSERT INTO invites (id, organization, object, role, created_by, created_at)
    SELECT 'inv_' || id, 'a', id, 'read', '', 1 FROM (SELECT id FROM spaces UNION ALL SELECT id FROM collections);
  INSERT INTO change_requests (id, space, organization, number, subject, status, created_by, created_at, updated_at, revision_initial)
    SELECT 'cr_' || id, id, 'a', 1, '', 'open', '', 1, 50, '' FROM spaces;
  INSERT INTO requested_reviewers (change_request, kind, subject, space, organization, revision, requested_by, created_at)
    SELECT c.id, CASE q.value WHEN 'team_1' THEN 'team' ELSE 'user' END, q.value, c.space, 'a', '', '', 1
    FROM change_requests c, json_each('["usr_1","usr_2","team_1"]') q WHERE c.space IN ('spc_one', 'spc_two');
  INSERT INTO comments (id, space, branch, revision, author, body, created_at)
    SELECT 'com_' || b.value, s.id, b.value, '', 'usr_1', '', 1 FROM spaces s, json_each(json_array(s.id, 'cr_' || s.id)) b;
  INSERT INTO comment_replies (id, comment, space, branch, author, body, created_at)
    SELECT 'rep_' || branch, id, space, branch, 'usr_2', '', 1 FROM comments;
  INSERT INTO reactions (object, emoji, user, space, reacted_at)
    SELECT id, 'x', 'usr_1', space, 1 FROM comments UNION ALL SELECT id, 'x', 'usr_1', space, 1 FROM comment_replies;
  INSERT INTO search_sources (space, source, organization, place, spec) SELECT id, 'pg_1', 'a', '', 'library' FROM spaces;
  INSERT INTO lineage_sources (source, space, seq) VALUES
    ('spc_one', 'spc_two', 1), ('spc_purged', 'spc_two', 1), ('spc_purged', 'spc_two', 2), ('spc_gone', 'spc_two', 3);
  INSERT INTO space_installations (installation, space, integration, organization, status, configuration, created_at, updated_at)
    SELECT value->>0, value->>1, 'checker', 'a', value->>2, '', 1, 1 FROM json_each('[["ins_1","spc_one","active"],
      ["ins_2","spc_one","pending"],["ins_1","spc_two","active"],["ins_2","spc_two","pending"],["ins_1","spc_purged","active"]]');`;

const looks = {
  spaces: "id || ' ' || organization || COALESCE(' ' || deleted_at, '') AS row FROM spaces",
  collections: "id || ' ' || organization AS row FROM collections",
  grants: "object || ' ' || subject AS row FROM grants",
  invites: 'object AS row FROM invites',
  counts:
    "organization || ' ' || user || ' ' || spaces AS row FROM members UNION ALL SELECT id || ' ' || spaces FROM teams",
  changeRequests:
    "id || ' ' || organization || ' ' || status || ' ' || updated_at || ' ' || edited_seq AS row FROM change_requests",
  asked: "change_request || ' ' || subject || ' ' || organization AS row FROM requested_reviewers",
  contributors: "branch || ' ' || user || ' ' || action || ' ' || count AS row FROM contributors",
  discussed: 'id AS row FROM comments UNION ALL SELECT id FROM comment_replies UNION ALL SELECT object FROM reactions',
  counters: "space || ' ' || change_requests_open || ' ' || comments AS row FROM space_counters",
  searched: "space || ' ' || organization AS row FROM search_sources",
  installed: "installation || ' ' || space AS row FROM space_installations",
  told: `type || ' ' || organization || ' ' || space || ' ' || (data->>'installation') || ' ' || (data->>'status') AS row
    FROM outbox WHERE type = 'space_installation.deleted' AND data->>'integration' = 'checker' AND actor = 'usr_1'`,
  lineages: "source || ' ' || seq AS row FROM lineage_sources",
};

/** Returns all rows that effects may change, each as a short text. */
export const snapshotTables = (database: DatabaseSync): string[] =>
  Object.entries(looks).flatMap(([name, of]) =>
    database
      .prepare(`SELECT ${of}`)
      .all()
      .map(({ row }) => `${name}: ${row}`),
  );
