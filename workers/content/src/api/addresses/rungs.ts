import type { RecordOf } from '@octavo/db';
import { foreverSeq, given, maybe, parsed, selection } from '@octavo/db';
import type { EvaluationScope } from '@octavo/expression';
import { maxPageDepth } from '@octavo/merge';
import type { SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { isPageShown } from '../../engine/reading/visibility.ts';
import { lineageCte, lineageOfBranch, placeOf, stateOf, walkAlong } from '../../engine/store/lineage.ts';
import { downCte } from './first-pages-sql.ts';
import { formerCte, seqAt } from './past-sql.ts';

/** Of a path. */
export const slugsOf = (path: string): string[] => path.split('/').filter((slug) => slug !== '');

/** A page on the way up from one that may be meant (`rank` 0 is there now), or one that may be the first of a group. */
const rungRow = selection({
  rank: maybe(given(Number)),
  place: given(Number),
  id: given(String),
  parent: given(String),
  slug: given(String),
  type: given(String),
  condition: maybe(given(String)),
  variables: maybe(given(parsed<Record<string, string | number | boolean>>())),
  movedAt: maybe(given(Number)),
});
export type Rung = RecordOf<typeof rungRow>;

interface Found {
  slugs: string[];
  id: string;
}

/** What is meant by a page with all that is above it, itself first: of a group its first page. */
function shownOf(chain: readonly Rung[], below: Map<string, Rung[]>, scope: EvaluationScope | null) {
  const upwards = chain.toSorted((one, other) => one.place - other.place);
  if (!upwards.every(isShown(scope))) return undefined;
  const slugs = upwards.map(({ slug }) => slug).reverse();
  const [page] = upwards;
  const found = page?.type === 'document' ? { slugs, id: page.id } : firstBelow({ slugs, id: page?.id ?? '' });
  return found && { page: found.id, path: found.slugs.join('/') };

  function firstBelow({ slugs: above, id }: Found): Found | undefined {
    const children = below.get(id)?.toSorted((one, other) => one.place - other.place) ?? [];
    for (const child of children.filter(isShown(scope))) {
      const here = { slugs: [...above, child.slug], id: child.id };
      const first = child.type === 'document' ? here : child.type === 'group' ? firstBelow(here) : undefined;
      if (first !== undefined) return first;
    }
    return undefined;
  }
}

const isShown =
  (scope: EvaluationScope | null) =>
  ({ condition, variables }: Rung): boolean =>
    scope === null || isPageShown({ condition, variables }, scope);

export interface ShownPage {
  page: string;
  path: string;
  /** Of those that a path may mean: 0 is there now. */
  rank: number;
  movedAt: number | null;
}

/** The first of the pages that are found which is shown; `isRoot` where all of a space is meant. */
export function firstShown(rows: Rung[], scope: EvaluationScope | null, isRoot: boolean): ShownPage | undefined {
  const below = Map.groupBy(
    rows.filter(({ rank }) => rank === null),
    ({ parent }) => parent,
  );
  const chains = Map.groupBy(
    rows.filter(({ rank }) => rank !== null),
    ({ rank }) => rank ?? 0,
  );
  for (const [rank, chain] of isRoot ? [[0, []] as [number, Rung[]]] : chains) {
    const found = shownOf(chain, below, scope);
    const movedAt = chain.find(({ place }) => place === 0)?.movedAt ?? null;
    if (found !== undefined) return { ...found, rank, movedAt };
  }
  return undefined;
}

interface Point {
  lineage: SQL;
  /** What the CTE `walk` is, where not a path leads to the page. */
  walk?: SQL;
}

interface Asked {
  space: SQL<SpaceId>;
  slugs: SQL<string>;
  length: SQL<number>;
}

const isPlaced = (state: SQL): SQL => sql`${state}->>${placeOf.type} IN ('document', 'group')`;

/** Times in which an address counts, as JSON: pairs of moments. */
interface During {
  times: SQL<string>;
  /** Whether there is no need to look. */
  isTaken: SQL;
}

const forever = sql.raw(String(foreverSeq));

/** The CTE `times(since, until, ends)`: in numbers of revisions, with the moment of the end. */
const timesCte = (space: SQL, { times, isTaken }: During): SQL => sql`times(since, until, ends) AS MATERIALIZED (
  SELECT iif(value->>0 = 0, 0, ${seqAt(space, sql`(value->>0)`)}),
    iif(value->>1 = ${forever}, ${forever}, 1 + ${seqAt(space, sql`(value->>1)`)}), value->>1
  FROM json_each(${times}) WHERE NOT ${isTaken})`;

/** The pages that a path means, with all that is above them: the one that is there, else those that were once. */
export const rungsOf = ({ lineage, walk }: Point, { space, slugs, length }: Asked) =>
  rungRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, walk(level, id) AS (${walk ?? walkAlong(slugs, length)}),
    present(id) AS MATERIALIZED (
      SELECT id FROM walk WHERE level = ${length} AND (id = '' OR ${isPlaced(stateOf(sql`walk.id`))}) LIMIT 1
    ), ${formerCte({ space, lineage: lineageOfBranch(space), slugs, length })}, ${rungsFrom(movedAt(space))}`);

/** The same of those alone that the path meant within some times. */
export const rungsDuring = ({ space, slugs, length }: Asked, during: During) => {
  const lineage = lineageOfBranch(space);
  const end = sql`(SELECT MAX(iif(t.until = u.until, t.ends, ${movedAt(space)})) FROM times t
    WHERE t.since < u.until AND t.until >= u.until)`;
  return rungRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, present(id) AS (SELECT '' WHERE 0), ${timesCte(space, during)},
    ${formerCte({ space, lineage, slugs, length }, sql`SELECT since, until FROM times`)}, ${rungsFrom(end)}`);
};

/** When a page of `up u` went from where it was, or another took its place. */
const movedAt = (space: SQL): SQL =>
  sql`(SELECT r.created_at FROM revisions r WHERE r.branch = ${space} AND r.seq = u.until)`;

/** The rows of the CTEs `present` and `former`; `end` is when a page of `up u` had the address last. */
const rungsFrom = (end: SQL): SQL => sql`
    targets(id, rank, until) AS MATERIALIZED (
      SELECT id, 0, NULL FROM present UNION ALL SELECT id, row_number() OVER (ORDER BY until DESC, id), until FROM former
    ), up(rank, place, id, state, until) AS (
      SELECT rank, 0, id, ${stateOf(sql`t.id`)}, until FROM targets t WHERE id <> ''
      UNION ALL
      SELECT rank, place + 1, u.state->>${placeOf.parent}, ${stateOf(sql`(u.state->>${placeOf.parent})`)}, NULL
      FROM up u WHERE u.state->>${placeOf.parent} <> '' AND place <= ${sql.raw(String(maxPageDepth))}
    ), tops(id) AS MATERIALIZED (
      SELECT id FROM present WHERE id = ''
      UNION SELECT id FROM up WHERE place = 0 AND state->>${placeOf.type} = 'group'
    ), ${downCte}
    SELECT ${rungRow.names.rank}, place, id, state->>0 AS parent, state->>1 AS slug, state->>2 AS type, state->>3 AS condition, state->4 AS variables,
      ${end} AS ${rungRow.names.movedAt}
    FROM up u
    WHERE EXISTS (SELECT 1 FROM up first WHERE first.rank = u.rank AND first.place = 0 AND ${isPlaced(sql`first.state`)})
      AND NOT EXISTS (SELECT 1 FROM up gone WHERE gone.rank = u.rank AND gone.state IS NULL)
    UNION ALL
    SELECT NULL, place, id, parent, state->>1, state->>2, state->>3, state->4, NULL FROM down WHERE state IS NOT NULL
    ORDER BY 1, 2`;
