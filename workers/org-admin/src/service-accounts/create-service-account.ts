import type { MemberRecord } from '@octavo/db';
import { commitChecked, members, users } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentMember } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { conflict, newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

const maxServiceAccounts = 100;

export const createServiceAccount: Handler<typeof orgAdmin.createServiceAccount, OrgAdminEnvironment> = async (
  { body: { displayName, role } },
  { db, organization: { id: organization }, commit, urls },
) => {
  const id = newId('user');
  const now = Date.now();
  // No mail is ever delivered below .invalid (RFC 2606), so nobody can come to hold the address.
  const user = { id, displayName, email: `${id}@service.invalid`, photoUrl: null };
  const kind = 'service';
  const write = [
    db.insert(users).values({ ...user, kind, serviceOf: organization, createdAt: now }),
    db.insert(members).values({ organization, user: id, role, joinedAt: now }),
  ];
  const mayHaveMore = {
    holds: sql`(SELECT COUNT(*) FROM users WHERE service_of = ${organization}) < ${maxServiceAccounts}`,
    otherwise: () => conflict(`An organization has at most ${maxServiceAccounts} service accounts.`),
  };
  await commitChecked(db, [mayHaveMore], (guards) =>
    commit([...guards, ...write], [{ type: 'member.added', organization, data: { user: id } }]),
  );
  return presentMember({ ...newMember, user, kind, role, joinedAt: now }, urls);
};

const newMember = {
  disabled: false,
  sso: false,
  lastSeenAt: null,
  spaces: 0,
  teams: 0,
} satisfies Partial<MemberRecord>;
