import type { Database, Lineage, Statement } from '@octavo/db';
import { foreverSeq, insertRevision, prepareStatement, rawQuery, splitIntoJson } from '@octavo/db';
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
import { createId, maxPagesPerEvent, preconditionFailed } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import { toRow } from './nodes.ts';

/** A revision to be written. It has the number `seq` on its branch; `writes` are the nodes that it changes. */
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
  /** Unix time in milliseconds; defaults to now. */
  createdAt?: number;
  writes: NodeWrite[];
}

/**
 * Returns the statements and events of a revision, and its id. On main, the events name the pages that search must
 * re-index, and jobs name changed reusable contents, whose pages it must re-index.
 */
export function writeRevision(db: Database, revision: NewRevision) {
  const id = createId('revision');
  const { space, organization, branch, seq, writes, summary = '', changeRequest = null, ...rest } = revision;
  const { type, parents, lineage, author, createdAt = Date.now() } = rest;
  const row = { id, space, branch, seq, type, parents, lineage, author, createdAt, summary, changeRequest };
  const statements: Statement[] = [...insertRevision(db, organization, row), ...writeNodes(branch, seq, writes)];
  const events: NewEvent[] = [{ type: 'revision.created', organization, space, data: { revision: id, branch } }];
  const pages = branch === space ? writes.filter(({ key }) => key.kind === 'page').map(({ key }) => key.id) : [];
  for (let start = 0; start < pages.length; start += maxPagesPerEvent) {
    const batch = pages.slice(start, start + maxPagesPerEvent);
    events.push({ type: 'content.changed', organization, space, data: { revision: id, pages: batch } });
  }
  const contents = branch === space ? writes.filter(({ key }) => key.kind === 'reusable-content') : [];
  const changed = contents.map(({ key }) => key.id);
  events.push(
    ...createIncludeJobs({ organization, space }, contents.some(mayBeNamed) ? [unknownContent, ...changed] : changed),
  );
  return { id, statements, events };
}

/** Whether includes that were not found may name the content: it is new, or its path is. */
const mayBeNamed = ({ node, before }: NodeWrite): boolean =>
  node !== undefined && (before === undefined || before.fields.gitPath !== node.fields.gitPath);

/** Returns the jobs that make search index the pages that include changed contents. */
export const createIncludeJobs = (
  owner: { organization: OrganizationId; space: SpaceId },
  contents: string[],
): NewEvent[] =>
  Array.from({ length: Math.ceil(contents.length / maxContentsPerJob) }, (_, index) => ({
    type: 'index_includes',
    ...owner,
    data: { contents: contents.slice(index * maxContentsPerJob, (index + 1) * maxContentsPerJob) },
  }));

/** Maximum number of contents in the data of a job. */
const maxContentsPerJob = 25;

/** The id under which search lists the pages with an include that was not found. */
export const unknownContent = '';

/** Returns the lineage of the next revision of a branch, based on `lineage`. */
export const advanceLineage = (lineage: Lineage, branch: BranchId, seq: number): Lineage => [
  [branch, seq],
  ...(lineage[0]?.[0] === branch ? lineage.slice(1) : lineage),
];

/** Rejects a write if the head of the branch is not one of the revisions that the client expects. */
export function requireHead(head: string, expected: string[] | undefined): void {
  if (expected === undefined || expected.includes(head)) return;
  throw preconditionFailed(`The content changed. Its current revision is ${head}. Read it again.`);
}

/** The new state of a node. If `node` is undefined, the node is deleted. `undecided` are its unresolved conflicts. */
export interface NodeWrite {
  key: Pick<Node, 'kind' | 'id'>;
  node: Node | undefined;
  /** The former state; undefined if the node is new. */
  before?: Node | undefined;
  undecided?: Undecided | undefined;
}

/** Removes unresolved conflicts from a state that a change request writes to live content, which never has any. */
export const omitConflicts = ({ key, node, before }: NodeWrite): NodeWrite => ({
  key,
  before,
  node: node && { ...node, undecided: undefined, documentBase: undefined },
});

const supersedeVersions = prepareStatement((branch: SQL<BranchId>, seq: SQL<number>, json: SQL<string>) =>
  rawQuery(sql`
    UPDATE versions SET until = ${seq}
    WHERE branch = ${branch} AND +until = ${foreverSeq} AND (kind, id, since) IN (
      SELECT value->>'kind', value->>'id', (SELECT MAX(x.since) FROM versions x
        WHERE x.branch = ${branch} AND x.kind = value->>'kind' AND x.id = value->>'id')
      FROM json_each(${json}))`),
);

const addVersions = prepareStatement((branch: SQL<BranchId>, seq: SQL<number>, json: SQL<string>) =>
  rawQuery(sql`
    INSERT INTO versions (branch, kind, id, since, until, parent, position, slug, deleted, data, document)
    SELECT ${branch}, value->>'kind', value->>'id', ${seq}, ${foreverSeq}, value->>'parent', value->>'position', value->>'slug',
      value->>'deleted', value->>'data', value->>'document'
    FROM json_each(${json})`),
);

/**
 * Supersedes the current versions of these nodes on the branch and adds their new states, valid from `seq`. Writes rows
 * in proportion to the change.
 */
const writeNodes = (branch: BranchId, seq: number, writes: NodeWrite[]): Statement[] =>
  splitIntoJson(writes.map(({ key, node, undecided }) => toRow(key, node, undecided))).flatMap((json) => [
    supersedeVersions(branch, seq, json),
    addVersions(branch, seq, json),
  ]);
