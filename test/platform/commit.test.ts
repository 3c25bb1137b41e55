import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import {
  abortUnless,
  checkCondition,
  commit,
  connect,
  members,
  organizations,
  type Parameter,
  prepareQuery,
  readRows,
  runBatch,
  selection,
  tokens,
  users,
} from '@octavo/db';
import type { NewEvent } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';

const migrations = path.resolve(import.meta.dirname, '../../migrations');

type Binding = Parameters<typeof connect>[0];
interface Prepared {
  bind(...values: SQLInputValue[]): Prepared;
  all(): { results: unknown[]; meta: object };
}

/** Creates a database with all migrations and a binding like D1's, whose batches are transactions. */
function createTestDatabase() {
  const sqlite = new DatabaseSync(':memory:');
  for (const name of readdirSync(migrations).sort()) sqlite.exec(readFileSync(path.join(migrations, name), 'utf8'));
  const prepare = (statement: string, values: SQLInputValue[] = []): Prepared => ({
    bind: (...bound) => prepare(statement, bound),
    all: () => ({ results: sqlite.prepare(statement).all(...values), meta: {} }),
  });
  const batch = async (statements: Prepared[]) => {
    sqlite.exec('BEGIN');
    try {
      const results = statements.map((statement) => statement.all());
      sqlite.exec('COMMIT');
      return results;
    } catch (error) {
      sqlite.exec('ROLLBACK');
      throw error;
    }
  };
  const { db } = connect({ prepare, batch } as unknown as Binding, { intent: 'write' });
  const listEvents = () => sqlite.prepare('SELECT id, type, data, actor, done_at FROM outbox').all();
  return { db, events: listEvents };
}

const caller = { actor: 'usr_a', requestId: 'req_a' };
const token = { id: 'tok_a', user: 'usr_unknown', label: 'x', hash: 'y', createdAt: 0 };

test('batch results are keyed by the names of the statements', async () => {
  const { db } = createTestDatabase();
  const selectValue = (of: number) => db.all(sql`SELECT ${of} AS of UNION ALL SELECT ${-of}`);
  const guards = [abortUnless(db, sql`1`), abortUnless(db, sql`1`)];
  const event: NewEvent = { type: 'token.created', data: { token: token.id } };

  const { rows } = await commit(db, caller, { guards, one: selectValue(1), more: { two: selectValue(2), none: [] } }, [
    event,
  ]);
  const together = await runBatch(db, [selectValue(3), selectValue(4)]);

  expect(rows.one).toEqual([{ of: 1 }, { of: -1 }]);
  expect(rows.more).toEqual({ two: [{ of: 2 }, { of: -2 }], none: [] });
  expect(together.map(({ of }) => of)).toEqual([3, -3, 4, -4]);
});

test('a query returns records of its selection, on its own and in a batch', async () => {
  const { db } = createTestDatabase();
  await runBatch(db, [
    db.insert(users).values({ id: 'usr_a', email: 'a@example.com', displayName: 'A', createdAt: 1 }),
    db
      .insert(organizations)
      .values({ id: 'org_a', title: 'O', createdAt: 2, emailDomains: ['example.com'], sso: true }),
    db.insert(members).values({ organization: 'org_a', user: 'usr_a', joinedAt: 3 }),
  ]);
  const organizationRow = selection({
    id: organizations.id,
    emailDomains: organizations.emailDomains,
    sso: organizations.sso,
  });
  const read = organizationRow.query(sql`SELECT ${organizationRow} FROM organizations`);
  const record = { id: 'org_a', emailDomains: ['example.com'], sso: true };

  expect(await readRows(db, read)).toEqual([record]);
  expect(await runBatch(db, { read, list: [read, read] })).toEqual({ read: [record], list: [record, record] });
  expect(await checkCondition(db, sql`EXISTS (SELECT 1 FROM members)`)).toBe(true);
  expect(await checkCondition(db, sql`NULL`)).toBe(false);
});

test('a prepared join distinguishes columns with the same name', async () => {
  const { db } = createTestDatabase();
  await runBatch(db, [
    db.insert(users).values({ id: 'usr_a', email: 'a@example.com', displayName: 'A', createdAt: 1 }),
    db.insert(tokens).values({ ...token, user: 'usr_a' }),
  ]);

  const row = selection({ token: { id: tokens.id, createdAt: tokens.createdAt }, createdAt: users.createdAt });
  const ofUser = prepareQuery(row, (select, user: Parameter<string>) =>
    select.from(tokens).innerJoin(users, eq(users.id, tokens.user)).where(eq(users.id, user)),
  );

  expect(await readRows(db, ofUser('usr_a'))).toEqual([{ token: { id: 'tok_a', createdAt: 0 }, createdAt: 1 }]);
});

test('reports a missing foreign key as a concurrent write, and writes no event', async () => {
  const { db, events } = createTestDatabase();
  const event: NewEvent = { type: 'token.created', data: { token: token.id } };

  const written = commit(db, caller, [db.insert(tokens).values(token)], [event]);

  await expect(written).rejects.toThrow('A concurrent write was faster. Try again.');
  expect(events()).toEqual([]);
});

test('returns the organizations whose feed got new rows of events', async () => {
  const { db } = createTestDatabase();
  await runBatch(db, [
    ...['org_a', 'org_b'].map((id) => db.insert(organizations).values({ id, title: 'O', createdAt: 0 })),
    db.run(sql`INSERT INTO subscriptions (id, organization, kind, sealed_for, created_by, created_at, updated_at)
      VALUES ('sub_a', 'org_a', 'webhook', '', 'usr_a', 0, 0)`),
  ]);
  const rows = sql`SELECT NULL AS space, '{}' AS data`;
  const events = ['org_a', 'org_b'].map((organization) => ({
    type: 'space_installation.deleted' as const,
    organization,
    rows,
  }));

  const { messages } = await commit(db, caller, [], events);

  expect(messages).toEqual([{ id: 'org_a', type: 'feed' }]);
});

test('does not report other errors as a concurrent write', async () => {
  const { db } = createTestDatabase();
  const unlabelled = { ...token, label: null as unknown as string };

  await expect(commit(db, caller, [db.insert(tokens).values(unlabelled)], [])).rejects.toThrow(/NOT NULL/);
});

test('a commit can write more events than fit into one parameter', async () => {
  const { db, events } = createTestDatabase();
  const many = Array.from({ length: 20_000 }, (_, index): NewEvent => {
    const pages = [`pg_${index}`];
    return { type: 'content.changed', organization: 'org_a', space: 'spc_a', data: { revision: 'rev_a', pages } };
  });

  const { messages: waiting } = await commit(db, caller, [], many);

  const landed = events();
  expect(landed).toHaveLength(many.length);
  expect(landed.map(({ data }) => data).toSorted()).toEqual(many.map(({ data }) => JSON.stringify(data)).toSorted());
  expect(waiting.map(({ id }) => id).toSorted()).toEqual(landed.map(({ id }) => id).toSorted());
});
