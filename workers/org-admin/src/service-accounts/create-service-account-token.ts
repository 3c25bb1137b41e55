import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { conflict } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { mintToken } from '../users/mint-token.ts';
import { accountOf } from './account-of.ts';

export const createServiceAccountToken: Handler<typeof orgAdmin.createServiceAccountToken, OrgAdminEnvironment> = (
  { body },
  { db, commit, member, organization },
) => {
  const owner = accountOf(member, organization);
  // Disabling and removing a member end its tokens: one that is written after that would outlive them.
  const isIn = {
    holds: sql`EXISTS (SELECT 1 FROM members
      WHERE organization = ${owner.organization} AND user = ${owner.user} AND NOT disabled)`,
    otherwise: () => conflict('The service account is disabled or was removed.'),
  };
  return mintToken({ db, commit }, { owner, wanted: body, while: isIn });
};
