import type { tokens } from '@octavo/db';
import type { UserToken } from '@octavo/schema';
import { timestamp } from '@octavo/schema';

export const presentToken = (row: typeof tokens.$inferSelect): UserToken => ({
  object: 'user-token',
  id: row.id,
  label: row.label,
  createdAt: timestamp(row.createdAt),
  ...(row.lastUsedAt === null ? {} : { lastUsedAt: timestamp(row.lastUsedAt) }),
  ...(row.scopes === null ? {} : { scopes: row.scopes }),
  ...(row.expiresAt === null ? {} : { expiresAt: timestamp(row.expiresAt) }),
});
