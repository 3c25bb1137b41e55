import { changeRequestJoins, changeRequestRow, maybe, revisions, runBatch, selection } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentChangeRequest } from '@octavo/runtime';
import type { content, Served, Variables } from '@octavo/schema';
import { notFound, timestamp } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { findAllNodes } from '../../engine/nodes/find-nodes.ts';
import { nodesOf } from '../../engine/nodes/stored-node.ts';
import { filePlace, newestFirst, presentFiles } from '../../engine/reading/present-file.ts';
import { presentTree, readPages, root } from '../../engine/reading/present-page.ts';
import { presentReusableContent } from '../../engine/reading/present-reusable-content.ts';
import type { ContentEnvironment } from '../../environment.ts';

const r = aliasedTable(revisions, 'r');
const headRow = selection({
  type: r.type,
  parents: r.parents,
  createdAt: r.createdAt,
  mergedFrom: maybe(changeRequestRow.fields),
});

/** A revision with all that it holds, in one round trip. */
export const getRevision: Handler<Served<typeof content, 'getRevision'>, ContentEnvironment> = async (
  { params, query },
  context,
) => {
  const { env, db, point, space, urls } = context;
  const lineage = JSON.stringify(point.lineage);
  const { heads, pages, files, contents, variables } = await runBatch(db, {
    heads: headRow.query(sql`
      SELECT ${headRow} FROM revisions r
      LEFT JOIN change_requests cr ON cr.id = r.change_request ${changeRequestJoins} WHERE r.id = ${point.id}`),
    pages: readPages(point, { space: space.id, depth: query.depth }),
    files: findAllNodes(lineage, 'file'),
    contents: findAllNodes(lineage, 'reusable-content'),
    variables: findAllNodes(lineage, 'variable'),
  });
  const head = heads[0];
  if (head === undefined) throw notFound('revision');
  const { mergedFrom } = head;
  const base = `/spaces/${space.id}`;
  const place = filePlace(params, context);
  return {
    object: 'revision',
    id: point.id,
    type: head.type,
    parents: head.parents,
    pages: presentTree(
      nodesOf(pages),
      { parent: '', above: root, depth: query.depth },
      { urls, base, metadata: query.metadata },
    ),
    files: await presentFiles(nodesOf(files).sort(newestFirst), { env, urls, place, metadata: query.metadata }),
    reusableContents: nodesOf(contents).map(presentReusableContent),
    tags: [],
    variables: Object.fromEntries(nodesOf(variables).map((node) => [node.id, node.fields.value])) as Variables,
    createdAt: timestamp(head.createdAt),
    urls: { app: urls.app(`${base}/revisions/${point.id}`) },
    ...(mergedFrom === null ? {} : { mergedFrom: presentChangeRequest(mergedFrom, urls) }),
  };
};
