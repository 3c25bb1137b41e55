import * as z from 'zod';

/** The roles, highest first. Each has all rights of those below it. */
export const roles = ['admin', 'create', 'review', 'edit', 'comment', 'read'] as const;

export const Role = z.enum(roles).meta({ id: 'Role' });
export type Role = z.infer<typeof Role>;

const ranks: Record<Role, number> = { admin: 6, create: 5, review: 4, edit: 3, comment: 2, read: 1 };

/** Returns whether `role` has the rights of `requiredRole`. A guest (`null`) has none. */
export const isAtLeast = (role: Role | null, requiredRole: Role): boolean =>
  role !== null && ranks[role] >= ranks[requiredRole];

/** Returns the role for a rank in the database, from 1 (`read`) to 6 (`admin`), or null for other values. */
export const getRoleByRank = (rank: number | null): Role | null => roles.find((role) => ranks[role] === rank) ?? null;

/** The default level of a space or collection: a role, `null` for "inherit", `none` for hidden. */
export const DefaultLevel = z
  .union([Role, z.literal('none')])
  .nullable()
  .meta({ id: 'DefaultLevel' });
export type DefaultLevel = z.infer<typeof DefaultLevel>;

/**
 * Returns whether a default level grants at most `role`. Users cannot set a level that is higher than their own role.
 */
export const grantsAtMost = (level: DefaultLevel, role: Role | null): boolean =>
  level === null || level === 'none' || isAtLeast(role, level);

/** A `DefaultLevel` in requests: `inherit` is a synonym of null. */
export const DefaultLevelInput = z
  .union([Role, z.literal('none'), z.literal('inherit')])
  .nullable()
  .transform((level) => (level === 'inherit' ? null : level));
