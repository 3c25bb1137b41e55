import type { Statement } from '@octavo/db';
import { foreverSeq, jsonChunks, rawQuery, statement } from '@octavo/db';
import type { Node, Undecided } from '@octavo/merge';
import type { BranchId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { toRow } from './stored-node.ts';

/** A node's new state; `node` undefined deletes it, with what is still to be decided of that. */
export interface NodeWrite {
  key: Pick<Node, 'kind' | 'id'>;
  node: Node | undefined;
  undecided?: Undecided | undefined;
}

/** In live content nothing is left to be decided: a state of a change request that comes there comes without that. */
export const withoutDecisions = ({ key, node }: NodeWrite): NodeWrite => ({
  key,
  node: node && { ...node, undecided: undefined, documentBase: undefined },
});

const supersede = statement((branch: SQL<BranchId>, seq: SQL<number>, json: SQL<string>) =>
  rawQuery(sql`
    UPDATE versions SET until = ${seq}
    WHERE branch = ${branch} AND +until = ${foreverSeq} AND (kind, id, since) IN (
      SELECT value->>'kind', value->>'id', (SELECT MAX(x.since) FROM versions x
        WHERE x.branch = ${branch} AND x.kind = value->>'kind' AND x.id = value->>'id')
      FROM json_each(${json}))`),
);

const add = statement((branch: SQL<BranchId>, seq: SQL<number>, json: SQL<string>) =>
  rawQuery(sql`
    INSERT INTO versions (branch, kind, id, since, until, parent, position, slug, deleted, data, document)
    SELECT ${branch}, value->>'kind', value->>'id', ${seq}, ${foreverSeq}, value->>'parent', value->>'position', value->>'slug',
      value->>'deleted', value->>'data', value->>'document'
    FROM json_each(${json})`),
);

/** Supersedes what the branch has of these nodes and adds their new states, valid from `seq`. Rows follow the change. */
export const writeNodes = (branch: BranchId, seq: number, writes: NodeWrite[]): Statement[] =>
  jsonChunks(writes.map(({ key, node, undecided }) => toRow(key, node, undecided))).flatMap((json) => [
    supersede(branch, seq, json),
    add(branch, seq, json),
  ]);
