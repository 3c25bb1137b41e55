import { tokens } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { invalid } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { newToken } from './new-token.ts';
import { presentToken } from './present-token.ts';

export const createUserToken: Handler<typeof orgAdmin.createUserToken, OrgAdminEnvironment> = async (
  { body },
  { db, actor },
) => {
  const expiresAt = body.expiresAt === undefined ? undefined : Date.parse(body.expiresAt);
  if (expiresAt !== undefined && expiresAt <= Date.now()) {
    throw invalid([{ path: 'body.expiresAt', message: 'must lie in the future' }]);
  }
  const { token, row } = await newToken({ user: actor.id, label: body.label, scopes: body.scopes, expiresAt });
  await db.insert(tokens).values(row);
  return { ...presentToken(row), token };
};
