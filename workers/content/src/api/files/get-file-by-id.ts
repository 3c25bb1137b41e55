import { readRow, runBatch } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content, Served, Visitor } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { findNodes } from '../../engine/nodes/find-nodes.ts';
import { toNode } from '../../engine/nodes/stored-node.ts';
import { filePlace, presentFile, visitedPlace } from '../../engine/reading/present-file.ts';
import { readShownUse, shownUse } from '../../engine/reading/shown-use.ts';
import type { ContentEnvironment } from '../../environment.ts';

type Get = Handler<Served<typeof content, 'getFileById'>, ContentEnvironment>;

export const getFileById: Get = (input, context) =>
  context.visitor === undefined ? readFile(input, context) : readVisited(input, context, context.visitor);

const fileOf = (lineage: string, id: string) => findNodes(lineage, sql`SELECT 'file' AS kind, ${id} AS id`);

const readFile: Get = async ({ params, query }, context) => {
  const { env, db, point, urls } = context;
  const row = await readRow(db, fileOf(JSON.stringify(point.lineage), params.fileId));
  const node = row && toNode(row);
  if (node === undefined) throw notFound('file');
  return presentFile(node, { env, urls, place: filePlace(params, context), metadata: query.metadata });
};

/** For a visitor also what uses the file: whether anything of that is shown. */
async function readVisited(...[{ params }, context, visitor]: [...Parameters<Get>, Visitor]) {
  const { env, db, point, urls } = context;
  const { fileId: id } = params;
  const lineage = JSON.stringify(point.lineage);
  const { files, ...rows } = await runBatch(db, { files: fileOf(lineage, id), ...readShownUse(lineage, id) });
  const node = files[0] && toNode(files[0]);
  if (node === undefined) throw notFound('file');
  const content = await shownUse({ db, lineage, id, claims: visitor.claims }, rows);
  if (!content.uses(node)) throw notFound('file');
  const place = await visitedPlace(filePlace(params, context), visitor, content.isOpen);
  return presentFile(node, { env, urls, place, metadata: false });
}
