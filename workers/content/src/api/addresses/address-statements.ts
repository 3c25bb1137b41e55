import { given, selection, statement } from '@octavo/db';
import type { BranchId, PageReading, SpaceId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { isMadeId } from '../../engine/computed/computed-pages.ts';
import { madeToldById, madeToldByPath } from '../../engine/computed/sources.ts';
import { findAllNodes, lineageCte, lineageOfBranch, lineageOfRevision, stateAt } from '../../engine/store/lineage.ts';
import { rungsOf } from './rungs.ts';

const anchorRow = selection({ anchor: given(String) });

/** The lineage of a point of a space, which `named` tells beside it. */
type LineageOf = (space: SQL<SpaceId>, named: SQL<string | null>) => SQL<string>;

const lineages = {
  live: (space) => lineageOfBranch(space),
  changeRequest: (space, named) =>
    lineageOfBranch(sql<BranchId>`(SELECT id FROM change_requests WHERE id = ${named} AND space = ${space})`),
  revision: (space, named) => lineageOfRevision({ space, revision: named }),
} satisfies Record<string, LineageOf>;

/** What reads a point by a path, or the live content by a page's id: `key` is the one or the other. */
function statementsAt(lineageOf: LineageOf, isPath: boolean) {
  const { among } = isPath ? madeToldByPath : madeToldById;
  type Space = SQL<SpaceId>;
  type Named = SQL<string | null>;
  return {
    rungs: statement((space: Space, named: Named, key: SQL<string>, length: SQL<number>) => {
      const lineage = lineageOf(space, named);
      if (isPath) return rungsOf({ lineage }, { space, slugs: key, length });
      const none = { slugs: sql<string>`'[]'`, length: sql<number>`1` };
      return rungsOf({ lineage, walk: sql`SELECT 1, ${key}` }, { space, ...none });
    }),
    anchor: statement((space: Space, named: Named, page: SQL<string>, anchor: SQL<string>) =>
      anchorRow.query(sql`
        WITH ${lineageCte(lineageOf(space, named))}, state(anchors, depth) AS (
          SELECT v.data->'$.anchors', MIN(l.depth)
          FROM lineage l CROSS JOIN versions v ON ${stateAt(sql`'page'`, page)})
        SELECT ${anchorRow.with({ anchor: sql`e.value` })} FROM state CROSS JOIN json_each(state.anchors) e
        WHERE e.key = ${anchor}`),
    ),
    variables: statement((space: Space, named: Named) => findAllNodes(lineageOf(space, named), sql`'variable'`)),
    made: statement((space: Space, named: Named, key: SQL<string>, length: SQL<number>) =>
      among(lineageOf(space, named), key, length, space),
    ),
  };
}

const byPath = {
  live: statementsAt(lineages.live, true),
  changeRequest: statementsAt(lineages.changeRequest, true),
  revision: statementsAt(lineages.revision, true),
};
const byId = statementsAt(lineages.live, false);

const kindOf = ({ changeRequest, revision }: Pick<PageReading, 'changeRequest' | 'revision'>) =>
  changeRequest === undefined ? (revision === undefined ? 'live' : 'revision') : 'changeRequest';

/** What a page's heading is called now whose anchor a reading names; no row where that is as it was, or of none. */
export function anchorStatement({ space, changeRequest, revision }: PageReading, page: string, anchor: string) {
  const { anchor: select } = byPath[kindOf({ changeRequest, revision })];
  return select(space, changeRequest ?? revision ?? null, page, anchor);
}

/** What a reading asks for: an id, or a path as a JSON array of so many slugs; of an id there are none. */
export interface Key {
  key: string;
  length: number;
}

/**
 * The statements that read what a path, or a page's id, may lead to. Those of pages that are made of computed ones read
 * no row where somebody wrote the page, nor in a space without computed pages.
 */
export function statementsOf({ space, changeRequest, revision, page }: PageReading, { key, length }: Key) {
  const by = page === undefined ? byPath[kindOf({ changeRequest, revision })] : byId;
  const named = (page === undefined ? (changeRequest ?? revision) : undefined) ?? null;
  const mayBeMade = page === undefined ? length > 0 : isMadeId(page);
  return {
    rows: by.rungs(space, named, key, length),
    variables: by.variables(space, named),
    made: mayBeMade ? by.made(space, named, key, length) : [],
  };
}
