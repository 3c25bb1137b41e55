import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { faultsIn } from '../support/faults.ts';

const folder = path.resolve(import.meta.dirname, '../../migrations');
const migrations = readdirSync(folder).toSorted();

/** What the first release shipped with: its databases are upgraded by the files after it. */
const shipped = '0003_collaboration.sql';

const opened: DatabaseSync[] = [];

/** The last migration that was run on each. */
const reached = new Map<DatabaseSync, string>();

afterEach(async () => {
  for (const database of opened.splice(0)) {
    for (const name of migrations.filter((each) => each > (reached.get(database) ?? ''))) run(database, name);
    expect(await faultsIn(database)).toEqual([]);
  }
});

/** What stands in it at the end of the test has to be sound: reading trusts what migrations leave. */
function databaseAt(last: string): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  opened.push(database);
  for (const name of migrations.filter((each) => each <= last)) run(database, name);
  return database;
}

function run(database: DatabaseSync, name: string): void {
  database.exec(readFileSync(path.join(folder, name), 'utf8'));
  reached.set(database, name);
}

const upgrade = (database: DatabaseSync) => {
  for (const name of migrations.filter((each) => each > shipped)) run(database, name);
};

test('the search index of an installed database knows the organizations after an upgrade, and every word still', () => {
  const database = databaseAt(shipped);
  const space = database.prepare(
    "INSERT INTO spaces (id, organization, title, emoji, created_by, created_at, updated_at) VALUES (?, ?, 'A', '', 'usr_a', 1, 1)",
  );
  const section = database.prepare(
    "INSERT INTO search_sections (space, page, ordinal, anchor, title, heading, body) VALUES (?, 'pg_a', 0, '', 'Title', '', ?)",
  );
  space.run('spc_one', 'org_first');
  space.run('spc_two', 'org_second');
  section.run('spc_one', 'a walrus');
  section.run('spc_two', 'a walrus');
  section.run('spc_purged', 'a walrus');
  const found = (expression: string) =>
    database.prepare('SELECT rowid AS id FROM search_index WHERE search_index MATCH ? ORDER BY 1').all(expression);
  const isWhole = () => database.exec("INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)");

  upgrade(database);

  expect(found('scope : "first" AND body : walrus')).toEqual([{ id: 1 }]);
  expect(found('scope : "second" AND body : walrus')).toEqual([{ id: 2 }]);
  expect(found('scope : "one" AND body : walrus')).toEqual([{ id: 1 }]);
  expect(found('scope : "purged" AND body : walrus')).toEqual([{ id: 3 }]);
  isWhole();
  database.exec("UPDATE spaces SET organization = 'org_second' WHERE id = 'spc_one'");
  expect(found('scope : "first"')).toEqual([]);
  expect(found('scope : "second"')).toEqual([{ id: 1 }, { id: 2 }]);
  database.exec("DELETE FROM search_sections WHERE space = 'spc_one'");
  expect(found('walrus')).toEqual([{ id: 2 }, { id: 3 }]);
  isWhole();
});

test('what was indexed before searches were bounded is found after an upgrade, and indexed anew by a job', () => {
  const database = databaseAt('0018_activity.sql');
  const section = database.prepare(
    "INSERT INTO search_sections (space, page, ordinal, anchor, title, heading, body) VALUES ('spc_a', 'pg_a', ?, '', ?, ?, ?)",
  );
  section.run(0, 'Walrus', '', 'a text');
  section.run(1, '', 'Heading', 'a walrus');
  const found = (index: string, words: string) =>
    database.prepare(`SELECT rowid AS id FROM ${index} WHERE ${index} MATCH ? ORDER BY 1`).all(words);
  const indexes = ['search_index', 'search_index_titles', 'search_index_headings'];

  run(database, '0019_bounded_search.sql');

  expect(found('search_index', 'scope : a AND walr *')).toEqual([{ id: 1 }, { id: 2 }]);
  expect(found('search_index_titles', 'scope : a AND walrus')).toEqual([{ id: 1 }]);
  expect(found('search_index_headings', 'scope : a AND heading')).toEqual([{ id: 2 }]);
  expect(database.prepare('SELECT type, data FROM outbox').all()).toEqual([{ type: 'index_spaces', data: '{}' }]);
  database.exec("UPDATE search_sections SET organization = 'org_b'; DELETE FROM search_sections WHERE id = 1");
  for (const index of indexes) {
    expect([index, found(index, 'scope : b')]).toEqual([index, index === 'search_index_titles' ? [] : [{ id: 2 }]]);
    database.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('integrity-check', 1)`);
  }
});

test('content from before made pages and names are searched is indexed anew by one job, be it computed pages alone', () => {
  const section =
    "INSERT INTO search_sections (id, space, page, ordinal, anchor, title, heading, body) VALUES (1, 'spc_a', 'pg_a', 0, '', 'A', '', '')";
  const computed = `INSERT INTO versions (branch, kind, id, since, until, parent, slug, position, deleted, data)
    VALUES ('spc_a', 'page', 'pg_a', 1, 9, '', 'a', 'a', 0, '{"fields":{"type":"computed","computed":{"type":"builtin:openapi"}}}')`;
  for (const content of [section, computed, `${section}; ${computed}`]) {
    const database = databaseAt('0031_embeds.sql');
    database.exec(content);

    for (const name of ['0032_search_of_made_pages.sql', '0033_names_out_of_the_index.sql']) run(database, name);

    expect(database.prepare('SELECT type, data FROM outbox').all()).toEqual([{ type: 'index_spaces', data: '{}' }]);
    database.exec('DELETE FROM versions; DELETE FROM search_sections');
  }
});

test('an installation without content is not indexed anew', () => {
  expect(
    databaseAt(migrations.at(-1) ?? '')
      .prepare('SELECT type FROM outbox')
      .all(),
  ).toEqual([]);
});

test('what the first release stored as JSON is sound after an upgrade', async () => {
  const database = databaseAt(shipped);
  const times = { createdAt: 1, updatedAt: 2 };
  const fields = {
    type: 'document',
    title: 'A',
    hidden: true,
    cover: { ref: { kind: 'url', url: 'https://a.example/a.png' }, yPos: 0 },
  };
  database.exec(`INSERT INTO organizations (id, title, created_at, email_domains) VALUES ('org_a', 'A', 1, '["a.example"]');
    INSERT INTO users (id, email, display_name, created_at) VALUES ('usr_a', 'a@a.example', 'A', 1);
    INSERT INTO tokens (id, user, label, hash, scopes, created_at) VALUES ('tok_a', 'usr_a', '', 'x', '["space:read"]', 1);
    INSERT INTO spaces (id, organization, title, emoji, created_by, created_at, updated_at) VALUES ('spc_a', 'org_a', 'A', '', 'usr_a', 1, 1);
    INSERT INTO revisions (id, space, branch, seq, type, parents, lineage, author, created_at)
    VALUES ('rev_a', 'spc_a', 'spc_a', 1, 'edits', '[]', '[["spc_a",1]]', 'usr_a', 1);
    INSERT INTO outbox (id, type, actor, request_id, data, created_at)
    VALUES ('evt_a', 'change_request.merged', 'usr_a', '', '{"changeRequest":"cr_a","revision":"rev_a"}', 1)`);
  const version = database.prepare(
    "INSERT INTO versions (branch, kind, id, since, until, deleted, data) VALUES ('spc_a', ?, ?, 1, 2, ?, ?)",
  );
  version.run('page', 'pg_a', 0, JSON.stringify({ fields, ...times, conflicted: true }));
  version.run('page', 'pg_b', 1, '{}');
  version.run('variable', 'var_a', 0, JSON.stringify({ fields: { name: 'a', value: 'b' }, ...times }));

  upgrade(database);

  database.exec('UPDATE tokens SET scopes = \'["space:eat"]\'');
  expect(await faultsIn(database)).toMatchObject([{ table: 'tokens', key: 'tok_a', path: 'scopes.0' }]);
  database.exec('UPDATE tokens SET scopes = NULL');
});

test('the e-mail domains of an installed database are found after an upgrade', () => {
  const database = databaseAt(shipped);
  database.exec(`INSERT INTO organizations (id, title, created_at, email_domains)
    VALUES ('org_a', 'A', 7, '["a.example","b.example","a.example"]')`);

  upgrade(database);

  expect(database.prepare('SELECT domain, organization, created_at FROM organization_domains').all()).toEqual([
    { domain: 'a.example', organization: 'org_a', created_at: 7 },
    { domain: 'b.example', organization: 'org_a', created_at: 7 },
  ]);
});

test('what members and teams are given is counted anew where it was counted twice, and while it is not in the trash', () => {
  const database = databaseAt('0021_cleaning.sql');
  database.exec(`
    INSERT INTO organizations (id, title, created_at) VALUES ('org_a', 'A', 1);
    INSERT INTO users (id, email, display_name, created_at) VALUES ('usr_a', 'a@example.test', 'A', 1);
    INSERT INTO members (organization, user, role, joined_at) VALUES ('org_a', 'usr_a', 'read', 1);
    INSERT INTO teams (id, organization, title, created_at) VALUES ('team_a', 'org_a', 'A', 1);
    INSERT INTO spaces (id, organization, title, emoji, created_by, created_at, updated_at) VALUES ('spc_a', 'org_a', 'A', '', 'x', 1, 1);
    INSERT INTO grants (object, subject, organization, role) VALUES ('spc_a', 'usr_a', 'org_a', 'read'), ('spc_a', 'team_a', 'org_a', 'edit')`);
  const after = (statement: string) => {
    database.exec(statement);
    return [
      database.prepare('SELECT spaces FROM members').get(),
      database.prepare('SELECT spaces FROM teams').get(),
    ].map((row) => row?.spaces);
  };

  const twice = 'UPDATE teams SET spaces = spaces - 1; UPDATE members SET spaces = spaces - 1';
  expect(after(`UPDATE spaces SET deleted_at = 5; ${twice}`)).toEqual([-1, -1]);
  run(database, '0022_effects.sql');
  expect(after("UPDATE spaces SET title = 'B'")).toEqual([0, 0]);
  expect(after("UPDATE grants SET role = NULL WHERE subject = 'usr_a'")).toEqual([0, 0]);
  expect(after("UPDATE grants SET role = 'edit' WHERE subject = 'usr_a'")).toEqual([0, 0]);
  expect(after("DELETE FROM grants WHERE subject = 'usr_a'")).toEqual([0, 0]);
  expect(
    after("INSERT INTO grants (object, subject, organization, role) VALUES ('spc_a', 'usr_a', 'org_a', 'read')"),
  ).toEqual([0, 0]);
  database.exec('UPDATE spaces SET deleted_at = NULL');
  expect(after("UPDATE grants SET role = NULL WHERE subject = 'usr_a'")).toEqual([-1, 0]);
});

test('what imports have left of contributors goes with an upgrade', () => {
  const database = databaseAt('0018_activity.sql');
  const revision =
    database.prepare(`INSERT INTO revisions (id, space, branch, seq, type, parents, lineage, author, created_at)
    VALUES (?, 'spc_a', ?, ?, 'edits', '[]', '[["spc_a",1]]', 'usr_a', 1)`);
  revision.run('rev_one', 'imp_a', 1);
  revision.run('rev_two', 'cr_a', 1);
  for (const name of migrations.filter((each) => each > '0018_activity.sql')) run(database, name);

  expect(database.prepare('SELECT branch, count FROM contributors').all()).toEqual([{ branch: 'cr_a', count: 1 }]);
});

test('a text that was left with conflict markers is undecided after an upgrade, and what only speaks of it is not', () => {
  const database = databaseAt('0018_activity.sql');
  const version = database.prepare(
    "INSERT INTO versions (branch, kind, id, since, until, data) VALUES ('cr_a', 'page', ?, 1, 2, ?)",
  );
  const times = { createdAt: 1, updatedAt: 2 };
  version.run('pg_marked', JSON.stringify({ fields: { type: 'document', title: 'A' }, ...times, conflicted: true }));
  const plain = JSON.stringify({ fields: { type: 'document', title: '"conflicted":true' }, ...times });
  version.run('pg_plain', plain);
  version.run('pg_deleted', '{}');
  database.exec("UPDATE versions SET deleted = 1 WHERE id = 'pg_deleted'");

  for (const name of migrations.filter((each) => each > '0018_activity.sql')) run(database, name);

  const dataOf = (id: string) => database.prepare('SELECT data FROM versions WHERE id = ?').get(id)?.data;
  const message = 'changed on both sides';
  expect(JSON.parse(String(dataOf('pg_marked')))).toEqual({
    fields: { type: 'document', title: 'A' },
    ...times,
    undecided: { document: { message, text: { markerLength: 7 } } },
  });
  expect([dataOf('pg_plain'), dataOf('pg_deleted')]).toEqual([plain, '{}']);
});

test.each([
  ['integration:weather:stations', 1],
  ['builtin:translation', 0],
])('places where pages of %s stood before are indexed once, which finds what makes them: %i', (type, jobs) => {
  const database = databaseAt('0050_development_is_kept_up_by_its_developer.sql');
  const data = JSON.stringify({ fields: { type: 'computed', computed: { type } } });
  database
    .prepare("INSERT INTO versions (branch, kind, id, since, until, data) VALUES ('spc_a', 'page', 'pg_a', 1, 9, ?)")
    .run(data);
  const queued = () => database.prepare("SELECT type FROM outbox WHERE type = 'index_spaces'").all().length;
  expect(queued()).toBe(0);
  run(database, '0051_computed_pages_from_before.sql');

  expect(queued()).toBe(jobs);
  database.exec('DELETE FROM versions');
});
