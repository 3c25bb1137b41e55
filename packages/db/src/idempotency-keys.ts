import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** What became of requests that carry an Idempotency-Key. Times are milliseconds. */
export const idempotencyKeys = sqliteTable(
  'idempotency_keys',
  {
    actor: text('actor').notNull(),
    key: text('key').notNull(),
    operation: text('operation').notNull(),
    /** SHA-256 of method, path, query and body. */
    fingerprint: text('fingerprint').notNull(),
    /** The request that holds the claim. */
    request: text('request').notNull(),
    state: text('state').$type<'claimed' | 'committed' | 'lost' | 'done'>().notNull(),
    status: integer('status'),
    /** The answer, '' where it has no body, null where it is not kept. */
    body: text('body'),
    location: text('location'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.actor, table.key] })],
);
