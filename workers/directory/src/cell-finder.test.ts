import { DatabaseSync } from 'node:sqlite';
import type { DirectoryKey, DirectoryResponse } from '@octavo/schema';
import { afterEach, expect, test, vi } from 'vitest';
import { getFullScans } from '../../../test/support/full-scans.ts';
import { bindWithSessions } from '../../../test/support/memory-database.ts';
import { CellFinder } from './cell-finder.ts';
import type { DirectoryEnvironment } from './environment.ts';

type Claim = DirectoryResponse['claim'];
const minute = 60_000;
const day = 24 * 60 * minute;
const host: DirectoryKey = { kind: 'site', value: 'docs.acme.example' };
const token: DirectoryKey = { kind: 'token', value: 'f00d' };

function createDirectory() {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 });
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const claims: Record<string, Claim | 'down'> = { eu: null, us: null };
  /** The addresses of the sites of the cells. */
  const sites: Record<string, string[]> = { eu: [], us: [] };
  const questions: string[] = [];
  const statements: string[] = [];
  const database = new DatabaseSync(':memory:');
  const createCell = (name: string) => ({
    fetch: async ({ url, headers }: Request) => {
      questions.push(`${name} ${new URL(url).pathname} ${headers.get('authorization')}`);
      const claim = claims[name];
      const asked = `${decodeURIComponent(new URL(url).pathname).replace('/directory/keys/site/', '')}/`;
      const address = sites[name]?.filter((each) => asked.startsWith(`${each}/`)).at(-1);
      if (claim === 'down') return new Response('', { status: 500 });
      return Response.json(address === undefined ? { claim } : { claim: 'current', address });
    },
  });
  const env = {
    DB: bindWithSessions(database, (sql) => statements.push(sql)),
    OCTAVO_PUBLIC_URL: 'https://octavo.test',
    OCTAVO_DIRECTORY_KEY: 'the key',
    OCTAVO_CELLS: 'eu us',
    CELL_EU: createCell('eu'),
    CELL_US: createCell('us'),
  } as unknown as DirectoryEnvironment;
  let finder = new CellFinder();
  const find = (key: DirectoryKey, address?: string) =>
    finder.find(key, { env, address, background: { waitUntil: () => undefined } });
  const restart = () => {
    finder = new CellFinder();
  };
  const visit = (address: string) => find({ kind: 'site', value: address });
  return { env, claims, sites, visit, questions, statements, database, find, restart };
}

const wait = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

afterEach(() => {
  vi.useRealTimers();
});

test('asks each cell once, then finds the cell in memory, and in another isolate with one read', async () => {
  const { claims, questions, statements, find, restart } = createDirectory();
  claims.us = 'current';

  expect(await find(token)).toBe('us');
  expect(questions).toEqual(['eu', 'us'].map((cell) => `${cell} /directory/keys/token/f00d Bearer the key`));
  const before = statements.length;
  expect(await find(token)).toBe('us');
  expect(statements.length - before).toBe(0);
  restart();
  expect(await find(token)).toBe('us');
  expect(statements.length - before).toBe(1);
  expect(questions).toHaveLength(2);
});

test('looks up an unknown token again after half a minute', async () => {
  const { claims, questions, find } = createDirectory();

  expect(await find(token)).toBeUndefined();
  claims.us = 'current';
  expect(await find(token)).toBeUndefined();
  expect(questions).toHaveLength(2);
  wait(minute / 2);
  expect(await find(token)).toBe('us');
});

test('limits a network to 60 unknown keys in a minute, but neither other networks nor stored entries', async () => {
  const { claims, questions, find, restart } = createDirectory();
  const findName = (value: string, address: string) => find({ kind: 'token', value }, address);
  claims.eu = 'current';
  for (let value = 0; value < 100; value += 1) await findName(`known${value}`, '203.0.113.7');
  claims.eu = null;
  for (let value = 0; value < 60; value += 1) await findName(`guess${value}`, '203.0.113.7');

  await expect(findName('guess60', '203.0.113.7')).rejects.toMatchObject({ type: 'rate_limited', retryAfter: 60 });
  expect(questions).toHaveLength(2 * 160);
  expect(await findName('guess60', '203.0.113.8')).toBeUndefined();
  restart();
  for (let value = 0; value < 60; value += 1) await findName(`another${value}`, '203.0.113.7');
  expect(await findName('known1', '203.0.113.7')).toBe('eu');
  wait(minute);
  expect(await findName('guess61', '203.0.113.7')).toBeUndefined();
});

test('limits a network to 60 concurrent lookups, and to more if cells have the keys', async () => {
  const { claims, questions, find } = createDirectory();
  const nameAll = (count: number, prefix: string) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, value) => find({ kind: 'token', value: `${prefix}${value}` }, '203.0.113.7')),
    );
  const countRejected = (results: PromiseSettledResult<unknown>[]) =>
    results.filter(({ status }) => status === 'rejected').length;
  claims.us = 'current';

  expect(countRejected(await nameAll(200, 'known'))).toBe(200 - 60);
  expect(countRejected(await nameAll(60, 'another'))).toBe(0);
  claims.us = null;
  expect(countRejected(await nameAll(3000, 'guess'))).toBe(3000 - 60);
  expect(questions).toHaveLength(2 * 180);
});

test('looks up a key of concurrent requests once, and counts it for each of their networks', async () => {
  const { questions, find } = createDirectory();
  const networks = ['203.0.113.7', '203.0.113.8', undefined];

  expect(await Promise.all(networks.map((network) => find(token, network)))).toEqual(networks.map(() => undefined));
  expect(questions).toHaveLength(2);
});

test('a network over its limit does not affect a request of another one for the same key', async () => {
  const { find } = createDirectory();
  for (let value = 0; value < 60; value += 1) await find({ kind: 'token', value: String(value) }, '203.0.113.7');
  const [first, second] = await Promise.allSettled([find(token, '203.0.113.7'), find(token, '203.0.113.8')]);

  expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled']);
});

test.each([
  ['token', 1500, ['sign-in-link', 'site']],
  ['site', 1000, ['token', 'saml-provider']],
  ['sign-in-link', 500, ['organization', 'pdf']],
] as const)(
  'limits new keys of the kind %s to %i in a minute, but not keys of other kinds',
  async (kind, limit, others) => {
    const { questions, find } = createDirectory();
    for (let value = 0; value < limit; value += 1) await find({ kind, value: String(value) });

    await expect(find({ kind, value: 'another' })).rejects.toMatchObject({ type: 'rate_limited', retryAfter: 60 });
    expect(questions).toHaveLength(2 * limit);
    for (const other of others) expect(await find({ kind: other, value: 'a' })).toBeUndefined();
  },
);

test('a host stays with the first cell that had it, also when another cell claims it', async () => {
  const { claims, find, restart } = createDirectory();
  claims.eu = 'current';
  await find(host);
  claims.us = 'current';
  wait(2 * day);
  restart();

  expect(await find(host)).toBe('eu');
});

test('a host moves to the cell that has it now if the first cell only redirects from it', async () => {
  const { claims, find } = createDirectory();
  claims.eu = 'current';
  await find(host);
  claims.eu = 'former';
  wait(2 * day);
  expect(await find(host)).toBe('eu');
  claims.us = 'current';
  wait(2 * day);

  expect(await find(host)).toBe('us');
});

test('a host that two cells claim at once is served by neither', async () => {
  const { claims, find } = createDirectory();
  claims.eu = 'current';
  claims.us = 'current';

  await expect(find(host)).rejects.toMatchObject({
    type: 'unavailable',
    message: expect.stringContaining('Several installations use this name'),
  });
});

test('two cells can have proxies at different paths of one host', async () => {
  const { sites, visit, questions, restart } = createDirectory();
  sites.eu = ['www.acme.example/docs'];
  sites.us = ['www.acme.example/help/v2'];

  for (const _ of [1, 2]) {
    expect(await visit('www.acme.example/docs/guide')).toBe('eu');
    expect(await visit('www.acme.example/help/v2')).toBe('us');
    expect(await visit('www.acme.example/help')).toBeUndefined();
    restart();
  }
  expect(await visit('www.acme.example/docs/another')).toBe('eu');
  expect(questions).toHaveLength(2 * 4);
});

test('a proxy below a host claims neither the host nor, later, a path of the site that is at the host', async () => {
  const { sites, visit, restart } = createDirectory();
  sites.us = ['docs.acme.example/first'];
  expect(await visit('docs.acme.example/first')).toBe('us');
  sites.eu = ['docs.acme.example'];
  sites.us.push('docs.acme.example/later');

  for (const _ of [1, 2]) {
    expect(await visit('docs.acme.example')).toBe('eu');
    expect(await visit('docs.acme.example/later')).toBe('eu');
    expect(await visit('docs.acme.example/first/page')).toBe('us');
    wait(2 * day);
    restart();
  }
});

test('pages of a site are found in memory after one read, unless sites below it are in another cell', async () => {
  const { sites, visit, statements, restart } = createDirectory();
  sites.eu = ['docs.acme.example/proxy'];
  await visit('docs.acme.example/proxy');
  sites.eu = ['docs.acme.example', 'docs.acme.example/proxy'];
  await visit('docs.acme.example');
  restart();
  const before = statements.length;
  for (const page of ['a', 'b', 'b/c']) expect(await visit(`docs.acme.example/${page}`)).toBe('eu');

  expect(statements.length - before).toBe(1);
});

test('a cell cannot claim another address than the requested one', async () => {
  const { env, database, visit } = createDirectory();
  const answer = { claim: 'current', address: 'docs.other.example' };
  env.CELL_US = { fetch: async () => Response.json(answer) } as unknown as Fetcher;

  await expect(visit('docs.acme.example/docs.other.example')).rejects.toMatchObject({ type: 'unavailable' });
  expect(database.prepare('SELECT * FROM entries').all()).toEqual([]);
});

test('an entry of a site is deleted when only the address above it is still in use', async () => {
  const { sites, visit, database } = createDirectory();
  sites.eu = ['docs.acme.example/guide'];
  await visit('docs.acme.example/guide');
  sites.eu = ['docs.acme.example'];
  wait(2 * day);

  expect(await visit('docs.acme.example/guide/page')).toBe('eu');
  expect(database.prepare('SELECT key FROM entries').all()).toEqual([{ key: 'site/docs.acme.example' }]);
});

test('the first of two isolates that store the cell of a host at the same time wins', async () => {
  const { env, claims, database, find } = createDirectory();
  claims.us = 'current';
  const us = env.CELL_US as Fetcher;
  env.CELL_US = {
    fetch: async (request: Request) => {
      database.exec(`INSERT INTO entries VALUES ('site/${host.value}', 'eu', ${Date.now()})`);
      return us.fetch(request);
    },
  } as unknown as Fetcher;

  expect(await find(host)).toBe('eu');
});

test('an entry is deleted when no cell has its host any more', async () => {
  const { claims, database, find } = createDirectory();
  claims.eu = 'current';
  await find(host);
  claims.eu = null;
  wait(2 * day);

  expect(await find(host)).toBeUndefined();
  expect(database.prepare('SELECT * FROM entries').all()).toEqual([]);
});

test('while a cell is down, finds random ids in other cells, and still forwards known ids to it', async () => {
  const { claims, find } = createDirectory();
  claims.us = 'current';
  await find(host);
  claims.us = 'down';
  claims.eu = 'current';

  expect(await find(token)).toBe('eu');
  wait(2 * day);
  expect(await find(host)).toBe('us');
});

test('asks the cells again until the cell of an entry has responded', async () => {
  const { claims, questions, find } = createDirectory();
  claims.us = 'current';
  await find(host);
  claims.us = 'down';
  wait(2 * day);
  await find(host);
  claims.us = null;
  wait(minute);

  expect(await find(host)).toBeUndefined();
  expect(questions).toHaveLength(6);
});

test('while a cell is down, requests for new hosts and unknown tokens get 503', async () => {
  const { claims, find } = createDirectory();
  claims.us = 'down';
  claims.eu = 'current';
  await expect(find(host)).rejects.toMatchObject({ type: 'unavailable', retryAfter: 5 });
  claims.eu = null;

  await expect(find(token)).rejects.toMatchObject({ type: 'unavailable' });
});

test('while the table cannot be read, cells that were found before are still used', async () => {
  const { env, claims, find } = createDirectory();
  claims.us = 'current';
  await find(host);
  const prepare = () => {
    throw new Error('D1 is down.');
  };
  env.DB = { prepare, withSession: () => ({ prepare }) } as unknown as D1Database;
  wait(2 * minute);

  expect(await find(host)).toBe('us');
  await expect(find(token)).rejects.toMatchObject({ type: 'unavailable' });
});

test('looks up an entry again if its cell was removed from the setting', async () => {
  const { env, claims, find } = createDirectory();
  claims.eu = 'current';
  await find(host);
  Object.assign(env, { OCTAVO_CELLS: 'us' });
  claims.us = 'current';
  wait(2 * minute);

  expect(await find(host)).toBe('us');
});

test('entries that were not used for a month are deleted, except names that users choose', async () => {
  const { claims, database, find, restart } = createDirectory();
  claims.eu = 'current';
  await find(host);
  await find(token);
  wait(31 * day);
  restart();
  await find({ kind: 'space', value: 'spc_a' });

  expect(database.prepare('SELECT key FROM entries ORDER BY key').all()).toEqual([
    { key: `site/${host.value}` },
    { key: 'space/spc_a' },
  ]);
});

test('deletes unused entries by an index, at most 1,000 at once, also in a table of a former release', async () => {
  const { database, statements, find } = createDirectory();
  database.exec(`CREATE TABLE entries (key TEXT PRIMARY KEY NOT NULL, cell TEXT NOT NULL, checked_at INTEGER NOT NULL) WITHOUT ROWID;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
    INSERT INTO entries SELECT 'token/' || i, 'eu', i FROM n`);
  const counts = [];
  for (const value of ['a', 'b', 'c']) {
    await find({ kind: 'space', value });
    counts.push(database.prepare('SELECT COUNT(*) AS count FROM entries').get()?.count);
  }

  expect(counts).toEqual([1500, 500, 0]);
  expect(statements.flatMap((sql) => getFullScans(database, sql))).not.toContain('entries');
});
