import type { Database, RecordOf, RevisionPoint } from '@octavo/db';
import {
  changeRequestJoins,
  changeRequestRow,
  documents,
  foreverSeq,
  readRow,
  readRows,
  runBatch,
  selection,
} from '@octavo/db';
import type { Node } from '@octavo/merge';
import { nodeKey, sameNode } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { File, MergeConflict, SemanticChanges } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import type { FilePlace, FilePresentation } from '../../engine/reading/file-presenter.ts';
import { presentFiles } from '../../engine/reading/file-presenter.ts';
import type { nodeRow } from '../../engine/store/lineage.ts';
import { findNodes, stateAt } from '../../engine/store/lineage.ts';
import type { NodeRow } from '../../engine/store/nodes.ts';
import { nodesByKey, nodesOf, toNode, undecidedOf } from '../../engine/store/nodes.ts';
import { handler } from '../../handler.ts';
import type { NodeChange } from './presenter.ts';
import { describeChanges, TextChanges } from './presenter.ts';

/** What the branch of a change request changes against its base. */
export const getChangeRequestChanges = handler(
  'getChangeRequestChanges',
  ({ query }, { env, db, space, changeRequest, urls }) => {
    const { lineage } = changeRequest.head;
    const own = lineage[0]?.[0] === changeRequest.id;
    const keys = sql`SELECT v.kind AS kind, v.id AS id FROM versions v
    WHERE v.branch = ${changeRequest.id} AND v.kind IN ${toldKinds} AND v.until = ${foreverSeq}`;
    const before = JSON.stringify(own ? lineage.slice(1) : lineage);
    const place = { space: space.id, branch: changeRequest.id };
    return readChanges({ db, env, urls, place }, { before, after: JSON.stringify(lineage), keys }, query.limit);
  },
);

/** What a revision changed against its first parent; rows follow what was written between the two. */
export const getRevisionSemanticChanges = handler(
  'getRevisionSemanticChanges',
  async ({ query: { limit } }, { db, env, space, point, urls, visitor }) => {
    const place = { space: space.id, branch: null };
    const [changes, mergedFrom] = await Promise.all([
      readChanges({ db, env, urls, place }, betweenParentAnd(point), limit),
      findMerged(db, point),
    ]);
    return {
      ...changes,
      ...(mergedFrom === undefined || visitor !== undefined
        ? {}
        : { mergedFrom: presentChangeRequest(mergedFrom, urls) }),
    };
  },
);

/**
 * A branch that the parent does not read through has nothing before; only the revision's own adds to what it reads. A
 * revision without a parent wrote nothing: what flattening has put under it was there before.
 */
function betweenParentAnd({ id, seq, lineage }: RevisionPoint) {
  const after = JSON.stringify(lineage);
  const before = sql`(SELECT p.lineage FROM revisions r CROSS JOIN revisions p ON p.id = r.parents->>0 WHERE r.id = ${id})`;
  const keys = sql`SELECT DISTINCT v.kind AS kind, v.id AS id FROM (
      SELECT l.value->>0 AS branch, l.value->>1 AS upTo, COALESCE(
        (SELECT o.value->>1 FROM json_each(${before}) o WHERE o.value->>0 = l.value->>0),
        CASE WHEN l.key = 0 AND ${before} IS NOT NULL THEN ${seq} - 1 ELSE l.value->>1 END) AS beyond
      FROM json_each(${after}) l) b
    CROSS JOIN versions v INDEXED BY versions_written ON v.branch = b.branch AND v.since > b.beyond AND v.since <= b.upTo
    WHERE v.kind IN ${toldKinds}`;
  return { before, after, keys };
}

/** The change request that the revision merged, if it did. */
const findMerged = (db: Database, { id }: RevisionPoint) =>
  readRow(
    db,
    changeRequestRow.query(sql`SELECT ${changeRequestRow} FROM revisions r
    JOIN change_requests cr ON cr.id = r.change_request ${changeRequestJoins} WHERE r.id = ${id}`),
  );

/** Documents beyond this in one answer are listed without what became of their lines. */
const maxComparedBytes = 8 * 1024 * 1024;

/** The kinds of nodes that changes are told of. */
export const toldKinds = sql.raw("('page', 'file', 'reusable-content', 'variable')");

/** Two states, as lineages in JSON, and a SELECT of (kind, id): the nodes that may differ. */
export interface ComparedContent {
  before: SQL | string;
  after: SQL | string;
  keys: SQL;
}

interface Reading {
  db: Database;
  env: FilePresentation['env'];
  urls: Urls;
  /** Where the files of the state after are. */
  place: FilePlace;
}

/** What is different between two states, in two round trips; nodes that ended as they began are left out. */
export async function readChanges(
  reading: Reading,
  compared: ComparedContent,
  limit: number,
): Promise<SemanticChanges> {
  const { db } = reading;
  const { before, after, keys } = compared;
  const parents = sql`SELECT kind, parent FROM (${nodesAt(after, keys)} UNION ${nodesAt(before, keys)}) WHERE parent <> ''`;
  const rows = await runBatch(db, {
    after: findNodes(after, keys),
    before: findNodes(before, keys),
    parents: findNodes(after, parents),
  });
  const was = nodesByKey(rows.before);
  const changed = rows.after.sort(byTime).flatMap((row): NodeChange[] => {
    const change = { before: was.get(nodeKey(row)), after: toNode(row) };
    return sameNode(change.before, change.after) ? [] : [change];
  });
  const listed = changed.slice(0, limit);
  const around: Node[] = [...nodesOf(rows.parents), ...was.values()];
  const changes = describeChanges(listed, {
    around,
    texts: new TextChanges(await readTexts(db, listed)),
    files: await presentChanged(listed, reading),
  });
  return {
    changes,
    ...(changed.length > listed.length ? { more: changed.length - listed.length } : {}),
    ...conflictsIn(rows.after, was, limit),
  };
}

/** What updates have left and nobody has decided since. */
function conflictsIn(rows: NodeRow[], was: Map<string, Node>, limit: number) {
  const conflicts = rows.flatMap((row): MergeConflict[] => {
    const key = { kind: row.kind, id: row.id };
    const undecided = Object.entries(undecidedOf(row) ?? {});
    if (undecided.length === 0) return [];
    const title = (toNode(row) ?? was.get(nodeKey(key)))?.fields.title;
    const named = typeof title === 'string' ? { ...key, title } : key;
    return undecided.map(([field, { message }]) => ({ ...named, field, message }));
  });
  if (conflicts.length === 0) return {};
  const more = conflicts.length > limit ? { moreConflicts: conflicts.length - limit } : {};
  return { conflicts: conflicts.slice(0, limit), ...more };
}

/** The files that changed, in both states; the former is given as the revisions before hold it. */
async function presentChanged(changed: NodeChange[], { env, urls, place }: Reading) {
  const isFile = (node: Node | undefined): node is Node => node?.kind === 'file';
  const present = async (nodes: (Node | undefined)[], branch: FilePlace['branch']) =>
    byId(await presentFiles(nodes.filter(isFile), { env, urls, metadata: true, place: { ...place, branch } }));
  return {
    before: await present(
      changed.map(({ before }) => before),
      null,
    ),
    after: await present(
      changed.map(({ after }) => after),
      place.branch,
    ),
  };
}

const byId = (files: File[]): Map<string, File> => new Map(files.map((file) => [file.id, file]));

const byTime = (one: RecordOf<typeof nodeRow>, other: RecordOf<typeof nodeRow>): number =>
  one.since - other.since || (one.id < other.id ? -1 : 1);

const d = aliasedTable(documents, 'd');
const textRow = selection({ hash: d.hash, markdown: d.markdown });

/** The texts of the documents that changed, by id, as many as may be compared. */
async function readTexts(db: Database, changes: NodeChange[]): Promise<Map<string, string>> {
  const hashes = changes.flatMap(({ before, after }) =>
    before?.document === after?.document ? [] : [before?.document, after?.document],
  );
  const texts = await readRows(
    db,
    textRow.query(sql`
    SELECT ${textRow} FROM documents d WHERE d.hash IN (
      SELECT hash FROM (
        SELECT sized.hash, SUM(sized.bytes) OVER (ORDER BY wanted.key) AS total
        FROM json_each(${JSON.stringify(hashes.filter((hash) => hash != null))}) wanted
        CROSS JOIN documents sized ON sized.hash = wanted.value)
      WHERE total <= ${maxComparedBytes})`),
  );
  return new Map(texts.map((row) => [row.hash, row.markdown]));
}

const nodesAt = (lineage: SQL | string, keys: SQL) => sql`
  SELECT v.kind, v.parent FROM (${keys}) w
    CROSS JOIN (SELECT value->>0 AS branch, value->>1 AS seq FROM json_each(${lineage})) l
    CROSS JOIN versions v ON ${stateAt(sql`w.kind`, sql`w.id`)}
  WHERE w.kind = 'page'`;
