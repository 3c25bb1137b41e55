import { createCronRunner, deleteInBatches, sweepOutbox } from '@octavo/runtime';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from './environment.ts';
import { getMailRetentionStart } from './mail/request-mails.ts';
import { sendNotificationMails } from './notifications/send-mails.ts';

type Part = (limit: SQL) => SQL;

const expired: Record<string, Part> = {
  tokens: (limit) => sql`DELETE FROM tokens WHERE id IN (
    SELECT id FROM tokens WHERE expires_at <= ${Date.now()} ORDER BY expires_at LIMIT ${limit}) RETURNING 1`,
  'sign-in links': (limit) => sql`DELETE FROM sign_in_links WHERE hash IN (
    SELECT hash FROM sign_in_links WHERE expires_at <= ${Date.now()} ORDER BY expires_at LIMIT ${limit}) RETURNING 1`,
  'login links': (limit) => sql`DELETE FROM login_links WHERE id IN (
    SELECT id FROM login_links WHERE expires_at <= ${Date.now()} ORDER BY expires_at LIMIT ${limit}) RETURNING 1`,
  'SAML requests': (limit) => sql`DELETE FROM saml_requests WHERE id IN (
    SELECT id FROM saml_requests WHERE expires_at <= ${Date.now()} ORDER BY expires_at LIMIT ${limit}) RETURNING 1`,
  mails: (limit) => sql`DELETE FROM mails WHERE id IN (
    SELECT id FROM mails WHERE created_at < ${getMailRetentionStart()} ORDER BY created_at LIMIT ${limit}) RETURNING 1`,
  notifications: (limit) => sql`DELETE FROM notifications WHERE (user, id) IN (
    SELECT user, id FROM notifications INDEXED BY notifications_by_time
    WHERE created_at < ${Date.now() - notificationLifetime} ORDER BY created_at LIMIT ${limit}) RETURNING 1`,
};

/** Notifications are deleted after 90 days. */
const notificationLifetime = 90 * 24 * 60 * 60_000;

/** Deletes expired tokens, sign-in links and SAML requests, and old mail records and notifications. */
async function deleteExpired(env: OrgAdminEnvironment): Promise<void> {
  for (const [description, part] of Object.entries(expired)) await deleteInBatches(env, description, part);
}

/** Runs the tasks of the cron triggers in wrangler.toml. */
export const runCron = createCronRunner<OrgAdminEnvironment>('org-admin', {
  '* * * * *': [sweepOutbox, sendNotificationMails],
  '41 3 * * *': [deleteExpired],
});
