import type { Bookmark, Cost } from '@octavo/schema';
import { createCost } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ConnectOptions, DatabaseBinding } from './connect.ts';
import { batchReads, completeCheck, connect, retryReads } from './connect.ts';
import { countQueries, hasQueries } from './extend-database.ts';
import { readRow, readRows, runBatch } from './query.ts';
import { rawQuery } from './selection.ts';

/** Returns the constraint or bookmark with which a connection starts its D1 session. */
function getStart(options: ConnectOptions): string[] {
  const starts: string[] = [];
  const binding: DatabaseBinding = {
    prepare: () => expect.fail('Nothing is asked.'),
    batch: () => expect.fail('Nothing is asked.'),
    withSession: (start) => {
      starts.push(start);
      return { ...binding, getBookmark: () => null };
    },
  };
  connect(binding, options);
  return starts;
}

test('a read is sent to any replica that has reached its bookmark', () => {
  expect(getStart({ intent: 'read', bookmark: '0000-01' })).toEqual(['0000-01']);
});

test('a read without a bookmark is sent to the primary', () => {
  expect(getStart({ intent: 'read' })).toEqual(['first-primary']);
});

test('a write is sent to the primary, whatever its bookmark', () => {
  expect(getStart({ intent: 'write', bookmark: '0000-01' })).toEqual(['first-primary']);
  expect(getStart({ intent: 'write' })).toEqual(['first-primary']);
});

/** Returns a database that responds in a later turn of the event loop. */
const createSlowBinding = (): DatabaseBinding => {
  const all = async () => {
    await new Promise(setImmediate);
    return { results: [], meta: { rows_read: 2, rows_written: 1 } };
  };
  const statement = { bind: () => statement, all };
  return {
    prepare: () => statement as unknown as D1PreparedStatement,
    batch: () => expect.fail('No batch is sent.'),
  };
};

test('counts parallel round trips as one sequential round trip', async () => {
  const connection = connect(createSlowBinding(), { intent: 'read' });
  const read = () => readRows(connection.db, rawQuery(sql`SELECT 1`));
  const spent: Cost = { ...createCost(), trips: 4, sequentialTrips: 3 };
  const call = async () => {
    await new Promise(setImmediate);
    return { value: 'value', cost: spent, bookmark: null };
  };

  await read();
  await Promise.all([read(), read(), connection.callWorker(call)]);
  await read();

  expect(connection.cost).toEqual({ trips: 8, sequentialTrips: 5, rowsRead: 8, rowsWritten: 4 });
});

test('a read runs during the check for an import, and a write only if the check succeeds', async () => {
  const prepare = (sent: string[]) => (sql: string) => {
    const all = async () => {
      sent.push(sql);
      await new Promise(setImmediate);
      if (sql === completeCheck) throw new Error('An installation is being imported.');
      return { results: [], meta: {} };
    };
    const statement = { bind: () => statement, all };
    return statement as unknown as D1PreparedStatement;
  };
  const listSent = async (statement: SQL) => {
    const sent: string[] = [];
    const binding: DatabaseBinding = { prepare: prepare(sent), batch: () => expect.fail('No batch is sent.') };
    const { db } = connect(binding, { intent: 'write', requiresComplete: true });
    await expect(readRows(db, rawQuery(statement))).rejects.toThrow('An installation is being imported.');
    return sent;
  };

  expect(await listSent(sql`SELECT 1`)).toEqual([completeCheck, 'SELECT 1']);
  expect(await listSent(sql`DELETE FROM t`)).toEqual([completeCheck]);
});

test('passes its newest bookmark to other workers, and returns the newest that they report', async () => {
  const binding: DatabaseBinding = {
    prepare: () => expect.fail('Nothing is asked.'),
    batch: () => expect.fail('Nothing is asked.'),
    withSession: () => ({ ...binding, getBookmark: () => '0-2' }),
  };
  const connection = connect(binding, { intent: 'read' });
  const passed: Bookmark[] = [];
  const callWith = (reported: Bookmark) =>
    connection.callWorker(async (bookmark) => {
      passed.push(bookmark);
      return { value: undefined, cost: createCost(), bookmark: reported };
    });

  await callWith('0-3');
  await callWith('0-1');
  await callWith(null);

  expect(passed).toEqual(['0-2', '0-3', '0-3']);
  expect(connection.bookmark()).toBe('0-3');
});

test('sends reads that start together as one batch, and later reads on their own', async () => {
  const sizes: number[] = [];
  const binding: DatabaseBinding = {
    ...createSlowBinding(),
    batch: async <Row>(statements: D1PreparedStatement[]) => {
      sizes.push(statements.length);
      return statements.map(() => ({ results: [{ one: 1 }], meta: {} })) as unknown as D1Result<Row>[];
    },
  };
  const connection = connect(binding, { intent: 'read' });
  const db = batchReads(connection.db, queueMicrotask);
  const query = rawQuery(sql`SELECT 1 AS one`);

  const [row, rows] = await Promise.all([readRow(db, query), runBatch(db, [query, query])]);
  await readRows(db, query);

  expect([row, rows]).toEqual([{ one: 1 }, [{ one: 1 }, { one: 1 }]]);
  expect(sizes).toEqual([3, 1]);
  expect(connection.cost.trips).toBe(2);
});

/**
 * A database whose sessions refuse all queries if they start at a bookmark, as D1 does for a bookmark of another
 * database.
 */
function createRefusingBinding(message: string) {
  const starts: string[] = [];
  const open = (start: string) => {
    const all = async () => {
      await new Promise(setImmediate);
      if (!start.startsWith('first-')) throw new Error(message);
      return { results: [{ one: 1 }], meta: {} };
    };
    const statement = { all, bind: () => statement } as unknown as D1PreparedStatement;
    const batch = async <Row>(batch: D1PreparedStatement[]) => Promise.all(batch.map((each) => each.all<Row>()));
    return { prepare: () => statement, batch, getBookmark: () => start };
  };
  const binding: DatabaseBinding = {
    ...open('first-primary'),
    withSession(start) {
      starts.push(start);
      return open(start);
    },
  };
  return { binding, starts };
}

test('starts a new session on the primary if D1 refuses the bookmark', async () => {
  const { binding, starts } = createRefusingBinding('D1_ERROR: The bookmark is invalid.');
  const connection = connect(binding, { intent: 'visit', bookmark: 'made-up' });
  const query = rawQuery(sql`SELECT 1 AS one`);

  expect(await Promise.all([readRow(connection.db, query), readRows(connection.db, query)])).toEqual([
    { one: 1 },
    [{ one: 1 }],
  ]);
  expect(await runBatch(connection.db, [query, query])).toEqual([{ one: 1 }, { one: 1 }]);
  expect(starts).toEqual(['made-up', 'first-primary']);
  expect(connection.bookmark()).toBe('first-primary');
});

test('does not repeat a query that failed for another reason', async () => {
  const { binding, starts } = createRefusingBinding('D1_ERROR: no such table: t');
  const { db } = connect(binding, { intent: 'visit', bookmark: '0000-01' });

  await expect(readRow(db, rawQuery(sql`SELECT 1`))).rejects.toThrow('no such table');
  expect(starts).toEqual(['0000-01']);
});

test('charges each attempt of a read to the query budget, unless queries are not limited', async () => {
  let attempts = 0;
  const statement = {
    bind: () => statement,
    async all() {
      attempts += 1;
      if (attempts % 2 === 1) throw new Error('D1_ERROR: Network connection lost.');
      return { results: [], meta: {} };
    },
  };
  const DB: DatabaseBinding = {
    prepare: () => statement as unknown as D1PreparedStatement,
    batch: () => expect.fail('No batch is sent.'),
  };
  const limited = countQueries({ DB });
  for (let reads = 0; hasQueries(limited, 799); reads += 1) {
    expect(reads).toBe(0);
    await readRows(connect(limited.DB, { intent: 'read' }).db, rawQuery(sql`SELECT 1`));
  }

  expect(attempts).toBe(2);
  expect(hasQueries(limited, 798)).toBe(true);
  expect(countQueries({ DB: { ...DB, isUnlimited: true } }).DB.budget).toBeUndefined();
});

/** Returns a call that fails a number of times before it returns its number. */
function createFailingRead(times: number, error: Error) {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw error;
    return calls;
  };
}

const transientErrors = [
  'D1_ERROR: Network connection lost.',
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
  'D1_ERROR: D1 DB reset because its code was updated.',
  'D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.',
  'D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.',
].map((message) => new Error(message));
const retryable = Object.assign(new Error('The call failed.'), { retryable: true });
const overloaded = [
  new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.'),
  Object.assign(new Error('The object has too many requests.'), { retryable: true, overloaded: true }),
];

const reads = ['SELECT 1', ' with n AS (SELECT 1) SELECT * FROM n', 'VALUES (1)'];
const writes = ['SELECT 1', 'WITH n AS (SELECT 1) UPDATE t SET a = 1'];

const unavailable = (retryAfter: number, message: string) =>
  expect.objectContaining({ type: 'unavailable', retryAfter, message: expect.stringContaining(message) });

test.each([...transientErrors, retryable, new Error('Failed query', { cause: retryable })])(
  'a read is repeated after "$message"',
  async (error) => {
    await expect(retryReads(reads, createFailingRead(1, error))).resolves.toBe(2);
  },
);

test('a read is repeated up to three times', async () => {
  await expect(retryReads(reads, createFailingRead(3, retryable))).resolves.toBe(4);
  await expect(retryReads(reads, createFailingRead(4, retryable))).rejects.toEqual(
    unavailable(1, 'Repeat the request.'),
  );
});

test.each([...transientErrors, retryable])('a write is not repeated after "$message"', async (error) => {
  await expect(retryReads(writes, createFailingRead(1, error))).rejects.toEqual(unavailable(1, '`Idempotency-Key`'));
});

test.each(overloaded)('neither reads nor writes are repeated after "$message"', async (error) => {
  await expect(retryReads(reads, createFailingRead(1, error))).rejects.toEqual(unavailable(10, 'Repeat the request.'));
  await expect(retryReads(writes, createFailingRead(1, error))).rejects.toEqual(unavailable(10, '`Idempotency-Key`'));
});

test.each(['D1_ERROR: no such table: t', 'D1_ERROR: D1 DB exceeded its CPU time limit and was reset.'])(
  'the error "%s" is not changed',
  async (message) => {
    await expect(retryReads(reads, createFailingRead(1, new Error(message)))).rejects.toThrow(message);
  },
);
