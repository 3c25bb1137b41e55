import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { getInvite } from './invite-record.ts';
import { presentInvite } from './present-invite.ts';

export const getOrganizationInviteLink: Handler<
  typeof orgAdmin.getOrganizationInviteLink,
  OrgAdminEnvironment
> = async ({ params }, { db, organization, membership, urls }) => {
  const invite = await getInvite(db, { organization: organization.id, id: params.inviteId });
  return presentInvite(invite, membership, urls);
};
