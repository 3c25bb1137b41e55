import { hashToken, tokenPrefix, type tokens } from '@octavo/db';
import type { OrganizationId, UserId } from '@octavo/schema';
import { newId, randomString, type Scope } from '@octavo/schema';

const secretLength = 40;

interface TokenFor {
  user: UserId;
  label: string;
  scopes?: Scope[] | undefined;
  expiresAt?: number | undefined;
  /** The one organization that the token acts in; without it, wherever the user does. */
  organization?: OrganizationId | null | undefined;
}

/** A new token and the row that keeps its hash: the secret itself (238 bits) is kept nowhere. */
export async function newToken({ user, label, scopes, expiresAt, organization }: TokenFor) {
  const token = tokenPrefix + randomString(secretLength);
  const row = {
    id: newId('token'),
    user,
    label,
    hash: await hashToken(token),
    scopes: scopes ?? null,
    createdAt: Date.now(),
    expiresAt: expiresAt ?? null,
    organization: organization ?? null,
    lastUsedAt: null,
    integration: null,
    installation: null,
    depth: 0,
  } satisfies typeof tokens.$inferInsert;
  return { token, row };
}
