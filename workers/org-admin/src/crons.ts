import { deleteInBatches, sweepOutbox } from '@octavo/runtime';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from './environment.ts';
import { getMailRetentionStart } from './mail/request-mails.ts';

type Run = (env: OrgAdminEnvironment) => Promise<unknown>;

/** The worker's scheduled tasks, by the cron expressions of wrangler.toml. */
const crons: Record<string, Run> = {
  '* * * * *': sweepOutbox,
  '41 3 * * *': deleteExpired,
};

export async function runCron(cron: string, env: OrgAdminEnvironment): Promise<void> {
  const run = crons[cron];
  if (run === undefined) throw new Error(`No cron is configured for ${cron}.`);
  await run(env);
}

type Part = (limit: SQL) => SQL;

const expired: Record<string, Part> = {
  tokens: (limit) => sql`DELETE FROM tokens WHERE id IN (
    SELECT id FROM tokens WHERE expires_at <= ${Date.now()} ORDER BY expires_at LIMIT ${limit}) RETURNING 1`,
  'sign-in links': (limit) => sql`DELETE FROM sign_in_links WHERE hash IN (
    SELECT hash FROM sign_in_links WHERE expires_at <= ${Date.now()} ORDER BY expires_at LIMIT ${limit}) RETURNING 1`,
  'SAML requests': (limit) => sql`DELETE FROM saml_requests WHERE id IN (
    SELECT id FROM saml_requests WHERE expires_at <= ${Date.now()} ORDER BY expires_at LIMIT ${limit}) RETURNING 1`,
  mails: (limit) => sql`DELETE FROM mails WHERE id IN (
    SELECT id FROM mails WHERE created_at < ${getMailRetentionStart()} ORDER BY created_at LIMIT ${limit}) RETURNING 1`,
};

/** Deletes expired tokens, sign-in links and SAML requests, and old mail records. */
async function deleteExpired(env: OrgAdminEnvironment): Promise<void> {
  for (const [description, part] of Object.entries(expired)) await deleteInBatches(env, description, part);
}
