import { members, organizations } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentOrganization } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { newId } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';

export const createOrganization: Handler<typeof orgAdmin.createOrganization, OrgAdminEnvironment> = async (
  { body },
  { db, actor, commit, urls },
) => {
  const id = newId('organization');
  const createdAt = Date.now();
  const { title, emailDomains } = body;
  await commit(
    [
      db.insert(organizations).values({ id, title, emailDomains, createdAt }),
      db.insert(members).values({ organization: id, user: actor.id, role: 'admin', joinedAt: createdAt }),
    ],
    [
      { type: 'organization.created', organization: id, data: {} },
      { type: 'member.added', organization: id, data: { user: actor.id } },
    ],
  );
  const settings = {
    hostname: null,
    defaultRole: null,
    logo: null,
    type: 'business',
    inviteLinks: true,
    sso: false,
    ai: false,
    defaultContent: null,
    mergeRules: null,
  } as const;
  return presentOrganization(
    { id, title, emailDomains, createdAt, ...settings },
    { role: 'admin', active: true, ownsTeam: false },
    urls,
  );
};
