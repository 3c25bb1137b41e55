import type { Database } from '@octavo/db';
import { given, maybe, members, readRows, selection, users } from '@octavo/db';
import type { BodyOf, OrganizationId, orgAdmin, Role, UserId } from '@octavo/schema';
import { invalid, newId } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { mailsSentBy } from '../mail/request-mails.ts';

export interface Invitee {
  email: string;
  role: Role | null;
  /** Where in the body the address stands. */
  path: string;
}

/** Who an address is: an id is made for one that is nobody yet. */
export interface Invited extends Invitee {
  user: UserId;
  isNew: boolean;
  member: { disabled: boolean; sso: boolean } | undefined;
}

/** Each address once, as it stands first. */
export function inviteesOf(
  emails: BodyOf<typeof orgAdmin.inviteUsersToOrganization>['emails'],
  byDefault: Role | null,
): Invitee[] {
  const byAddress = new Map<string, Invitee>();
  emails.forEach((each, index) => {
    const path = `body.emails.${index}`;
    const invitee = typeof each === 'string' ? { email: each, role: byDefault, path } : { ...each, path };
    const address = invitee.email.toLowerCase();
    if (!byAddress.has(address)) byAddress.set(address, invitee);
  });
  return [...byAddress.values()];
}

const [u, m] = [aliasedTable(users, 'u'), aliasedTable(members, 'm')];
const invitedRow = selection({
  user: maybe({ id: u.id, kind: u.kind }),
  member: maybe({ user: m.user, disabled: m.disabled, sso: m.sso }),
  mailsSent: given(Number),
});

/** Looks all addresses up at once, with how many mails the organization has sent lately. @throws ApiError invalid */
export async function findInvited(
  db: Database,
  organization: OrganizationId,
  invitees: Invitee[],
): Promise<{ invited: Invited[]; mailsSent: number }> {
  const found = invitedRow.query(sql`
    SELECT ${invitedRow.with({ mailsSent: mailsSentBy(organization) })}
    FROM json_each(${JSON.stringify(invitees.map(({ email }) => email))}) e
    LEFT JOIN users u ON u.email = e.value
    LEFT JOIN members m ON m.organization = ${organization} AND m.user = u.id
    ORDER BY e.key`);
  const rows = await readRows(db, found);
  const invited = invitees.map((invitee, index): Invited => {
    const { user = null, member = null } = rows[index] ?? {};
    return { ...invitee, user: user?.id ?? newId('user'), isNew: user === null, member: member ?? undefined };
  });
  const services = invitees.filter((_, index) => (rows[index]?.user?.kind ?? 'person') !== 'person');
  if (services.length > 0) throw invalid(services.map(({ path }) => ({ path, message: 'is an account of a program' })));
  return { invited, mailsSent: rows[0]?.mailsSent ?? 0 };
}
