import type { Database, Query } from '@octavo/db';
import { runBatch, statement } from '@octavo/db';
import { maxPageDepth } from '@octavo/merge';
import type { PageReading, ResolvedPage, RevisionId, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { lineageWithComputed } from '../../engine/computed/find-computed.ts';
import { findAllNodes, lineageOfBranch } from '../../engine/nodes/find-nodes.ts';
import { lineageOfRevision } from '../../engine/nodes/lineage-of-revision.ts';
import { nodesOf } from '../../engine/nodes/stored-node.ts';
import { scopeOfSpace } from '../../engine/reading/shown-pages.ts';
import { newestFormer, selectFormer } from './resolve-former.ts';
import { resolveMadePage } from './resolve-made-page.ts';
import type { Rung, ShownPage } from './rungs.ts';
import { firstShown, rungsOf, slugsOf } from './rungs.ts';

/**
 * The page that a visitor finds at a path: the one that is there, else the newest that was there once and is shown.
 * One round trip, whose rows follow the path and not the size of the space; one more where nobody wrote a page that is
 * there and the space has computed pages.
 */
export async function resolvePage(db: Database, reading: PageReading): Promise<ResolvedPage | null> {
  const slugs = slugsOf(reading.path);
  if (slugs.length > maxPageDepth) return null;
  const isNamed = reading.page !== undefined;
  const { rows, computed, variables, former } = await runBatch(db, {
    rows: statementFor(reading)(JSON.stringify(slugs), slugs.length),
    ...lineagesOf(reading),
    former: selectFormer(reading),
  });
  const scope = reading.claims === null ? null : scopeOfSpace(nodesOf(variables), reading.claims);
  const [{ lineage } = { lineage: undefined }] = computed;
  if (lineage !== undefined && (slugs.length > 0 || isNamed) && !rows.some(({ rank }) => rank === 0)) {
    const made = await resolveMadePage(db, { lineage, scope }, reading);
    if (made !== undefined) return made;
  }
  const found = firstShown(rows, scope, slugs.length === 0 && !isNamed);
  if (found?.rank === 0) return presentPage(found);
  return newestFormer(reading, former) ?? (found === undefined ? null : presentPage(found));
}

const presentPage = ({ page, path, rank, movedAt }: ShownPage): ResolvedPage => ({
  ...{ page, path, isOld: rank > 0 },
  ...(movedAt === null ? {} : { movedAt }),
});

type At = (slugs: string, length: number) => Query<Rung>;

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
