import type { Connection, Lookup, RecordOf, RowsOf } from '@octavo/db';
import {
  abortUnless,
  changeRequests,
  commit,
  commitCheckedOnce,
  computed,
  fromQuery,
  ignoreConflict,
  nullable,
  retryOnConflict,
  revisions,
  runBatch,
  selectBranchLineage,
  selection,
  spaces,
} from '@octavo/db';
import { selectSide } from '@octavo/merge';
import type { Background } from '@octavo/runtime';
import { createUrls, requireHead, runMeteredWork, sendEvents } from '@octavo/runtime';
import type {
  AppliedChange,
  Caller,
  ContentChange,
  EditableBranchId,
  Issue,
  Metered,
  RevisionId,
  SpaceId,
} from '@octavo/schema';
import { ApiError, conflict, describeIssues, notFound, preconditionFailed } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { ContentEnvironment } from '../../environment.ts';
import { settleBlobs } from '../blobs/store-blobs.ts';
import { resolveWrites } from '../links/resolve-writes.ts';
import { selectBaseLineage } from '../store/lineage.ts';
import type { FileFields } from '../store/nodes.ts';
import { getFileFields } from '../store/nodes.ts';
import type { NodeWrite } from '../store/revisions.ts';
import { advanceLineage, omitConflicts, writeDocuments, writeRevision } from '../store/revisions.ts';
import { loadDecisions, prepareBlockReverts, resolve } from './decisions.ts';
import type { PreparedChange, ReadChange } from './documents.ts';
import { getSlugs, keepLineEnds, readText } from './documents.ts';
import { createContentReads, findRequiredContent, toLoadedContent } from './load-content.ts';
import {
  deleteFile,
  deletePage,
  deleteReusableContent,
  insertComputed,
  insertFiles,
  insertGroup,
  insertLink,
  insertPage,
  insertReusableContent,
  revertFile,
  revertPage,
  setVariables,
  updateFile,
  updatePage,
  updateReusableContent,
} from './node-changes.ts';
import { type BlockSuggestion, prepareSuggestion, resolveComment } from './suggestions.ts';
import type { Apply, ChangeContext } from './tree.ts';
import { ContentTree, rejectDeepPages } from './tree.ts';

/**
 * A batch of changes to one branch: the space's own branch (`branch` is the id of the space) or the branch of a change
 * request.
 */
export interface BranchEdit extends Caller {
  space: SpaceId;
  branch: EditableBranchId;
  changes: PreparedChange[];
  /** The revision the changes are based on, if the client sends it: it must still be the head. */
  base: string | undefined;
  /** The revisions from If-Match: one of them must be the head. */
  expected: string[] | undefined;
  /** The suggestion of a comment that is applied to the page of the only change, and resolved. */
  suggestion?: BlockSuggestion | undefined;
  /** The rows of `queryEdit`, if they were read with the authorization. If they are outdated, the edit reads again. */
  rows?: EditRows | undefined;
}

type EditRows = RowsOf<ReturnType<typeof queryEdit>>;

interface EditedBranch {
  space: SpaceId;
  branch: EditableBranchId | Lookup<string>;
  /** Whether the branch is that of the live content. */
  isLive: boolean;
}

/** Returns the queries for everything that most edits need. */
export function queryEdit(changes: ReadChange[], { space, branch, isLive }: EditedBranch) {
  const required = findRequiredContent(
    changes.map(({ change }) => change),
    changes.map(getSlugs),
  );
  const source = getSource({ space, branch, isLive });
  return { state: queryBranchState({ space, branch }), ...createContentReads(source, required) };
}

const getSource = ({ space, branch, isLive }: EditedBranch) => ({
  space,
  lineage: selectBranchLineage(branch),
  baseLineage: isLive ? sql`NULL` : selectBaseLineage(branch),
});

export interface EditResult {
  revision: RevisionId;
  changes: AppliedChange[];
  insertedFiles: { id: string; fields: FileFields }[];
}

/** Applies a batch to a branch as one new revision, all or nothing: one read, unless its rows are passed, and one commit. */
export const editBranch = (
  env: ContentEnvironment,
  background: Background,
  { rows, ...edit }: BranchEdit,
): Promise<Metered<EditResult>> =>
  runMeteredWork(env, async (connection) => {
    const attempt = (rows?: EditRows) => attemptEdit(env, background, { connection, edit, rows });
    const result = rows && (await ignoreConflict(() => attempt(rows)));
    return result ?? retryOnConflict(attempt);
  });

async function attemptEdit(
  env: ContentEnvironment,
  background: Background,
  { connection: { db }, edit, rows }: { connection: Connection; edit: BranchEdit; rows: EditRows | undefined },
): Promise<EditResult> {
  const { space, branch } = edit;
  const edited = { space, branch, isLive: branch === space };
  const source = getSource(edited);
  const {
    state: [state],
    ...contentRows
  } = rows ?? (await runBatch(db, queryEdit(edit.changes, edited)));
  const content = toLoadedContent(contentRows);
  if (state === undefined) throw notFound('space');
  const head = requireOpenHead(state, edit);
  requireBase(head.revision, edit);
  const { organization } = state;
  const decisions = await loadDecisions({ db, source, organization }, content, edit.changes);
  const tree = new ContentTree(decisions.content, Date.now());
  const urls = createUrls(env);
  const prefix = branch === space ? `/spaces/${space}` : `/spaces/${space}/change-requests/${branch}`;
  const prepared = await keepLineEnds(decisions.changes, content, organization);
  const changes = await prepareBlocks(prepared, edit, { tree, db, organization });
  applyChanges(changes, tree, (page) => urls.location(`${prefix}/content/page/${page}`));
  const texts = changes.flatMap(({ document }) => document?.stored ?? []);
  const resolvedWrites = await resolveWrites({ db, lineage: JSON.stringify(head.lineage), tree, texts, space, urls });
  const writes = branch === space ? resolvedWrites.map(omitConflicts) : resolvedWrites;
  const seq = head.seq + 1;
  const revision = writeRevision(db, {
    ...{ space, organization, branch, seq, writes, texts },
    type: 'edits',
    parents: [head.revision],
    lineage: advanceLineage(head.lineage, branch, seq),
    author: edit.actor,
  });
  const resolution = edit.suggestion && resolveComment(db, edit.suggestion, { ...edit, organization, id: revision.id });
  const insertedFiles = tree.getInsertedFiles().map((file) => ({ id: file.id, fields: getFileFields(file) }));
  const statements = [
    requireStillOpen(db, edit),
    ...settleBlobs(db, findStoredBlobs(changes, writes)),
    ...writeDocuments(db, texts),
    ...revision.statements,
    ...(resolution?.statements ?? []),
  ];
  const { messages } = await commitCheckedOnce(db, resolution?.checks ?? [], (guards) =>
    commit(db, edit, [...guards, ...statements], [...revision.events, ...(resolution?.events ?? [])]),
  );
  sendEvents(env, background, messages);
  return { revision: revision.id, changes: tree.getAppliedChanges(), insertedFiles };
}

/** Creates the texts in which blocks are replaced by a suggestion or reverted. */
const prepareBlocks = (
  prepared: PreparedChange[],
  { suggestion }: Pick<BranchEdit, 'suggestion'>,
  context: Parameters<typeof prepareSuggestion>[2],
): Promise<PreparedChange[]> =>
  suggestion ? prepareSuggestion(prepared, suggestion, context) : prepareBlockReverts(prepared, context.tree, context);

function requireBase(head: string, { expected, base }: BranchEdit): void {
  requireHead(head, expected);
  if (base !== undefined && base !== head)
    throw conflict(`The content changed. Its current revision is ${head}. Read it again.`);
}

/** Returns the blobs that the batch stored and that its writes refer to. */
function findStoredBlobs(changes: PreparedChange[], writes: NodeWrite[]): string[] {
  const blobKeys = new Set(changes.flatMap(({ files = [] }) => files.map(({ blob }) => blob.key)));
  return writes.flatMap(({ node }) => {
    const blob = node?.kind === 'file' ? getFileFields(node).blob : undefined;
    return blob !== undefined && blobKeys.has(blob) ? [blob] : [];
  });
}

type BranchOfSpace = Pick<BranchEdit, 'space' | 'branch'>;

const [s, cr] = [aliasedTable(spaces, 's'), aliasedTable(changeRequests, 'cr')];

const stateRow = selection({
  organization: s.organization,
  editMode: s.editMode,
  deletedAt: s.deletedAt,
  status: nullable(cr.status),
  head: nullable({
    revision: computed(revisions.id, sql`COALESCE(head.id, cr.revision_initial)`),
    seq: computed(revisions.seq, sql`COALESCE(head.seq, 0)`),
    lineage: fromQuery(revisions.lineage),
  }),
});
type BranchState = RecordOf<typeof stateRow>;

/** Returns the query for the head of the branch and whether it may be written. */
export const queryBranchState = ({ space, branch }: Pick<EditedBranch, 'space' | 'branch'>) =>
  stateRow.query(sql`
  SELECT ${stateRow.with({ head: { lineage: selectBranchLineage(branch) } })} FROM spaces s
  LEFT JOIN change_requests cr ON cr.id = ${branch} AND cr.space = s.id
  LEFT JOIN revisions head ON head.branch = ${branch} AND head.seq = (SELECT MAX(seq) FROM revisions WHERE branch = ${branch})
  WHERE s.id = ${space}`);

/** Returns the head of a branch that may be written. @throws ApiError */
export function requireOpenHead(
  { deletedAt, editMode, status, head }: BranchState,
  { space, branch }: BranchOfSpace,
): NonNullable<BranchState['head']> {
  if (deletedAt !== null) throw notFound('space');
  if (branch === space && editMode === 'locked')
    throw preconditionFailed('Live edits are locked in this space. Use a change request instead.');
  if (head === null || (branch !== space && status === null)) throw notFound('change request');
  if (branch !== space && (status === 'merged' || status === 'archived'))
    throw conflict(`The change request is ${status} and cannot be edited.`);
  return head;
}

/** The condition checked by `requireOpenHead`, which must still hold when the batch is written. */
export const requireStillOpen = (db: Connection['db'], { space, branch }: BranchOfSpace) => {
  const isLive = sql`SELECT 1 FROM spaces WHERE id = ${space} AND deleted_at IS NULL`;
  return abortUnless(
    db,
    branch === space
      ? sql`EXISTS (${isLive} AND edit_mode = 'live')`
      : sql`EXISTS (${isLive}) AND EXISTS (SELECT 1 FROM change_requests WHERE id = ${branch} AND status IN ('draft', 'open'))`,
  );
};

const operations: { [Operation in ContentChange['operation']]: Apply<Operation> } = {
  insert_page: insertPage,
  insert_group: insertGroup,
  insert_link: insertLink,
  insert_computed: insertComputed,
  update_page: updatePage,
  delete_page: deletePage,
  revert_page: revertPage,
  set_variables: setVariables,
  insert_reusable_content: insertReusableContent,
  update_reusable_content: updateReusableContent,
  delete_reusable_content: deleteReusableContent,
  insert_files: insertFiles,
  update_file: updateFile,
  delete_file: deleteFile,
  revert_file: revertFile,
  resolve,
};

/** Applies a batch in order. The first change that fails rejects the whole batch; the error names its index. */
function applyChanges(prepared: PreparedChange[], tree: ContentTree, getUrl: (page: string) => string): void {
  const documents = new Map(
    prepared.flatMap(({ document }) => (document?.stored ? [[document.stored.hash, document]] : [])),
  );
  const readMetadata: ChangeContext['readMetadata'] = (hash, markerLength) => {
    const document = documents.get(hash);
    const text = document?.stored?.markdown ?? tree.content.texts.get(hash) ?? '';
    const mine = markerLength === undefined ? text : (selectSide(text, markerLength, 'incoming') ?? text);
    if (mine === text && document !== undefined) return document;
    return mine === '' ? undefined : readText(mine).metadata;
  };
  prepared.forEach((each, index) => {
    const apply = operations[each.change.operation] as (change: ContentChange, context: ChangeContext) => void;
    try {
      apply(each.change, { tree, index, prepared: each, getUrl, readMetadata });
    } catch (error) {
      throw addChangePath(error, index);
    }
  });
  rejectDeepPages(tree);
}

function addChangePath(error: unknown, index: number): unknown {
  if (!(error instanceof ApiError)) return error;
  const path = `body.changes.${index}`;
  const issues: Issue[] = error.issues?.map((issue) => ({ ...issue, path: `${path}.${issue.path}` })) ?? [
    { path, message: error.message },
  ];
  return new ApiError(error.type, describeIssues(issues), issues);
}
