import type { Database, Parameter } from '@octavo/db';
import { computed, fromJson, mails, members, organizations, prepareQuery, readRow, selection, users } from '@octavo/db';
import type { OutboxEvent } from '@octavo/runtime';
import { createUrls, handleEvent, settleEvent } from '@octavo/runtime';
import type { EventMessage } from '@octavo/schema';
import { isId } from '@octavo/schema';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { sendLoginMail } from '../login/login-mail.ts';
import { createSignInLink } from '../sign-in/sign-in-link.ts';
import { writeInvitation } from './invitation.ts';

/** Sends a requested mail: a link for the sign-in page, or an invitation. */
async function sendMail(event: OutboxEvent<'mail.requested'>, context: MailContext): Promise<void> {
  const { mail } = event.data;
  await (isId('loginLink', mail) ? sendLoginMail(mail, context) : sendInvitation(event, context));
  await settleEvent(context.db, event.id);
}

/**
 * Sends one invitation if the user is still a member. The link's secret is created here and exists only in the mail.
 */
async function sendInvitation({ actor, data }: OutboxEvent<'mail.requested'>, { db, env }: MailContext): Promise<void> {
  const invitedRecord = await readRow(db, invitedUser(data.mail, actor));
  if (invitedRecord !== undefined) {
    const { user, organization, bySso, providers, ...names } = invitedRecord;
    const entry = bySso ? { providers } : { secret: await createSignInLink(db, { user, organization }) };
    await env.MAIL.send({
      from: env.OCTAVO_MAIL_FROM,
      ...writeInvitation({ ...names, organization: invitedRecord.title, entry }, createUrls(env)),
    });
  }
}

interface MailContext {
  db: Database;
  env: OrgAdminEnvironment;
}

export const sendRequestedMail = (message: EventMessage, env: OrgAdminEnvironment): Promise<void> =>
  handleEvent(env, message, { handlers: { 'mail.requested': sendMail }, createContext: (db) => ({ db, env }) });

const [x, u, inviter] = [aliasedTable(mails, 'x'), aliasedTable(users, 'u'), aliasedTable(users, 'inviter')];
const [o, m] = [aliasedTable(organizations, 'o'), aliasedTable(members, 'm')];
const mailRow = selection({
  user: u.id,
  to: u.email,
  organization: o.id,
  title: o.title,
  inviter: computed(users.displayName, sql`COALESCE(inviter.display_name, '')`),
  bySso: computed(Boolean, sql`m.sso OR (o.sso AND m.role IS NOT 'admin')`),
  providers: computed(
    fromJson<string[]>(),
    sql`(SELECT json_group_array(id) FROM saml_providers p
      WHERE p.organization = o.id AND p.sso_url <> '' AND p.entity_id <> '' AND p.certificate <> '')`,
  ),
});

/** Reads a mail's recipient and how they sign in. Returns no row if the mail must not be sent any more. */
const invitedUser = prepareQuery(mailRow, (select, mail: Parameter<string>, sender: Parameter<string>) =>
  select
    .from(x)
    .crossJoin(u)
    .crossJoin(o)
    .crossJoin(m)
    .leftJoin(inviter, eq(inviter.id, sender))
    .where(
      and(
        eq(x.id, mail),
        eq(u.id, x.user),
        eq(o.id, x.organization),
        eq(m.organization, o.id),
        eq(m.user, u.id),
        sql`NOT ${m.disabled}`,
      ),
    ),
);
