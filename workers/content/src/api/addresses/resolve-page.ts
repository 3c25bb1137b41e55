import type { Database, RecordOf } from '@octavo/db';
import { given, maybe, parsed, runBatch, selection, statement } from '@octavo/db';
import type { EvaluationScope } from '@octavo/expression';
import { maxPageDepth } from '@octavo/merge';
import type { PageReading, ResolvedPage, RevisionId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageWithComputed } from '../../engine/computed/find-computed.ts';
import { findAllNodes, lineageCte, lineageOfBranch, walkAlong } from '../../engine/nodes/find-nodes.ts';
import { lineageOfRevision } from '../../engine/nodes/lineage-of-revision.ts';
import { placeOf, stateOf } from '../../engine/nodes/page-state.ts';
import { nodesOf } from '../../engine/nodes/stored-node.ts';
import { isPageShown, scopeOfSpace } from '../../engine/reading/shown-pages.ts';
import { downCte } from './first-pages-sql.ts';
import { formerCte } from './past-sql.ts';
import { resolveMadePage } from './resolve-made-page.ts';

/**
 * The page that a visitor finds at a path: the one that is there, else the newest that was there once and is shown.
 * One round trip, whose rows follow the path and not the size of the space; one more where nobody wrote a page that is
 * there and the space has computed pages.
 */
export async function resolvePage(db: Database, reading: PageReading): Promise<ResolvedPage | null> {
  const slugs = reading.path.split('/').filter((slug) => slug !== '');
  if (slugs.length > maxPageDepth) return null;
  const isNamed = reading.page !== undefined;
  const { rows, computed, variables } = await runBatch(db, {
    rows: statementFor(reading)(JSON.stringify(slugs), slugs.length),
    ...lineagesOf(reading),
  });
  const scope = reading.claims === null ? null : scopeOfSpace(nodesOf(variables), reading.claims);
  const below = Map.groupBy(
    rows.filter(({ rank }) => rank === null),
    ({ parent }) => parent,
  );
  const chains = Map.groupBy(
    rows.filter(({ rank }) => rank !== null),
    ({ rank }) => rank ?? 0,
  );
  const [{ lineage } = { lineage: undefined }] = computed;
  if (lineage !== undefined && (slugs.length > 0 || isNamed) && !chains.has(0)) {
    const made = await resolveMadePage(db, { lineage, scope }, reading);
    if (made !== undefined) return made;
  }
  for (const [rank, chain] of slugs.length === 0 && !isNamed ? [[0, []] as const] : chains) {
    const found = shownOf(chain, below, scope);
    const movedAt = chain.find(({ place }) => place === 0)?.movedAt ?? undefined;
    if (found !== undefined) return { ...found, isOld: rank > 0, ...(movedAt === undefined ? {} : { movedAt }) };
  }
  return null;
}

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
type Rung = RecordOf<typeof rungRow>;

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

type At = (slugs: string, length: number) => ReturnType<typeof rungRow.query>;

function statementFor({ space, changeRequest, revision, page }: PageReading): At {
  if (page !== undefined) return () => pageInSpace(space, page, '[]', 1);
  if (changeRequest !== undefined) return (...path) => inChangeRequest(space, changeRequest, ...path);
  if (revision !== undefined) return (...path) => inRevision(space, revision, ...path);
  return (...path) => inSpace(space, ...path);
}

const inSpace = statement((space: SQL<SpaceId>, slugs: SQL<string>, length: SQL<number>) =>
  rungsOf({ lineage: lineageOfBranch(space), isHead: true }, { space, slugs, length }),
);

const pageInSpace = statement((space: SQL<SpaceId>, page: SQL<string>, slugs: SQL<string>, length: SQL<number>) => {
  const walk = sql`SELECT ${length}, ${page}`;
  return rungsOf({ lineage: lineageOfBranch(space), isHead: true, walk }, { space, slugs, length });
});

const inChangeRequest = statement(
  (space: SQL<SpaceId>, changeRequest: SQL<string>, slugs: SQL<string>, length: SQL<number>) =>
    rungsOf({ lineage: lineageOfBranch(branchOf(space, changeRequest)), isHead: true }, { space, slugs, length }),
);

const inRevision = statement(
  (space: SQL<SpaceId>, revision: SQL<RevisionId>, slugs: SQL<string>, length: SQL<number>) =>
    rungsOf({ lineage: lineageOfRevision({ space, revision }), isHead: false }, { space, slugs, length }),
);

function lineagesOf({ space, changeRequest, revision, page }: PageReading) {
  if (page === undefined && changeRequest !== undefined) {
    return {
      computed: computedInChangeRequest(space, changeRequest),
      variables: variablesInChangeRequest(space, changeRequest),
    };
  }
  if (page !== undefined || revision === undefined) {
    return { computed: computedInSpace(space), variables: variablesInSpace(space) };
  }
  return { computed: computedInRevision(space, revision), variables: variablesInRevision(space, revision) };
}

const variablesOf = (lineage: SQL) => findAllNodes(lineage, sql`'variable'`);

const computedInSpace = statement((space: SQL<SpaceId>) => lineageWithComputed(lineageOfBranch(space)));
const variablesInSpace = statement((space: SQL<SpaceId>) => variablesOf(lineageOfBranch(space)));

const computedInChangeRequest = statement((space: SQL<SpaceId>, changeRequest: SQL<string>) =>
  lineageWithComputed(lineageOfBranch(branchOf(space, changeRequest))),
);
const variablesInChangeRequest = statement((space: SQL<SpaceId>, changeRequest: SQL<string>) =>
  variablesOf(lineageOfBranch(branchOf(space, changeRequest))),
);

const computedInRevision = statement((space: SQL<SpaceId>, revision: SQL<RevisionId>) =>
  lineageWithComputed(lineageOfRevision({ space, revision })),
);
const variablesInRevision = statement((space: SQL<SpaceId>, revision: SQL<RevisionId>) =>
  variablesOf(lineageOfRevision({ space, revision })),
);

const branchOf = (space: SQL<SpaceId>, changeRequest: SQL<string>): SQL =>
  sql`(SELECT id FROM change_requests WHERE id = ${changeRequest} AND space = ${space})`;

interface Point {
  lineage: SQL;
  /** Whether it is the newest state of a branch. */
  isHead: boolean;
  /** What the CTE `walk` is, where not a path leads to the page. */
  walk?: SQL;
}

interface Asked {
  space: SQL<SpaceId>;
  slugs: SQL<string>;
  length: SQL<number>;
}

const isPlaced = (state: SQL): SQL => sql`${state}->>${placeOf.type} IN ('document', 'group')`;

const rungsOf = ({ lineage, isHead, walk }: Point, { space, slugs, length }: Asked) =>
  rungRow.query(sql`
    WITH RECURSIVE ${lineageCte(lineage)}, walk(level, id) AS (${walk ?? walkAlong(slugs, length)}),
    present(id) AS MATERIALIZED (
      SELECT id FROM walk WHERE level = ${length} AND (id = '' OR ${isPlaced(stateOf(sql`walk.id`))}) LIMIT 1
    ), ${formerCte({ space, lineage: lineageOfBranch(space), slugs, length })},
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
    ), ${downCte(isHead)}
    SELECT ${rungRow.names.rank}, place, id, state->>0 AS parent, state->>1 AS slug, state->>2 AS type, state->>3 AS condition, state->4 AS variables,
      (SELECT r.created_at FROM revisions r WHERE r.branch = ${space} AND r.seq = u.until) AS ${rungRow.names.movedAt} FROM up u
    WHERE EXISTS (SELECT 1 FROM up first WHERE first.rank = u.rank AND first.place = 0 AND ${isPlaced(sql`first.state`)})
      AND NOT EXISTS (SELECT 1 FROM up gone WHERE gone.rank = u.rank AND gone.state IS NULL)
    UNION ALL
    SELECT NULL, place, id, parent, state->>1, state->>2, state->>3, state->4, NULL FROM down WHERE state IS NOT NULL
    ORDER BY 1, 2`);
