import type { Check } from '@octavo/db';
import { isNamed } from '@octavo/db';
import type { OrganizationId } from '@octavo/schema';
import { forbidden, isAtLeast, notFound, type Role, roles } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { GrantedContent } from './granted-content.ts';
import { isInPlace } from './granted-content.ts';

/** Whom grants are given to. Users and teams go the same way everywhere. */
export type SubjectKind = 'user' | 'team';

const belonging = {
  user: (id: SQL, organization: OrganizationId) =>
    sql`EXISTS (SELECT 1 FROM members m WHERE m.organization = ${organization} AND m.user = ${id} AND ${isNamed(sql`m.user`)})`,
  team: (id: SQL, organization: OrganizationId) =>
    sql`EXISTS (SELECT 1 FROM teams t WHERE t.id = ${id} AND t.organization = ${organization})`,
};

export const tooHigh = () => forbidden('The caller grants, changes and takes away at most the role held here.');

const rolesAbove = (held: Role | null): Role[] => roles.filter((role) => !isAtLeast(held, role));

/** @throws ApiError forbidden for a role above the one that the caller holds */
export function requireAtMostHeld(role: Role | null, { role: held }: Pick<GrantedContent, 'role'>): void {
  if (role !== null && !isAtLeast(held, role)) throw tooHigh();
}

export const contentIsThere = (content: GrantedContent): Check => ({
  holds: isInPlace(content),
  otherwise: () => notFound(content.kind),
});

/** Each of the subjects is a member, or a team, of the content's organization. */
export const allBelong = (kind: SubjectKind, ids: string[], { organization }: GrantedContent): Check => {
  const unknown = sql`FROM json_each(${JSON.stringify(ids)}) named
    WHERE NOT ${belonging[kind](sql`named.value`, organization)}`;
  return {
    holds: sql`NOT EXISTS (SELECT 1 ${unknown})`,
    culprit: sql`(SELECT named.value ${unknown} LIMIT 1)`,
    otherwise: (id) => notFound(`${kind === 'user' ? 'member' : 'team'}: ${id}`),
  };
};

/** The subject was given something on the content. */
export const isGiven = (kind: SubjectKind, subject: string, { id, organization }: GrantedContent): Check => ({
  holds: sql`EXISTS (SELECT 1 FROM grants g WHERE g.object = ${id} AND g.subject = ${subject}
    AND g.organization = ${organization}) AND ${belonging[kind](sql`${subject}`, organization)}`,
  otherwise: () => notFound('permission'),
});

/** None of the subjects holds more by a grant on the content than the caller does: that is not the caller's to change. */
export const noneAboveHeld = (subjects: string[], { id, role }: GrantedContent): Check => ({
  holds: sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(subjects)}) named
    CROSS JOIN grants g ON g.object = ${id} AND g.subject = named.value
    WHERE g.role IN (SELECT value FROM json_each(${JSON.stringify(rolesAbove(role))})))`,
  otherwise: tooHigh,
});
