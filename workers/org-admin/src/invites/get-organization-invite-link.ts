import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { getInvite } from './invite-record.ts';
import { presentInvite } from './present-invite.ts';

export const getOrganizationInviteLink: Handler<
  typeof orgAdmin.getOrganizationInviteLink,
  OrgAdminEnvironment
> = async ({ params }, { db, organization, actor, urls }) =>
  presentInvite(await getInvite(db, { organization: organization.id, id: params.inviteId, actor }), urls);
