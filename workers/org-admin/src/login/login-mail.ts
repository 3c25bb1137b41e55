import type { Database } from '@octavo/db';
import { fromJson, fromQuery, readRow, selection, users } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { createUrls } from '@octavo/runtime';
import { sql } from 'drizzle-orm';
import type { Mail, OrgAdminEnvironment } from '../environment.ts';
import { toPlainLine } from '../mail/invitation.ts';
import { isConfigured } from '../sso/queries.ts';
import { createDestinationQuery } from './destination.ts';
import { completeLoginLink } from './login-links.ts';

interface MailContext {
  db: Database;
  env: OrgAdminEnvironment;
}

interface SsoEntry {
  title: string;
  provider: string;
}

const recipientRow = selection({
  id: fromQuery(users.id),
  email: fromQuery(users.email),
  /** Whether the mail contains a sign-in link. It does not if all organizations of the user require SSO. */
  usesLink: fromQuery(Boolean),
  entries: fromQuery(fromJson<SsoEntry[]>()),
  destination: fromQuery(String),
});

const maxEntries = 20;

/** Whether a member `m` of the organization `o` has to sign in through SSO. */
const signsInBySso = sql.raw(`(m.sso OR (o.sso AND m.role IS NOT 'admin'))`);

/** Sends the mail that was requested for an address, if a person has it. */
export async function sendLoginMail(id: string, { db, env }: MailContext): Promise<void> {
  const recipient = await readRow(
    db,
    recipientRow.query(sql`
      SELECT u.id, u.email, l.destination, NOT EXISTS (SELECT 1 FROM members m WHERE m.user = u.id) OR EXISTS (
          SELECT 1 FROM members m CROSS JOIN organizations o ON o.id = m.organization
          WHERE m.user = u.id AND NOT m.disabled AND NOT ${signsInBySso}) AS uses_link,
        (SELECT json_group_array(json_object('title', title, 'provider', provider)) FROM (
          SELECT o.title, p.id AS provider FROM members m CROSS JOIN organizations o ON o.id = m.organization
          CROSS JOIN saml_providers p ON p.organization = o.id AND ${isConfigured}
          WHERE m.user = u.id AND NOT m.disabled AND ${signsInBySso}
          ORDER BY o.title, p.created_at LIMIT ${sql.raw(String(maxEntries))})) AS entries
      FROM login_links l CROSS JOIN users u ON u.email = l.email AND u.kind = 'person'
      WHERE l.id = ${id} AND l.expires_at > ${Date.now()}`),
  );
  if (recipient === undefined || (!recipient.usesLink && recipient.entries.length === 0)) return;
  const { email, entries, destination } = recipient;
  const secret = recipient.usesLink ? await completeLoginLink(db, id, recipient.id) : undefined;
  await env.MAIL.send({
    from: env.OCTAVO_MAIL_FROM,
    ...writeLoginMail({ to: email, secret, entries, destination }, createUrls(env)),
  });
}

interface LoginMail {
  to: string;
  secret: string | undefined;
  entries: SsoEntry[];
  destination: string;
}

function writeLoginMail({ to, secret, entries, destination }: LoginMail, urls: Urls): Omit<Mail, 'from'> {
  const link =
    secret === undefined
      ? []
      : ['Open this link to sign in. It can be used once and expires in 15 minutes:', urls.page(`/sign-in/${secret}`)];
  const sso = entries.flatMap(({ title, provider }) => [
    `Sign in to "${toPlainLine(title)}" through its SSO:`,
    urls.page(`/sso/saml/${provider}/start${createDestinationQuery(destination)}`),
  ]);
  const end = 'If you did not request this email, you can ignore it.';
  return { to, subject: 'Sign in to Octavo', text: [...link, ...sso, end].join('\n\n') };
}
