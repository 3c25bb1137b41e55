import type { Database, Statement } from '@octavo/db';
import { CommitConflict, must, retryOnConflict } from '@octavo/db';
import type { ApiError } from '@octavo/schema';
import { forbidden, isAtLeast, notFound, type Role, roles } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { GrantedContent } from './granted-content.ts';
import { isInPlace } from './granted-content.ts';

/** What must hold while a grant is written, and the answer where it does not. */
export interface Check {
  holds: SQL;
  otherwise: () => ApiError;
}

/** Whom grants are given to. Users and teams go the same way everywhere. */
export type SubjectKind = 'user' | 'team';

const belonging = {
  user: (id: SQL, organization: string) =>
    sql`EXISTS (SELECT 1 FROM members m WHERE m.organization = ${organization} AND m.user = ${id})`,
  team: (id: SQL, organization: string) =>
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
export const allBelong = (kind: SubjectKind, ids: string[], { organization }: GrantedContent): Check => ({
  holds: sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(ids)}) named
    WHERE NOT ${belonging[kind](sql`named.value`, organization)})`,
  otherwise: () => notFound(kind === 'user' ? 'member' : 'team'),
});

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

/** The answer to the first check that does not hold. */
export async function firstBroken(db: Database, checks: Check[]): Promise<ApiError | undefined> {
  const cases = checks.map(({ holds }, index) => sql`WHEN NOT (${holds}) THEN ${sql.raw(String(index))}`);
  const [row] = await db.all<{ broken: number | null }>(sql`SELECT CASE ${sql.join(cases, sql` `)} END AS broken`);
  return checks[row?.broken ?? -1]?.otherwise();
}

/** Writes in one batch that the checks hold for; a batch that one of them refused is told from one that lost a race. */
export async function commitChecked(
  db: Database,
  checks: Check[],
  write: (guards: Statement[]) => Promise<unknown>,
): Promise<void> {
  const guards = checks.map(({ holds }) => must(db, holds));
  await retryOnConflict(async () => {
    try {
      await write(guards);
    } catch (error) {
      if (!(error instanceof CommitConflict)) throw error;
      throw (await firstBroken(db, checks)) ?? error;
    }
  });
}
