import type { Database } from '@octavo/db';
import { fromQuery, members, nullable, readRows, retryOnConflict, selection, users } from '@octavo/db';
import type { BodyOf, NewEvent, OrganizationId, orgAdmin, Role, UserId } from '@octavo/schema';
import { createId, invalid } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { countSentMails, requestMails } from '../mail/request-mails.ts';
import { requireFullToken } from '../members/admins.ts';
import { getNameFromEmail } from '../users/name-from-email.ts';

/**
 * Adds every invited user as a member at once; the mail lets them sign in. Known and unknown addresses cost the same
 * work.
 */
export const inviteUsersToOrganization = handler(
  'inviteUsersToOrganization',
  async ({ body }, { db, actor, organization, commit }) => {
    const { id } = organization;
    const byDefault = body.role === undefined ? organization.defaultRole : body.role;
    const invitees = getInvitees(body.emails, byDefault);
    requireFullToken(actor, ...invitees.map(({ role }) => role));
    // If SSO is enforced, a member who is not marked for it cannot sign in.
    const sso = body.sso || organization.sso;
    return retryOnConflict(async () => {
      const { invited, mailsSent } = await findInvited(db, id, invitees);
      const failed = sso ? invited.filter(({ member }) => member !== undefined && !member.sso) : [];
      const reachedUsers = invited.filter((invited) => invited.member?.disabled !== true && !failed.includes(invited));
      const added = reachedUsers.filter(({ member }) => member === undefined);
      const mails = await requestMails(db, {
        organization: id,
        users: reachedUsers.map(({ user }) => user),
        mailsSent,
      });
      const joined: NewEvent[] = added.map(({ user }) => ({ type: 'member.added', organization: id, data: { user } }));
      if (reachedUsers.length > 0) {
        await commit(
          [...mails.limits, addUsers(db, added), addMembers(db, added, { organization: id, sso }), ...mails.writes],
          [...joined, ...mails.events],
        );
      }
      return {
        users: reachedUsers.map(({ user }) => user),
        invited: reachedUsers.length,
        ...(failed.length === 0 ? {} : { failedSSOEmails: failed.map(({ email }) => email) }),
      };
    });
  },
);

/**
 * There is no `ON CONFLICT`: if another request has created a user with this address, the insert fails and the retry
 * finds that user.
 */
const addUsers = (db: Database, added: Invited[]) =>
  db.run(sql`
    INSERT INTO users (id, email, display_name, created_at)
    SELECT value->>'user', value->>'email', value->>'name', ${Date.now()} FROM json_each(${JSON.stringify(
      added.flatMap(({ user, email, isNew }) => (isNew ? [{ user, email, name: getNameFromEmail(email) }] : [])),
    )})`);

const addMembers = (
  db: Database,
  added: Invited[],
  { organization, sso }: { organization: OrganizationId; sso: boolean },
) =>
  db.run(sql`
    INSERT INTO members (organization, user, role, sso, joined_at)
    SELECT ${organization}, value->>'user', value->>'role', ${sso ? 1 : 0}, ${Date.now()}
    FROM json_each(${JSON.stringify(added.map(({ user, role }) => ({ user, role })))})`);

interface Invitee {
  email: string;
  role: Role | null;
  /** Path of the address in the request body. */
  path: string;
}

/** An invitee with the user of the address. New users already have an id. */
interface Invited extends Invitee {
  user: UserId;
  isNew: boolean;
  member: { disabled: boolean; sso: boolean } | undefined;
}

/** Returns the first invitee of each address. */
function getInvitees(
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
  user: nullable({ id: u.id, kind: u.kind }),
  member: nullable({ user: m.user, disabled: m.disabled, sso: m.sso }),
  mailsSent: fromQuery(Number),
});

/**
 * Looks up all addresses at once, with the number of mails that the organization has sent lately. @throws ApiError
 * invalid
 */
async function findInvited(
  db: Database,
  organization: OrganizationId,
  invitees: Invitee[],
): Promise<{ invited: Invited[]; mailsSent: number }> {
  const selectInvited = invitedRow.query(sql`
    SELECT ${invitedRow.with({ mailsSent: countSentMails(organization) })}
    FROM json_each(${JSON.stringify(invitees.map(({ email }) => email))}) e
    LEFT JOIN users u ON u.email = e.value
    LEFT JOIN members m ON m.organization = ${organization} AND m.user = u.id
    ORDER BY e.key`);
  const rows = await readRows(db, selectInvited);
  const invited = invitees.map((invitee, index): Invited => {
    const { user = null, member = null } = rows[index] ?? {};
    return { ...invitee, user: user?.id ?? createId('user'), isNew: user === null, member: member ?? undefined };
  });
  const services = invitees.filter((_, index) => (rows[index]?.user?.kind ?? 'person') !== 'person');
  if (services.length > 0)
    throw invalid(services.map(({ path }) => ({ path, message: 'must not be a service account' })));
  return { invited, mailsSent: rows[0]?.mailsSent ?? 0 };
}
