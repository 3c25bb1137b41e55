import type { Database, Lineage, Statement } from '@octavo/db';
import { foreverSeq, insertRevision, jsonChunks, rawQuery, statement } from '@octavo/db';
import type { Node, Undecided } from '@octavo/merge';
import type {
  BranchId,
  ChangeRequestId,
  NewEvent,
  OrganizationId,
  RevisionType,
  SpaceId,
  UserId,
} from '@octavo/schema';
import { maxPagesPerEvent, newId, preconditionFailed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { toRow } from './nodes.ts';

/** A revision to be written: its branch moves to `seq`, and `writes` are the nodes that it changes. */
interface NewRevision {
  space: SpaceId;
  organization: OrganizationId;
  branch: BranchId;
  seq: number;
  type: RevisionType;
  parents: string[];
  lineage: Lineage;
  author: UserId;
  summary?: string;
  changeRequest?: ChangeRequestId;
  /** In milliseconds; now where it is left out. */
  createdAt?: number;
  writes: NodeWrite[];
}

/** The statements and events of a revision, and its id. On main, the events name the pages that search must look at. */
export function writeRevision(db: Database, revision: NewRevision) {
  const id = newId('revision');
  const { space, organization, branch, seq, writes, summary = '', changeRequest = null, ...rest } = revision;
  const { type, parents, lineage, author, createdAt = Date.now() } = rest;
  const row = { id, space, branch, seq, type, parents, lineage, author, createdAt, summary, changeRequest };
  const statements: Statement[] = [...insertRevision(db, organization, row), ...writeNodes(branch, seq, writes)];
  const events: NewEvent[] = [{ type: 'revision.created', organization, space, data: { revision: id, branch } }];
  const pages = branch === space ? writes.filter(({ key }) => key.kind === 'page').map(({ key }) => key.id) : [];
  for (let start = 0; start < pages.length; start += maxPagesPerEvent) {
    const some = pages.slice(start, start + maxPagesPerEvent);
    events.push({ type: 'content.changed', organization, space, data: { revision: id, pages: some } });
  }
  return { id, statements, events };
}

/** The lineage of the next revision of a branch that goes on from `lineage`. */
export const advance = (lineage: Lineage, branch: BranchId, seq: number): Lineage => [
  [branch, seq],
  ...(lineage[0]?.[0] === branch ? lineage.slice(1) : lineage),
];

/** Refuses to move a branch on whose head is none of the revisions that the client expects. */
export function requireHead(head: string, expected: string[] | undefined): void {
  if (expected === undefined || expected.includes(head)) return;
  throw preconditionFailed(`The content has moved on to revision ${head}: read it again.`);
}

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
const writeNodes = (branch: BranchId, seq: number, writes: NodeWrite[]): Statement[] =>
  jsonChunks(writes.map(({ key, node, undecided }) => toRow(key, node, undecided))).flatMap((json) => [
    supersede(branch, seq, json),
    add(branch, seq, json),
  ]);
