import type { OutlineSource } from '@octavo/outline';
import {
  exportFiles,
  exportNodes,
  type FindKnownText,
  type NodeText,
  readSpace,
  type SpaceContent,
  walkPresent,
} from '@octavo/space-files';
import type { Api } from '../api.ts';
import type { ImportProblem } from '../import/source.ts';
import {
  createRangePoint,
  createTreeMessage,
  findRevisionsSince,
  getCommitter,
  isEmpty,
  type Point,
  writeCommit,
} from './points.ts';
import type { SyncState } from './remote.ts';
import { getChange, requireOnlySpaceFiles, type Tree, Trees } from './tree.ts';

interface WrittenCommit {
  id: string;
  subject: string;
  written: number;
  removed: number;
}

interface BranchEnd {
  folder: string;
  root: string;
  tip: string | undefined;
  /** Paths that earlier exports generated, by item ID. */
  givenNames: ReadonlyMap<string, string>;
}

interface CommonState {
  /** The content that both sides had in common. */
  content: SpaceContent;
  /** The tree of the newest commit, and the tree before the repository's changes. */
  tree: Tree;
  formerTree: Tree;
  /** Whether the common content is live content and not the content of a change request. */
  isLive: boolean;
  /** Whether the repository has no changes. Then each merge becomes a separate commit. */
  isSingleWriter: boolean;
  /** Whether the file of a node may be deleted, by node ID. */
  canDelete: (id: string) => boolean;
  /** Paths of files that differ from the space because their changes are in a conflict change request. */
  heldPaths: ReadonlySet<string>;
  /** The previous state, if there is one. The commit message names the change requests merged since then. */
  last: SyncState | undefined;
  /** ID of the change request with the repository's changes. */
  ownRequest: string | undefined;
  /** Whether this is the first sync, without a common state. */
  isFirst?: boolean;
}

interface RestoredItems {
  commits: WrittenCommit[];
  revision: string;
  /** Paths of items that have no Git path, by ID. */
  givenNames: Map<string, string>;
  /** Content that files cannot express, and files that were not written, with the reasons. */
  problems: ImportProblem[];
}

/**
 * Commits the current content of the space on top of the newest commit: one commit per merge if the repository has no
 * changes, else one commit for everything.
 */
export async function restoreDeleted(api: Api, end: BranchEnd, common: CommonState): Promise<RestoredItems> {
  const { content, isLive, isSingleWriter } = common;
  const space = await api.getSpaceById({ params: { spaceId: content.space } });
  if (isLive && isSingleWriter && space.revision === content.revision)
    return { commits: [], revision: space.revision, givenNames: new Map(end.givenNames), problems: [] };
  const revisions = isLive && isSingleWriter ? await findRevisionsSince(api, content, space.revision) : undefined;
  const points = revisions ?? [await createRangePoint(api, content.space, { head: space.revision, ...common })];
  const commits: WrittenCommit[] = [];
  let problems: ImportProblem[] = [];
  let before: FormerState = { content, tree: common.tree, parent: end.tip };
  for (const point of points) {
    const { commit, ...result } = await restorePoint(api, point, { before, end, common });
    if (commit) commits.push(commit);
    [before, problems] = [result.before, result.problems];
  }
  return { commits, revision: space.revision, givenNames: findFileNames(before), problems };
}

/**
 * Returns the paths that the state stores: paths of nodes that differ from the Git path of the node, and paths of
 * deleted nodes to which links remain.
 */
function findFileNames({ content, tree }: FormerState): Map<string, string> {
  const pathsById = new Map([...getNodes(content), ...content.files].map(({ id, git }) => [id, git?.path]));
  const newNames = [...content.names].filter(([id, path]) => pathsById.get(id) !== path && tree.blobs.has(path));
  return new Map([...content.deletedPaths, ...newNames]);
}

interface FormerState {
  content: SpaceContent;
  tree: Tree;
  parent: string | undefined;
}

interface SyncPoint {
  before: FormerState;
  end: BranchEnd;
  common: CommonState;
}

async function restorePoint(api: Api, { id, message, author }: Point, { before, end, common }: SyncPoint) {
  const { content, tree } = before;
  const { folder, root } = end;
  const givenNames = new Map([...end.givenNames, ...findFileNames(before)]);
  const formerNames = new Map([...content.deletedPaths, ...content.names]);
  const spaceContent = await readSpace(api, content.space, id, {
    ...tree,
    givenPaths: givenNames,
    formerPaths: formerNames,
  });
  const target = removeDeletedFiles(before, spaceContent);
  const exported = await exportFiles(api, spaceContent, {
    target,
    findKnownText: createKnownTexts(before, spaceContent),
    heldVariables: new Set(Object.keys(content.variables)),
    keepsUnlisted: true,
  });
  const now = { ...spaceContent, deletedPaths: exported.deletedPaths };
  const findKnownText = createTextLookup(before, now, exported.texts);
  const held = { nodes: await exportNodes(api, content, { target, findKnownText }), tree };
  const { canDelete, heldPaths, isFirst = false } = common;
  const change = await getChange(exported, {
    heldBlob: held,
    formerTree: common.formerTree,
    canDelete,
    heldPaths,
    isFirst,
  });
  const unwritten = exported.incomplete.filter(({ path }) => change.files.has(path));
  const problems = [
    ...change.keptPaths.map(createKeptFileWarning),
    ...[...exported.unwritable, ...unwritten].map(getWarning),
  ];
  if (isEmpty(change)) return { before: { ...before, content: now }, problems };
  const commitAuthor = author ?? (await getCommitter(folder));
  const { parent } = before;
  const words = message ?? createTreeMessage(change, id);
  const commitId = await writeCommit(change, { folder, parent, root, author: commitAuthor, message: `${words}\n` });
  const after = await new Trees(folder, root).read(commitId);
  requireOnlySpaceFiles(held, after, exported.shared);
  const commit: WrittenCommit = {
    id: commitId,
    subject: words.split('\n')[0] ?? '',
    written: change.files.size,
    removed: change.removed.length,
  };
  return { before: { content: now, tree: after, parent: commitId }, problems, commit };
}

const createKeptFileWarning = (path: string): ImportProblem => ({
  kind: 'failed',
  path,
  message: "Not written, because the repository's version of the file could not be imported into the space.",
});

const getWarning = (warning: { path: string; message: string }): ImportProblem => ({ kind: 'warning', ...warning });

/** Returns the files of the repository, without those that the space has deleted. */
function removeDeletedFiles({ content, tree }: FormerState, now: SpaceContent): OutlineSource {
  const [formerPaths, currentPaths] = [new Set(content.names.values()), new Set(now.names.values())];
  return {
    ...tree.source,
    paths: tree.source.paths.filter((path) => !formerPaths.has(path) || currentPaths.has(path)),
  };
}

const getNodes = ({ pages, reusableContents }: SpaceContent) => [...walkPresent(pages), ...reusableContents];

const getDocuments = (content: SpaceContent): Map<string, string | undefined> =>
  new Map(getNodes(content).map(({ id, document }) => [id, document]));

/** Returns a function that reads unchanged texts from the tree. If any path has changed, it returns no texts. */
function createKnownTexts(before: FormerState, now: SpaceContent): FindKnownText {
  const { content } = before;
  const hasSameNames = JSON.stringify([...content.names].sort()) === JSON.stringify([...now.names].sort());
  const documents = getDocuments(content);
  const readFormer = createTreeReader(before);
  return async (id, document) =>
    hasSameNames && document !== undefined && documents.get(id) === document ? readFormer(id) : undefined;
}

/**
 * Returns a function that reads the common texts: from `texts` if the document is still the same, otherwise from the
 * tree if its blob matches.
 */
function createTextLookup(before: FormerState, now: SpaceContent, texts: ReadonlyMap<string, NodeText>): FindKnownText {
  const documents = getDocuments(now);
  const readFormer = createTreeReader(before);
  return async (id, document) =>
    document !== undefined && documents.get(id) === document ? texts.get(id) : readFormer(id);
}

/**
 * Returns a function that reads the text of a node from the tree if the node's blob ID on the server matches the tree.
 */
function createTreeReader({ content, tree }: FormerState): (id: string) => Promise<NodeText | undefined> {
  const oids = new Map(getNodes(content).map(({ id, git }) => [id, git?.oid]));
  return async (id) => {
    const path = content.names.get(id) ?? '';
    const blob = tree.blobs.get(path);
    if (blob === undefined || oids.get(id) !== blob.oid) return undefined;
    return { text: new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(await tree.source.read(path)) };
  };
}
