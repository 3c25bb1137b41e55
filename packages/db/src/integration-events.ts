import type { OrganizationId } from '@octavo/schema';
import { IntegrationTask, LoggedEvent, ScriptLogs } from '@octavo/schema';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { storedJson } from './fields.ts';

/** A run of an integration's script. Times are milliseconds. */
export const integrationEvents = sqliteTable('integration_events', {
  id: text('id').primaryKey(),
  integration: text('integration').notNull(),
  /** The owner of the integration. */
  organization: text('organization').$type<OrganizationId>().notNull(),
  installation: text('installation'),
  createdAt: integer('created_at').notNull(),
  payload: storedJson('payload', LoggedEvent).notNull(),
  status: text('status').$type<'success' | 'failed'>().notNull(),
  error: text('error'),
  logs: storedJson('logs', ScriptLogs).notNull(),
});

/** What an integration wants to be called for, at its time. */
export const integrationTasks = sqliteTable('integration_tasks', {
  id: text('id').primaryKey(),
  integration: text('integration').notNull(),
  organization: text('organization').$type<OrganizationId>().notNull(),
  task: storedJson('task', IntegrationTask).notNull(),
  /** When it is its turn next, as long as it is here. */
  runAt: integer('run_at').notNull(),
  attempts: integer('attempts').notNull().default(0),
  /** Of the run that asked for it. */
  depth: integer('depth').notNull().default(0),
  createdAt: integer('created_at').notNull(),
});
