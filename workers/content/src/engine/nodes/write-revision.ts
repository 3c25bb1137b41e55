import type { Database, Lineage, Statement } from '@octavo/db';
import { insertRevision } from '@octavo/db';
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
import type { NodeWrite } from './write-nodes.ts';
import { writeNodes } from './write-nodes.ts';

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
