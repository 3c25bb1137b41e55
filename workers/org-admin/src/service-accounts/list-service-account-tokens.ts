import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { listTokens } from '../users/tokens-of.ts';
import { accountOf } from './account-of.ts';

export const listServiceAccountTokens: Handler<typeof orgAdmin.listServiceAccountTokens, OrgAdminEnvironment> = (
  { query },
  { db, member, organization },
) => listTokens(db, accountOf(member, organization), query);
