import type { RowsOf } from '@octavo/db';
import { foreverSeq, statement } from '@octavo/db';
import { maxPageDepth } from '@octavo/merge';
import type { Claims, FormerPath, PageReading, ResolvedPage, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { scopeOfSpace } from '../../engine/reading/visibility.ts';
import { findAllNodes, isOpenAt, lineageOfBranch } from '../../engine/store/lineage.ts';
import { nodesOf } from '../../engine/store/nodes.ts';
import { firstShown, rungsDuring, slugsOf } from './rungs.ts';

/*
 * An address of a site may once have begun with the place of another space, or with another place of the same. When that
 * was is known of each, and a page of it had the address if it had the rest of it then.
 */

/** The statements that look for who had an address in former places, by the place; none where it is of the present alone. */
export const selectFormer = ({ space, path, former = [] }: PageReading) =>
  Object.fromEntries(
    former.flatMap((each, index) => {
      const slugs = slugsOf(each.path);
      if (slugs.length === 0 || slugs.length > maxPageDepth) return [];
      const present = [space, JSON.stringify(slugsOf(path)), slugsOf(path).length] as const;
      const rows = during(each.space, JSON.stringify(slugs), slugs.length, JSON.stringify(each.times), ...present);
      return [[String(index), { rows, variables: variablesOf(each.space) }] as const];
    }),
  );

const variablesOf = statement((space: SQL<SpaceId>) => findAllNodes(lineageOfBranch(space), sql`'variable'`));

type Text = SQL<string>;
type Length = SQL<number>;

const during = statement(
  (space: SQL<SpaceId>, slugs: Text, length: Length, times: Text, there: SQL<SpaceId>, path: Text, depth: Length) =>
    rungsDuring({ space, slugs, length }, { times, isTaken: isOpenAt(lineageOfBranch(there), path, depth) }),
);

/** Of the pages that had an address in former places and are shown, the one that had it last. */
export function newestFormer(
  { former = [], claims }: PageReading,
  found: RowsOf<ReturnType<typeof selectFormer>>,
): ResolvedPage | undefined {
  const all = former.flatMap((each, index) =>
    ofPlace(each, found[String(index)], claims).map((page) => ({ ...page, index })),
  );
  const [last] = all.toSorted((one, other) => other.until - one.until);
  if (last === undefined) return undefined;
  const { page, path, until, index } = last;
  return { page, path, isOld: true, former: index, ...(until === foreverSeq ? {} : { movedAt: until }) };
}

function ofPlace(
  { path, times }: FormerPath,
  found: RowsOf<ReturnType<typeof selectFormer>>[string] | undefined,
  claims: Claims | null,
): { page: string; path: string; until: number }[] {
  if (path === '') return [{ page: '', path: '', until: Math.max(...times.map(([, until]) => until)) }];
  if (found === undefined) return [];
  const scope = claims === null ? null : scopeOfSpace(nodesOf(found.variables), claims);
  const shown = firstShown(found.rows, scope, false);
  return shown === undefined ? [] : [{ page: shown.page, path: shown.path, until: shown.movedAt ?? foreverSeq }];
}
