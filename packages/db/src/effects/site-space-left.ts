import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { Database, Statement } from '../connect.ts';

/** A condition on a row of `site_spaces`, by its alias. */
type Which = (alias: SQL) => SQL;

/**
 * Where a site space that is meant is the default of its level, the first other one becomes it whose space is not in the
 * trash; else one whose space is, and at last one of those that are meant.
 */
export function passDefaultOn(db: Database, which: Which): Statement[] {
  const [x, y] = [sql.raw('x'), sql.raw('y')];
  const levels = sql`SELECT DISTINCT x.site, x.section FROM site_spaces x WHERE ${which(x)}`;
  return [
    db.run(sql`UPDATE site_spaces SET is_default = 0
      WHERE is_default = 1 AND id IN (SELECT x.id FROM site_spaces x WHERE ${which(x)})`),
    db.run(sql`UPDATE site_spaces SET is_default = 1 WHERE id IN (
      SELECT (SELECT y.id FROM site_spaces y LEFT JOIN spaces s ON s.id = y.space
        WHERE y.site = level.site AND y.section = level.section
        ORDER BY ${which(y)}, s.id IS NULL OR s.deleted_at IS NOT NULL, y.position, y.id LIMIT 1)
      FROM (${levels}) level WHERE NOT EXISTS (
        SELECT 1 FROM site_spaces z WHERE z.site = level.site AND z.section = level.section AND z.is_default = 1))`),
  ];
}

/** Takes site spaces off their sites; the defaults of their levels are passed on. */
export const deleteSiteSpaces = (db: Database, which: Which): Statement[] => [
  ...passDefaultOn(db, which),
  db.run(sql`DELETE FROM site_spaces WHERE id IN (SELECT x.id FROM site_spaces x WHERE ${which(sql.raw('x'))})`),
];

/** The site spaces that show a space. */
export const showing =
  (space: SpaceId): Which =>
  (alias) =>
    sql`${alias}.space = ${space}`;

/** Those that show one of the spaces of a SELECT. */
export const showingAnyOf =
  (spaces: SQL): Which =>
  (alias) =>
    sql`${alias}.space IN (${spaces})`;

/** Those on the levels of a space's own whose spaces are in the trash. */
export const trashedBeside =
  (space: SpaceId): Which =>
  (alias) =>
    sql`${alias}.id IN (SELECT b.id FROM site_spaces o CROSS JOIN site_spaces b ON b.site = o.site AND b.section = o.section
      CROSS JOIN spaces t ON t.id = b.space AND t.deleted_at IS NOT NULL WHERE o.space = ${space})`;
