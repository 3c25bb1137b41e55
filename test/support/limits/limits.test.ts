import { expect, onTestFinished, test, vi } from 'vitest';
import { limitFetch, limitModule } from './limits.ts';

interface Db {
  prepare(sql: string): { bind(...values: unknown[]): { all(): Promise<unknown> }; all(): Promise<unknown> };
  batch(statements: unknown[]): Promise<unknown>;
}

const statement = { bind: () => statement, all: async () => [] };
const database = { prepare: () => statement, batch: async (batch: unknown[]) => batch };

/** Runs code as the cron of a worker, with a limited database. Returns the logged messages. */
async function runLimited(work: (db: Db) => Promise<unknown>): Promise<string[]> {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const inner = { scheduled: (_: object, { DB }: Record<string, unknown>) => work(DB as Db) };
  const { default: limited } = limitModule({ default: inner } as never, 'content') as { default: typeof inner };
  await limited.scheduled({ cron: '* * * * *' }, { DB: database });
  return logged.mock.calls.map(([line]) => (JSON.parse(String(line)) as { message: string }).message);
}

const formatLimitMessage = (limit: string) =>
  `limit of Cloudflare exceeded: ${limit} in the cron "* * * * *" of content`;
const repeat = async (times: number, run: () => Promise<unknown>) => {
  for (let count = 0; count < times; count += 1) await run();
};

test('accepts values up to each limit', async () => {
  const messages = await runLimited(async (db) => {
    await repeat(994, () =>
      db
        .prepare('SELECT 1')
        .bind(...Array(100))
        .all(),
    );
    await Promise.all(Array.from({ length: 6 }, () => db.prepare('x'.repeat(100_000)).all()));
  });

  expect(messages).toEqual([]);
});

test('refuses the query after the limit, and counts each statement of a batch', async () => {
  const messages = await runLimited(async (db) => {
    await db.batch(Array.from({ length: 999 }, () => db.prepare('SELECT 1')));
    await db.prepare('SELECT 1').all();
    await expect(db.prepare('SELECT 1').all()).rejects.toThrow(formatLimitMessage('1000 D1 queries'));
  });

  expect(messages).toEqual([formatLimitMessage('1000 D1 queries')]);
});

test('refuses too many parameters and too long statements', async () => {
  const messages = await runLimited(async (db) => {
    expect(() => db.prepare('SELECT 1').bind(...Array(101))).toThrow('100 parameters');
    expect(() => db.prepare('é'.repeat(50_001))).toThrow('100000 bytes');
  });

  expect(messages).toEqual([
    formatLimitMessage('100 parameters of a statement'),
    formatLimitMessage('100000 bytes of a statement'),
  ]);
});

test('a seventh connection of an invocation waits until another one ends', async () => {
  const ends: (() => void)[] = [];
  const fetchLimited = limitFetch(async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.push(resolve);
    await promise;
    return new Response();
  });
  await runLimited(async () => {
    const responses = Array.from({ length: 8 }, () => fetchLimited('http://x'));
    await vi.waitFor(() => expect(ends).toHaveLength(6));
    ends[0]?.();
    await responses[0];
    await vi.waitFor(() => expect(ends).toHaveLength(7));
    for (const end of ends) end();
    await vi.waitFor(() => expect(ends).toHaveLength(8));
    ends[7]?.();
    await Promise.all(responses);
  });
});

test('refuses queries 30 seconds after the response', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { promise, resolve } = Promise.withResolvers<void>();
  const background: Promise<unknown>[] = [];
  const inner = {
    async fetch(_: Request, { DB }: Record<string, unknown>) {
      background.push(promise.then(() => (DB as Db).prepare('SELECT 1').all()));
      return new Response();
    },
  };
  const { default: limited } = limitModule({ default: inner } as never, 'content') as { default: typeof inner };
  await limited.fetch(new Request('http://x/v1/orgs'), { DB: database });
  vi.setSystemTime(Date.now() + 30_001);
  resolve();

  await expect(background[0]).rejects.toThrow('30 seconds after the response in GET /v1/orgs');
});
