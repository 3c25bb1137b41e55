import { commitChecked, invites } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import { eq } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { requireFullToken } from '../members/require-full-token.ts';
import { mayChange } from './change-checks.ts';
import { getInvite } from './invite-record.ts';
import { presentInvite } from './present-invite.ts';

export const updateOrganizationInviteById: Handler<
  typeof orgAdmin.updateOrganizationInviteById,
  OrgAdminEnvironment
> = async ({ params, body }, { db, organization, actor, commit, urls }) => {
  const key = { organization: organization.id, id: params.inviteId, actor };
  const invite = await getInvite(db, key);
  const field = invite.space == null && invite.collection == null ? 'role' : 'level';
  if (!(field in body)) throw invalid([{ path: `body.${field}`, message: `is what this link gives` }]);
  const role = 'role' in body ? body.role : body.level;
  if (field === 'role') requireFullToken(actor, role);
  await commitChecked(db, mayChange(key, role), (guards) =>
    commit(
      [...guards, db.update(invites).set({ role }).where(eq(invites.id, key.id))],
      [{ type: 'invite.updated', organization: organization.id, data: { invite: key.id } }],
    ),
  );
  return presentInvite({ ...invite, role }, urls);
};
