import { foreverSeq } from '@octavo/db';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { isConditionalAlong } from '../../engine/store/lineage.ts';

/*
 * Old addresses are read from the history of the space's own branch, what was published, not kept: a page had an address
 * where all of it was true at one moment. A step goes from a page, within the time in which what is above it was there,
 * to those that ever had the next slug below it in that time; the newest is followed first, so that the first to be found
 * are the newest that had the whole address. A space that was duplicated begins with what it reads of others.
 */

/** How many versions are looked through for those that had one slug below one page; and steps in all; and pages found. */
const maxVersions = sql.raw('1000');
const maxSteps = sql.raw('256');
const maxFound = sql.raw('16');

const forever = sql.raw(String(foreverSeq));

/** `v` is a version on the space's own branch that had the next slug of `p`, a row of `past`. */
const isNext = (space: SQL, slugs: SQL): SQL => sql`v.branch = ${space} AND v.kind = 'page' AND v.parent = p.id
  AND v.slug = json_extract(${slugs}, '$[' || p.level || ']')`;

/** Versions of that kind within the time of `p`, newest first. No two pages had one place at a time. */
const versionsOf = (space: SQL, slugs: SQL): SQL => sql`
  SELECT * FROM (SELECT v.id, v.since, v.until FROM versions v WHERE ${isNext(space, slugs)} AND v.until > p.until
    ORDER BY v.until LIMIT 1)
  UNION ALL SELECT * FROM (SELECT v.id, v.since, v.until FROM versions v
    WHERE ${isNext(space, slugs)} AND v.until > p.since AND v.until <= p.until ORDER BY v.until DESC LIMIT ${maxVersions})`;

/** Versions of one page that follow each other, as one: (id, since, until). */
const staysOf = (space: SQL, slugs: SQL): SQL => sql`
  SELECT id, MIN(since) AS since, MAX(until) AS until FROM (
    SELECT id, since, until, SUM(begins) OVER (ORDER BY until DESC) AS stay FROM (
      SELECT id, since, until, lag(id) OVER (ORDER BY until DESC) IS NOT id OR lag(since) OVER (ORDER BY until DESC) IS NOT until AS begins
      FROM (${versionsOf(space, slugs)})))
  GROUP BY stay`;

/** What the space began with, of other branches, until it wrote a state of its own. */
const staysBefore = (space: SQL, slugs: SQL): SQL => sql`
  SELECT v.id, 1, COALESCE((SELECT MIN(o.since) FROM versions o WHERE o.branch = ${space} AND o.kind = 'page' AND o.id = v.id), ${forever})
  FROM sources l CROSS JOIN versions v ON v.branch = l.branch AND v.kind = 'page' AND v.parent = p.id
    AND v.slug = json_extract(${slugs}, '$[' || p.level || ']') AND v.until > l.seq AND v.since <= l.seq
  WHERE NOT EXISTS (SELECT 1 FROM sources n CROSS JOIN versions x ON x.branch = n.branch
    AND x.kind = 'page' AND x.id = v.id AND x.since <= n.seq WHERE n.depth < l.depth)`;

interface Address {
  /** The branch whose history counts, and its lineage. */
  space: SQL;
  lineage: SQL;
  slugs: SQL;
  length: SQL;
}

/** A SELECT of (since, until): the whole history of a space, where the CTE `present` holds nothing that all are shown. */
const always = sql`SELECT 0 AS since, ${forever} AS until
  WHERE NOT EXISTS (SELECT 1 FROM present) OR ${isConditionalAlong}`;

/**
 * The CTE `former(id, until)`: the pages that had an address within some times, with the end of the last time that each
 * had it.
 */
export const formerCte = ({ space, lineage, slugs, length }: Address, times: SQL = always): SQL => sql`
  sources(depth, branch, seq) AS MATERIALIZED (SELECT key, value->>0, value->>1 FROM json_each(${lineage}) WHERE key > 0),
  past(level, id, since, until) AS (
    SELECT 0, '', since, until FROM (${times}) WHERE ${length} > 0
    UNION ALL
    SELECT p.level + 1, stay.value->>0, MAX(p.since, stay.value->>1), MIN(p.until, stay.value->>2)
    FROM past p CROSS JOIN json_each((SELECT json_group_array(json_array(id, since, until)) FROM (
      ${staysOf(space, slugs)} UNION ALL ${staysBefore(space, slugs)}))) stay
    WHERE p.level < ${length} AND MAX(p.since, stay.value->>1) < MIN(p.until, stay.value->>2)
    ORDER BY 4 DESC, 1 DESC LIMIT ${maxSteps}
  ), former(id, until) AS MATERIALIZED (
    SELECT id, MAX(until) FROM past WHERE level = ${length} GROUP BY id ORDER BY 2 DESC, 1 LIMIT ${maxFound}
  )`;

/**
 * An expression: the number of the revision that was the newest of a space at a moment, 0 before the first; found in
 * halves.
 */
export const seqAt = (space: SQL, moment: SQL): SQL => sql`(
  WITH RECURSIVE cut(low, high) AS (
    SELECT 0, (SELECT MAX(seq) FROM revisions WHERE branch = ${space})
    UNION ALL
    SELECT iif(r.created_at <= ${moment}, r.seq, low), iif(r.created_at <= ${moment}, high, r.seq - 1)
    FROM cut CROSS JOIN revisions r ON r.branch = ${space} AND r.seq = (low + high + 1) / 2 WHERE low < high
  ) SELECT low FROM cut ORDER BY high - low LIMIT 1)`;
