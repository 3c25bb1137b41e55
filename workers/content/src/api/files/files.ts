import type { Cursor, Database, RevisionPoint } from '@octavo/db';
import { decodeCursor, paginate, readRow, readRows, runBatch } from '@octavo/db';
import type { Node } from '@octavo/merge';
import type { Urls } from '@octavo/runtime';
import type { Visitor } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { FileLocation } from '../../engine/reading/file-presenter.ts';
import {
  compareNewestFirst,
  getFileLocation,
  getVisitedLocation,
  presentFile,
  presentFiles,
} from '../../engine/reading/file-presenter.ts';
import { loadShownUse, readShownTargets, readShownUse, ShownContent } from '../../engine/reading/visibility.ts';
import { findFiles, getNode, getNodes } from '../../engine/store/content.ts';
import { toNode, toNodes } from '../../engine/store/nodes.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { handler } from '../../handler.ts';

export const getFileById = handler('getFileById', async ({ params, query }, context) => {
  const { env, db, point, urls, visitor } = context;
  const { fileId: id } = params;
  if (visitor !== undefined) return readVisitedFile(id, getFileLocation(params, context), { ...context, visitor });
  const row = await readRow(db, getNode(point, 'file', id));
  const node = row && toNode(row);
  if (node === undefined) throw notFound('file');
  return presentFile(node, { env, urls, location: getFileLocation(params, context), metadata: query.metadata });
});

interface VisitedReading {
  env: ContentEnvironment;
  db: Database;
  point: RevisionPoint;
  urls: Urls;
  visitor: Visitor;
}

/** A visitor may see a file if something visible uses it. */
async function readVisitedFile(id: string, location: FileLocation, { env, db, point, urls, visitor }: VisitedReading) {
  const lineage = JSON.stringify(point.lineage);
  const { files, ...rows } = await runBatch(db, { files: getNode(point, 'file', id), ...readShownUse(lineage, id) });
  const node = files[0] && toNode(files[0]);
  if (node === undefined) throw notFound('file');
  const content = await loadShownUse({ db, lineage, id, claims: visitor.claims }, rows);
  if (!content.isUsed(node)) throw notFound('file');
  const visitedLocation = await getVisitedLocation(location, visitor, content.isOpen);
  return presentFile(node, { env, urls, location: visitedLocation, metadata: false });
}

/**
 * Lists the files at a point, newest first, in one round trip. Rows are proportional to the page; for a visitor, to the
 * size of the space.
 */
export const listFiles = handler('listFiles', async ({ params, query: { page, limit, metadata } }, context) => {
  const { env, db, point, urls, visitor } = context;
  const after = decodeCursor(page, ['string', 'string']);
  const location = getFileLocation(params, context);
  if (visitor !== undefined) return listVisitedFiles({ after, limit, at: location }, { ...context, visitor });
  const files = toNodes(await readRows(db, findFiles(point, { after, limit: limit + 1 })));
  const list = paginate(files, limit, { item: (file) => file, getCursor });
  return { ...list, items: await presentFiles(list.items, { env, urls, location, metadata }) };
});

const getCursor = ({ position, id }: Node) => [position, id];

/** The files that a visitor may see depend on the pages that use them, so the whole space is read. */
async function listVisitedFiles(
  { after, limit, at: location }: { after: Cursor | undefined; limit: number; at: FileLocation },
  { env, db, point, urls, visitor }: VisitedReading,
) {
  const readVisible = readShownTargets(JSON.stringify(point.lineage));
  const { files, ...rows } = await runBatch(db, { files: getNodes(point, 'file'), ...readVisible });
  const content = new ShownContent(visitor.claims, rows);
  const [position, id] = after ?? [];
  const isAfter = (file: Node) =>
    after === undefined || file.position < String(position) || (file.position === position && file.id < String(id));
  const visibleFiles = toNodes(files).filter((file) => content.isUsed(file) && isAfter(file));
  const list = paginate(visibleFiles.sort(compareNewestFirst).slice(0, limit + 1), limit, {
    item: (file) => file,
    getCursor,
  });
  const visitedLocation = await getVisitedLocation(location, visitor, content.isOpen);
  return { ...list, items: await presentFiles(list.items, { env, urls, location: visitedLocation, metadata: false }) };
}
