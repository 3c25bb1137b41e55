import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Messages that a queue gave up, stored until they are sent again, deleted or expired. Times are in milliseconds. */
export const deadLetters = sqliteTable('dead_letters', {
  /** The id of the message. */
  id: text('id').primaryKey(),
  /** The queue that gave up the message, such as `events`. */
  queue: text('queue').notNull(),
  /** The message as JSON. */
  body: text('body').notNull(),
  receivedAt: integer('received_at').notNull(),
  /** Counts the received letters. Null for a letter that an earlier release stored. */
  number: integer('number'),
});

/** Signed operator calls that write data, stored so that a repeated call is rejected. Times are in milliseconds. */
export const operatorCalls = sqliteTable('operator_calls', {
  nonce: text('nonce').primaryKey(),
  path: text('path').notNull(),
  calledAt: integer('called_at').notNull(),
});

/** The import of a whole installation, while it runs. Times are in milliseconds. */
export const installationImports = sqliteTable('installation_imports', {
  id: text('id').primaryKey(),
  startedAt: integer('started_at').notNull(),
  /** The SQL of all triggers as a list in JSON. They do not exist while rows are imported. */
  triggers: text('triggers').notNull(),
});
