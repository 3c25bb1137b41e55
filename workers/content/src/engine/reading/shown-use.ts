import type { Database, RecordOf } from '@octavo/db';
import { onlyRow, runBatch } from '@octavo/db';
import type { Claims } from '@octavo/schema';
import { allNodesIn } from '../nodes/find-nodes.ts';
import type { NodeRow } from '../nodes/stored-node.ts';
import { readShown, ShownContent } from './shown-content.ts';
import { type conditionsRow, maxUsers, readSomeConditions, readUsers, type userRow } from './using-sql.ts';

/** The statements that read what decides on whether a visitor is shown a file or a reusable content. */
export const readShownUse = (lineage: string, id: string) => ({
  some: readSomeConditions(lineage),
  users: readUsers(lineage, id),
  variables: allNodesIn(lineage, 'variable'),
});

interface UseRows {
  some: RecordOf<typeof conditionsRow>[];
  users: RecordOf<typeof userRow>[];
  variables: NodeRow[];
}

interface Asked {
  db: Database;
  lineage: string;
  id: string;
  claims: Claims;
}

/**
 * What a visitor is shown of what uses a file or a reusable content. Rows follow what uses it, up to a bound: only where
 * none of so many is shown and there are more, all of the space is read, in one round trip more.
 */
export async function shownUse({ db, lineage, id, claims }: Asked, rows: UseRows): Promise<ShownContent> {
  const { users, variables } = rows;
  const pages = users.filter(({ kind }) => kind === 'page');
  const contents = users.filter(({ kind }) => kind === 'reusable-content');
  const near = new ShownContent(claims, { pages, contents, variables }, onlyRow(rows.some));
  if (near.uses({ id }) || (users[0]?.users ?? 0) <= maxUsers) return near;
  return new ShownContent(claims, await runBatch(db, readShown(lineage)));
}
