import { slugify } from '@octavo/markdown';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';

/** More than there can be names on one level. */
const maxNumber = 2000;
const longestWithNumber = 95;

/**
 * A path made of a title, as an expression: the slug, or the first of slug-2, slug-3 ... for which nothing is taken when
 * it is written.
 */
export function freePath(title: string, isTaken: (path: SQL) => SQL): SQL {
  const slug = slugify(title);
  const stem =
    slug
      .slice(0, longestWithNumber)
      .toWellFormed()
      .replace(/[\ufffd-]+$/u, '') || 'page';
  return sql`(WITH RECURSIVE numbered(n, path) AS (
      SELECT 1, ${slug} UNION ALL SELECT n + 1, ${stem} || '-' || (n + 1) FROM numbered WHERE n < ${sql.raw(String(maxNumber))})
    SELECT path FROM numbered WHERE NOT ${isTaken(sql`numbered.path`)} LIMIT 1)`;
}
