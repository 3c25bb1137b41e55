import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { callOperator, getMailFolder } from '@octavo/platform';
import { auditedFields, createId } from '@octavo/schema';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHtml, serveSite, startImport, waitForImport } from '../content/imports/site.ts';
import { getClient, insertPage } from '../content/space-client.ts';
import { queryDatabase, writeDatabase } from '../support/database.ts';
import { readLogLines } from '../support/log.ts';
import type { OwnPlatform } from '../support/own-platform.ts';
import { startOwnPlatform, until } from '../support/own-platform.ts';
import type { TestOrganization } from '../support/platform.ts';

const hour = 3_600_000;
const day = 24 * hour;
const partRows = 1000;

let server: OwnPlatform;
let organization: TestOrganization;
const provider = createId('samlProvider');

beforeAll(async () => {
  server = await startOwnPlatform({ allowsPrivate: true });
  organization = await server.makeOrganization();
  const columns = 'id, organization, label, created_at';
  await writeDatabase(
    server,
    `INSERT INTO saml_providers (${columns}) VALUES (?, ?, 'A', 1)`,
    provider,
    organization.id,
  );
});
afterAll(() => server?.remove());

interface Kind {
  table: string;
  /**
   * Columns of an inserted row as SQL expressions of its number `n`. The column named by `age` is set separately, because
   * it determines when the row expires.
   */
  row: () => Record<string, string>;
  age: string;
  /** Retention period in milliseconds. */
  kept: number;
  /** Whether the database looks up rows that depend on each deleted row: sessions that were started with a token. */
  hasDependents?: true;
}

const quote = (value: string) => `'${value}'`;

/** Kinds of rows that the nightly cleanup deletes, by their name in the log. */
const kinds: Record<string, Kind> = {
  'idempotency keys': {
    table: 'idempotency_keys',
    row: () => ({ actor: 'run', key: 'n', operation: `''`, fingerprint: `''`, request: `''`, state: `'done'` }),
    age: 'created_at',
    kept: day,
  },
  'settled events': {
    table: 'outbox',
    row: () => ({
      id: `run || n`,
      type: `'content.changed'`,
      actor: `''`,
      request_id: `''`,
      data: `'{}'`,
      created_at: '1',
    }),
    age: 'done_at',
    kept: 7 * day,
  },
  tokens: {
    table: 'tokens',
    row: () => ({ id: 'run || n', user: quote(organization.user), label: `''`, hash: 'run || n', created_at: '1' }),
    age: 'expires_at',
    kept: 0,
    hasDependents: true,
  },
  'login links': {
    table: 'login_links',
    row: () => ({ id: 'run || n', email: 'run || n', destination: `'/app'`, created_at: '1' }),
    age: 'expires_at',
    kept: 0,
  },
  'sign-in links': {
    table: 'sign_in_links',
    row: () => ({
      hash: 'run || n',
      user: quote(organization.user),
      organization: quote(organization.id),
      created_at: '1',
    }),
    age: 'expires_at',
    kept: 0,
  },
  'SAML requests': {
    table: 'saml_requests',
    row: () => ({ id: 'run || n', provider: quote(provider), browser: `''` }),
    age: 'expires_at',
    kept: 0,
  },
  mails: {
    table: 'mails',
    row: () => ({ id: 'run || n', user: quote(organization.user), organization: quote(organization.id) }),
    age: 'created_at',
    kept: 7 * day,
  },
};

/** Inserts rows that expire in `left` milliseconds. A negative value means that they have expired. */
async function insertRows(
  { table, row, age, kept }: Kind,
  { run, count, left }: { run: string; count: number; left: number },
): Promise<void> {
  const columns = { ...row(), [age]: String(Date.now() - kept + left) };
  await writeDatabase(
    server,
    `WITH RECURSIVE n(run, n) AS (SELECT ?, 1 UNION ALL SELECT run, n + 1 FROM n WHERE n < ?)
      INSERT INTO ${table} (${Object.keys(columns).join(', ')}) SELECT ${Object.values(columns).join(', ')} FROM n`,
    ...[run, count],
  );
}

const countInsertedRows = ({ table, row }: Kind, run: string): number => {
  const [name = ''] = Object.keys(row());
  const [found] = queryDatabase<{ count: number }>(
    server.dataDir,
    `SELECT COUNT(*) AS count FROM ${table} WHERE ${name} GLOB ?`,
    `${run}*`,
  );
  return found?.count ?? 0;
};

interface Deleted {
  what: string;
  rows: number;
  trips: number;
  rowsRead: number;
  rowsWritten: number;
}

const readLoggedDeletions = () => readLogLines<Deleted>(server.dataDir, '"deleted expired rows"');

/** Runs the nightly crons and returns the deleted rows of each kind. */
async function runNightlyCron(): Promise<Map<string, Deleted>> {
  const before = readLoggedDeletions().length;
  await callOperator(server.dataDir, '/cron', { worker: 'content', cron: '17 3 * * *' });
  await callOperator(server.dataDir, '/cron', { worker: 'org-admin', cron: '41 3 * * *' });
  const lines = await until(() => {
    const news = readLoggedDeletions().slice(before);
    return Object.keys(kinds).every((kind) => news.some(({ what }) => what === kind)) ? news : undefined;
  });
  return new Map(lines.map((line) => [line.what, line]));
}

describe('with few and with many other rows', () => {
  const over = 2 * partRows + 500;
  const [few, many] = [50, 8 * partRows];
  const nights: Map<string, Deleted>[] = [];

  beforeAll(async () => {
    for (const [run, left] of [
      ['few', few],
      ['many', many],
    ] as const) {
      for (const kind of Object.values(kinds)) {
        await insertRows(kind, { run: `${run}-kept-`, count: left, left: 3_600_000 });
        await insertRows(kind, { run: `${run}-over-`, count: over, left: -1000 });
      }
      nights.push(await runNightlyCron());
    }
  });

  test.each(Object.entries(kinds))('deletes expired %s overnight, and nothing else', (_, kind) => {
    expect(
      ['few', 'many'].map((run) => [countInsertedRows(kind, `${run}-over-`), countInsertedRows(kind, `${run}-kept-`)]),
    ).toEqual([
      [0, few],
      [0, many],
    ]);
  });

  test.each(Object.keys(kinds))(
    'deletes %s in limited batches, at a cost independent of the remaining rows',
    (what) => {
      const [first, second] = nights.map((night) => night.get(what));

      expect(first).toMatchObject({ rows: over, trips: 3 });
      expect({ ...second, rowsRead: 0 }).toEqual({ ...first, rowsRead: 0, time: expect.anything() });
      expect(Math.abs((second?.rowsRead ?? 0) - (first?.rowsRead ?? 0))).toBeLessThan(10);
      expect(first?.rowsRead).toBeLessThan((kinds[what]?.hasDependents ? 7 : 6) * over);
    },
  );
});

test('keeps processed events that the audit log shows, and unprocessed events', async () => {
  const columns = 'id, type, actor, request_id, data, created_at, done_at';
  const insertSettledEvent = (id: string, type: string, at: number | null) =>
    writeDatabase(server, `INSERT INTO outbox (${columns}) VALUES (?, ?, '', '', '{}', 1, ?)`, id, type, at);
  for (const type of Object.keys(auditedFields)) await insertSettledEvent(`old-${type}`, type, Date.now() - 8 * day);
  await insertSettledEvent('fresh-index_space', 'index_space', Date.now() - 6 * day);
  await writeDatabase(
    server,
    `INSERT INTO outbox (id, type, actor, request_id, data, created_at, attempts)
      VALUES ('dead-index_space', 'index_space', '', '', '{}', 1, 10)`,
  );
  await runNightlyCron();

  const left = queryDatabase<{ id: string }>(
    server.dataDir,
    `SELECT id FROM outbox WHERE id GLOB 'old-*' OR id GLOB 'fresh-*' OR id GLOB 'dead-*' ORDER BY id`,
  );
  const shown = Object.entries(auditedFields).flatMap(([type, place]) => (place === null ? [] : [`old-${type}`]));
  expect(left.map(({ id }) => id)).toEqual(['dead-index_space', 'fresh-index_space', ...shown].sort());
  expect(shown.length).toBeLessThan(Object.keys(auditedFields).length);
});

test('deletes local mails older than 30 days, and no other files', async () => {
  const folder = getMailFolder(server.dataDir);
  const createMailName = (days: number) =>
    `${new Date(Date.now() - days * day).toISOString().replaceAll(':', '-')}-0123abcd.eml`;
  const [old, recent, other] = [createMailName(31), createMailName(29), '2020-01-01 my notes.eml'];
  await mkdir(folder, { recursive: true });
  for (const name of [old, recent, other]) await writeFile(path.join(folder, name), 'A mail');

  await callOperator(server.dataDir, '/cron', { worker: 'operator', cron: '53 3 * * *' });

  expect(readdirSync(folder).sort()).toEqual([other, recent].sort());
});

test('an import does not add contributors', async () => {
  const space = getClient(server, await server.makeSpace());
  const { url } = await serveSite({
    '/': createHtml('First', '<a href="/second">Second</a>'),
    '/second': createHtml('Second'),
  });
  const branch = await space.open();
  await space.callJson(`/change-requests/${branch}/content`, {
    method: 'POST',
    body: { changes: [insertPage('Own')] },
  });
  const { body } = await startImport(space, { url: `${url}/` });
  expect(await waitForImport(space, body.id)).toMatchObject({ status: 'completed', importedResources: 2 });

  const branches = queryDatabase<{ branch: string }>(server.dataDir, 'SELECT DISTINCT branch FROM contributors');
  expect(branches.map((row) => row.branch)).toEqual([branch]);
});
