import type { Cursor, RowsOf } from '@octavo/db';
import { decodeCursor, paginate, toLineageValue } from '@octavo/db';
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
import { loadShownUse, queryShownTargets, queryVisibleUses, ShownContent } from '../../engine/reading/visibility.ts';
import { queryFilesAfter, queryNode, queryNodesOfKind } from '../../engine/store/content.ts';
import { type NodeRow, toNode, toNodes } from '../../engine/store/nodes.ts';
import type { ContentEnvironment } from '../../environment.ts';
import { handler } from '../../handler.ts';

/** A visitor may see a file if something visible uses it. */
export const getFileById = handler('getFileById', {
  reads: ({ params: { fileId: id } }, { point, visitor }) => ({
    files: queryNode(point, 'file', id),
    ...queryVisibleUses(toLineageValue(point), id, visitor !== undefined),
  }),
  async handle({ params, query }, context, { files: [row], ...rows }) {
    const { env, db, point, urls, visitor } = context;
    const node = row && toNode(row);
    if (node === undefined) throw notFound('file');
    const location = getFileLocation(params, context);
    if (visitor === undefined) return presentFile(node, { env, urls, location, metadata: query.metadata });
    const reading = { db, lineage: JSON.stringify(point.lineage), id: node.id, claims: visitor.claims };
    const content = await loadShownUse(reading, rows);
    if (!content.isUsed(node)) throw notFound('file');
    const visitedLocation = await getVisitedLocation(location, visitor, content.isOpen);
    return presentFile(node, { env, urls, location: visitedLocation, metadata: false });
  },
});

const decodeFileCursor = (page: string | undefined) => decodeCursor(page, ['string', 'string']);

/**
 * Lists the files at a point, newest first. Rows are proportional to the page. The files that a visitor may see depend
 * on the pages that use them, so for a visitor the whole space is read.
 */
export const listFiles = handler('listFiles', {
  reads: ({ query: { page, limit } }, { point, visitor }) => ({
    files:
      visitor === undefined
        ? queryFilesAfter(point, { after: decodeFileCursor(page), limit: limit + 1 })
        : queryNodesOfKind(point, 'file'),
    ...queryShownTargets(toLineageValue(point), visitor !== undefined),
  }),
  async handle({ params, query: { page, limit, metadata } }, context, rows) {
    const { env, urls, visitor } = context;
    const location = getFileLocation(params, context);
    if (visitor !== undefined)
      return listVisitedFiles(rows, { after: decodeFileCursor(page), limit, at: location }, { ...context, visitor });
    const list = paginate(toNodes(rows.files), limit, { item: (file) => file, getCursor });
    return { ...list, items: await presentFiles(list.items, { env, urls, location, metadata }) };
  },
});

const getCursor = ({ position, id }: Node) => [position, id];

type VisitedRows = RowsOf<ReturnType<typeof queryShownTargets>> & { files: NodeRow[] };

async function listVisitedFiles(
  { files, ...rows }: VisitedRows,
  { after, limit, at: location }: { after: Cursor | undefined; limit: number; at: FileLocation },
  { env, urls, visitor }: { env: ContentEnvironment; urls: Urls; visitor: Visitor },
) {
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
