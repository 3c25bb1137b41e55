import { invites, must } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { inviteExists, unlessGone } from './invite-record.ts';

export const deleteOrganizationInviteById: Handler<
  typeof orgAdmin.deleteOrganizationInviteById,
  OrgAdminEnvironment
> = async ({ params }, { db, organization, commit }) => {
  const key = { organization: organization.id, id: params.inviteId };
  await unlessGone(
    commit(
      [must(db, inviteExists(key)), db.delete(invites).where(eq(invites.id, key.id))],
      [{ type: 'invite.deleted', organization: organization.id, data: { invite: key.id } }],
    ),
  );
  return undefined;
};
