import type { Database, RecordOf } from '@octavo/db';
import { runBatch } from '@octavo/db';
import type { Node } from '@octavo/merge';
import { getNodeKey, isSameNode } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { File, MergeConflict, SemanticChanges } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { FileLocation, FilePresentation } from '../../engine/reading/file-presenter.ts';
import { presentFiles } from '../../engine/reading/file-presenter.ts';
import type { nodeRow } from '../../engine/store/lineage.ts';
import type { NodeRow } from '../../engine/store/nodes.ts';
import { getUndecided, toNode, toNodes, toNodesByKey } from '../../engine/store/nodes.ts';
import { handler } from '../../handler.ts';
import type { NodeChange } from './presenter.ts';
import { describeChanges, TextChanges } from './presenter.ts';
import type { ComparedContent } from './queries.ts';
import {
  compareWithBase,
  compareWithParent,
  findMergedChangeRequest,
  readComparedNodes,
  readTexts,
} from './queries.ts';

/** Compares a change request with its base. */
export const getChangeRequestChanges = handler(
  'getChangeRequestChanges',
  ({ query }, { env, db, space, changeRequest, urls }) => {
    const location = { space: space.id, branch: changeRequest.id };
    return readChanges({ db, env, urls, location }, compareWithBase(changeRequest), query);
  },
);

/** Compares a revision with its first parent. Rows read are proportional to the changes between the two. */
export const getRevisionSemanticChanges = handler(
  'getRevisionSemanticChanges',
  async ({ query }, { db, env, space, point, urls, visitor }) => {
    const location = { space: space.id, branch: null };
    const [changes, mergedFrom] = await Promise.all([
      readChanges({ db, env, urls, location }, compareWithParent(point), query),
      findMergedChangeRequest(db, point),
    ]);
    return {
      ...changes,
      ...(mergedFrom === undefined || visitor !== undefined
        ? {}
        : { mergedFrom: presentChangeRequest(mergedFrom, urls) }),
    };
  },
);

interface ChangesReading {
  db: Database;
  env: FilePresentation['env'];
  urls: Urls;
  /** The location of the files in the newer state. */
  location: FileLocation;
}

/** Compares two states. One round trip, and one more for diffs. Nodes that are equal in both states are left out. */
async function readChanges(
  request: ChangesReading,
  compared: ComparedContent,
  { limit, diffs, targetPage }: { limit: number; diffs: boolean; targetPage?: string | undefined },
): Promise<SemanticChanges> {
  const { db } = request;
  const keys = targetPage === undefined ? compared.keys : sql`SELECT 'page' AS kind, ${targetPage} AS id`;
  const rows = await runBatch(db, readComparedNodes({ ...compared, keys }));
  const formerNodes = toNodesByKey(rows.before);
  const changed = rows.after.sort(compareTime).flatMap((row): NodeChange[] => {
    const change = { before: formerNodes.get(getNodeKey(row)), after: toNode(row) };
    return isSameNode(change.before, change.after) ? [] : [change];
  });
  const listedChanges = changed.slice(0, limit);
  const surroundingNodes: Node[] = [...toNodes(rows.parents), ...formerNodes.values()];
  const changes = describeChanges(listedChanges, {
    surroundingNodes,
    texts: new TextChanges(diffs ? await readTexts(db, listedChanges) : undefined),
    files: await presentChangedFiles(listedChanges, request),
  });
  return {
    changes,
    ...(changed.length > listedChanges.length ? { more: changed.length - listedChanges.length } : {}),
    ...getConflicts(rows.after, formerNodes, limit),
  };
}

/** Returns the conflicts that updates have left unresolved. */
function getConflicts(rows: NodeRow[], formerNodes: Map<string, Node>, limit: number) {
  const conflicts = rows.flatMap((row): MergeConflict[] => {
    const key = { kind: row.kind, id: row.id };
    const conflictEntries = Object.entries(getUndecided(row) ?? {});
    if (conflictEntries.length === 0) return [];
    const title = (toNode(row) ?? formerNodes.get(getNodeKey(key)))?.fields.title;
    const namedKey = typeof title === 'string' ? { ...key, title } : key;
    return conflictEntries.map(([field, { message }]) => ({ ...namedKey, field, message }));
  });
  if (conflicts.length === 0) return {};
  const truncation = conflicts.length > limit ? { moreConflicts: conflicts.length - limit } : {};
  return { conflicts: conflicts.slice(0, limit), ...truncation };
}

/** Presents changed files in both states. In the older state, their URLs name the revision. */
async function presentChangedFiles(changed: NodeChange[], { env, urls, location }: ChangesReading) {
  const isFile = (node: Node | undefined): node is Node => node?.kind === 'file';
  const presentById = async (nodes: (Node | undefined)[], branch: FileLocation['branch']) =>
    toFilesById(
      await presentFiles(nodes.filter(isFile), { env, urls, metadata: true, location: { ...location, branch } }),
    );
  return {
    before: await presentById(
      changed.map(({ before }) => before),
      null,
    ),
    after: await presentById(
      changed.map(({ after }) => after),
      location.branch,
    ),
  };
}

const toFilesById = (files: File[]): Map<string, File> => new Map(files.map((file) => [file.id, file]));

const compareTime = (one: RecordOf<typeof nodeRow>, other: RecordOf<typeof nodeRow>): number =>
  one.since - other.since || (one.id < other.id ? -1 : 1);
