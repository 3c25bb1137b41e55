import type { Database } from '@octavo/db';
import { retryOnConflict } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { NewEvent, OrganizationId, orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { requestMails } from '../mail/request-mails.ts';
import { requireFullToken } from '../members/require-full-token.ts';
import { nameFromEmail } from '../users/name-from-email.ts';
import type { Invited } from './find-invited.ts';
import { findInvited, inviteesOf } from './find-invited.ts';

/** Whoever is named is a member at once; the mail lets them in. Its work is the same for known and unknown addresses. */
export const inviteUsersToOrganization: Handler<
  typeof orgAdmin.inviteUsersToOrganization,
  OrgAdminEnvironment
> = async ({ body }, { db, actor, organization, commit }) => {
  const { id } = organization;
  const byDefault = body.role === undefined ? organization.defaultRole : body.role;
  const invitees = inviteesOf(body.emails, byDefault);
  requireFullToken(actor, ...invitees.map(({ role }) => role));
  // Where SSO is enforced, whoever is not marked for it would have no way in.
  const sso = body.sso || organization.sso;
  return retryOnConflict(async () => {
    const { invited, mailsSent } = await findInvited(db, id, invitees);
    const failed = sso ? invited.filter(({ member }) => member !== undefined && !member.sso) : [];
    const reached = invited.filter((each) => each.member?.disabled !== true && !failed.includes(each));
    const added = reached.filter(({ member }) => member === undefined);
    const mails = await requestMails(db, { organization: id, users: reached.map(({ user }) => user), mailsSent });
    const joined: NewEvent[] = added.map(({ user }) => ({ type: 'member.added', organization: id, data: { user } }));
    if (reached.length > 0) {
      await commit(
        [...mails.limits, addUsers(db, added), addMembers(db, added, { organization: id, sso }), ...mails.writes],
        [...joined, ...mails.events],
      );
    }
    return {
      users: reached.map(({ user }) => user),
      invited: reached.length,
      ...(failed.length === 0 ? {} : { failedSSOEmails: failed.map(({ email }) => email) }),
    };
  });
};

/** No `ON CONFLICT`: an address that came to be a user meanwhile has an id of its own, which a second try finds. */
const addUsers = (db: Database, added: Invited[]) =>
  db.run(sql`
    INSERT INTO users (id, email, display_name, created_at)
    SELECT value->>'user', value->>'email', value->>'name', ${Date.now()} FROM json_each(${JSON.stringify(
      added.flatMap(({ user, email, isNew }) => (isNew ? [{ user, email, name: nameFromEmail(email) }] : [])),
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
