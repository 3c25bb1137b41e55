import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { listTokens } from './tokens-of.ts';

export const listUserTokens: Handler<typeof orgAdmin.listUserTokens, OrgAdminEnvironment> = (
  { query },
  { db, actor },
) => listTokens(db, { user: actor.id, organization: actor.organization }, query);
