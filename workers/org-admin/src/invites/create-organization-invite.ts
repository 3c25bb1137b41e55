import type { Check } from '@octavo/db';
import { commitChecked, invites } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { OrganizationId, orgAdmin } from '@octavo/schema';
import { conflict, newId, preconditionFailed } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { requireFullToken } from '../members/require-full-token.ts';
import { contentIsThere, requireAtMostHeld } from '../permissions/checks.ts';
import { grantedCollection, grantedSpace } from '../permissions/granted-content.ts';
import { presentInvite } from './present-invite.ts';

const maxLinksPerOrganization = 1000;

export const createOrganizationInvite: Handler<typeof orgAdmin.createOrganizationInvite, OrgAdminEnvironment> = async (
  { body },
  { db, organization, membership, targets: { space, collection }, actor, commit, urls },
) => {
  const id = newId('invite');
  const role = 'role' in body ? body.role : body.level;
  const content = [
    ...(space === undefined ? [] : [grantedSpace(space)]),
    ...(collection === undefined ? [] : [grantedCollection({ collection })]),
  ];
  const [{ id: object, role: held } = { id: null, role: membership.role }] = content;
  requireAtMostHeld(role, { role: held });
  if (object === null) requireFullToken(actor, role);
  const row = { id, organization: organization.id, object, role, createdBy: actor.id, createdAt: Date.now() };
  await commitChecked(db, [...content.map(contentIsThere), ...mayHaveMore(row.organization)], (guards) =>
    commit(
      [...guards, db.insert(invites).values(row)],
      [{ type: 'invite.created', organization: organization.id, data: { invite: id } }],
    ),
  );
  return presentInvite({ id, role, held, space: space?.space, collection }, urls);
};

const mayHaveMore = (organization: OrganizationId): Check[] => [
  {
    holds: sql`EXISTS (SELECT 1 FROM organizations o WHERE o.id = ${organization} AND o.invite_links)`,
    otherwise: () => preconditionFailed('Invite links are switched off in this organization.'),
  },
  {
    holds: sql`(SELECT COUNT(*) FROM invites WHERE organization = ${organization}) < ${maxLinksPerOrganization}`,
    otherwise: () => conflict(`An organization has at most ${maxLinksPerOrganization} invite links.`),
  },
];
