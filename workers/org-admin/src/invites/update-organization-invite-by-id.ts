import { invites, must } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { getInvite, inviteExists, unlessGone } from './invite-record.ts';
import { presentInvite } from './present-invite.ts';

export const updateOrganizationInviteById: Handler<
  typeof orgAdmin.updateOrganizationInviteById,
  OrgAdminEnvironment
> = async ({ params, body }, { db, organization, membership, commit, urls }) => {
  const key = { organization: organization.id, id: params.inviteId };
  const invite = await getInvite(db, key);
  const field = invite.space === undefined && invite.collection === undefined ? 'role' : 'level';
  if (!(field in body)) throw invalid([{ path: `body.${field}`, message: `is what this link gives` }]);
  const role = 'role' in body ? body.role : body.level;
  await unlessGone(
    commit(
      [must(db, inviteExists(key)), db.update(invites).set({ role }).where(eq(invites.id, key.id))],
      [{ type: 'invite.updated', organization: organization.id, data: { invite: key.id } }],
    ),
  );
  return presentInvite({ ...invite, role }, membership, urls);
};
