import { commitChecked, invites } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { mayChange } from './change-checks.ts';

export const deleteOrganizationInviteById: Handler<
  typeof orgAdmin.deleteOrganizationInviteById,
  OrgAdminEnvironment
> = async ({ params }, { db, organization, actor, commit }) => {
  const key = { organization: organization.id, id: params.inviteId, actor };
  await commitChecked(db, mayChange(key), (guards) =>
    commit(
      [...guards, db.delete(invites).where(eq(invites.id, key.id))],
      [{ type: 'invite.deleted', organization: organization.id, data: { invite: key.id } }],
    ),
  );
  return undefined;
};
