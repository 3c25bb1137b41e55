import { expect, test } from 'vitest';
import { connectMemoryDatabase, createMemoryDatabase } from '../../../../../test/support/memory-database.ts';
import { findReachedLimit, skipRemaining } from './gather.ts';
import { importLimits } from './import-record.ts';

const record = { id: 'imp_1', source: 'zip', createdAt: Date.now(), bytes: 0, pages: 0, files: 0, skipped: 0 } as const;

const most = { files: importLimits.files, pages: importLimits.pages, bytes: importLimits.totalBytes };

test('limits of pages, files and bytes stop a website import, but not an archive import', () => {
  expect(findReachedLimit({ ...record, ...most })).toBeUndefined();
  for (const [key, value] of Object.entries(most))
    expect(findReachedLimit({ ...record, source: 'website', [key]: value })).toContain('exceeds the limit of');
  expect(findReachedLimit({ ...record, createdAt: 0 })).toBe('was skipped because the import ran out of time');
});

test('skips planned entries of an archive that were not read in time, with their descendants', async () => {
  const database = createMemoryDatabase();
  const requestedPaths = new Set<string>();
  const db = connectMemoryDatabase(database, (sql) => requestedPaths.add(sql));
  const planned: [id: string, kind: string, parent: string][] = [
    ['read', 'page', ''],
    ['unread', 'page', ''],
    ['group', 'page', 'unread'],
    ['link', 'page', 'group'],
    ['read-text', 'reusable-content', ''],
    ['unread-text', 'reusable-content', ''],
  ];
  const version =
    database.prepare(`INSERT INTO versions (branch, kind, id, since, until, parent, position, slug, deleted,
    data) VALUES ('imp_1', ?, ?, 1, 9007199254740991, ?, 'a', '', 0, '{}')`);
  for (const [id, kind, parent] of planned) version.run(kind, id, parent);
  const address =
    database.prepare(`INSERT INTO import_addresses (import, address, url, kind, rank, ordinal, status, node)
    VALUES ('imp_1', ?1, '', ?2, 2, 1, ?3, ?4)`);
  address.run('a.md', 'page', 'done', 'read');
  address.run('b.md', 'page', 'pending', 'unread');
  address.run('c.md', 'content', 'done', 'read-text');
  address.run('d.md', 'content', 'pending', 'unread-text');
  address.run('e.png', 'file', 'pending', null);

  const { changes, statements } = await skipRemaining(db, record, 'was skipped because the import ran out of time');
  requestedPaths.clear();
  for (const statement of statements) await statement;

  expect(changes).toEqual({ phase: 'link', skipped: 3 });
  expect(database.prepare('SELECT id FROM versions ORDER BY id').all()).toEqual([{ id: 'read' }, { id: 'read-text' }]);
  expect(database.prepare(`SELECT COUNT(*) AS left FROM import_addresses WHERE status = 'pending'`).get()).toEqual({
    left: 0,
  });
  const plan = [...requestedPaths].flatMap((sql) => database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all());
  expect(plan.map(({ detail }) => String(detail)).filter((step) => /^SCAN (?!u$|unread)/.test(step))).toEqual([]);
});
