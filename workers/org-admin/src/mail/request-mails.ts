import type { Database, Parameter, Statement } from '@octavo/db';
import { abortUnless, mails, prepareQuery, readRow, selection } from '@octavo/db';
import type { NewEvent, OrganizationId } from '@octavo/schema';
import { createId, rateLimited } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { and, desc, eq, gt, sql } from 'drizzle-orm';

const windowMilliseconds = 24 * 60 * 60_000;
/**
 * Limits of mails in one day: to a user from one organization, to a user in total, and from one organization. The
 * limits per organization keep one organization from using up the quota of others.
 */
const maxMailsToUser = 5;
const maxMailsToUserInAll = 20;
const maxMailsOfOrganization = 1000;
const keptMilliseconds = 7 * windowMilliseconds;

/** Mails older than this are deleted: their events have failed. */
export const getMailRetentionStart = () => Date.now() - keptMilliseconds;

const getWindowStart = () => Date.now() - windowMilliseconds;

/** Number of mails that an organization has sent in the last day. */
export const countSentMails = (organization: OrganizationId): SQL => sql`(SELECT COUNT(*) FROM mails
  WHERE organization = ${organization} AND created_at > ${getWindowStart()})`;

interface MailRequest {
  organization: OrganizationId;
  /** The IDs of the recipients, without duplicates. */
  users: string[];
  mailsSent: number;
}

interface RequestedMails {
  /** Checks that precede the writes in the batch. */
  limits: Statement[];
  writes: Statement[];
  events: NewEvent[];
}

/**
 * Requests one mail for each user. Every user gets an event, but only those below the limit get the row that the sender
 * needs: the limit is enforced at write time and not visible to the caller. @throws ApiError rate_limited
 */
export async function requestMails(
  db: Database,
  { organization, users, mailsSent }: MailRequest,
): Promise<RequestedMails> {
  if (mailsSent + users.length > maxMailsOfOrganization)
    throw await createRateLimitError(db, organization, users.length);
  const now = Date.now();
  const requested = users.map((user) => ({ user, mail: createId('mail') }));
  const rows = db.run(sql`
    INSERT INTO mails (id, user, organization, created_at)
    SELECT e.value->>'mail', e.value->>'user', ${organization}, ${now} FROM json_each(${JSON.stringify(requested)}) e
    WHERE (SELECT COUNT(*) FROM mails m WHERE m.user = e.value->>'user' AND m.created_at > ${getWindowStart()}
        AND m.organization = ${organization}) < ${maxMailsToUser}
      AND (SELECT COUNT(*) FROM mails m WHERE m.user = e.value->>'user' AND m.created_at > ${getWindowStart()}) < ${maxMailsToUserInAll}`);
  return {
    limits: [abortUnless(db, sql`${countSentMails(organization)} + ${users.length} <= ${maxMailsOfOrganization}`)],
    writes: [rows],
    events: requested.map((data) => ({ type: 'mail.requested', organization, data })),
  };
}

const sentMails = prepareQuery(
  selection({ createdAt: mails.createdAt }),
  (select, organization: Parameter<OrganizationId>, sinceTime: Parameter<number>, offset: Parameter<number>) =>
    select
      .from(mails)
      .where(and(eq(mails.organization, organization), gt(mails.createdAt, sinceTime)))
      .orderBy(desc(mails.createdAt))
      .limit(1)
      .offset(offset),
);

/** Calculates the retry time: the time at which enough mails have left the window for the request to fit the limit. */
async function createRateLimitError(db: Database, organization: OrganizationId, requestedCount: number) {
  const first = sentMails(organization, getWindowStart(), maxMailsOfOrganization - requestedCount);
  const firstSentAt = (await readRow(db, first))?.createdAt ?? Date.now();
  const seconds = Math.max(1, Math.ceil((firstSentAt + windowMilliseconds - Date.now()) / 1000));
  return rateLimited(`An organization can send at most ${maxMailsOfOrganization} invitations a day.`, seconds);
}
