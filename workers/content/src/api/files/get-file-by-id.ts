import { readRow } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { findNodes } from '../../engine/nodes/find-nodes.ts';
import { toNode } from '../../engine/nodes/stored-node.ts';
import { filePlace, presentFile } from '../../engine/reading/present-file.ts';
import type { ContentEnvironment } from '../../environment.ts';

export const getFileById: Handler<Served<typeof content, 'getFileById'>, ContentEnvironment> = async (
  { params, query },
  context,
) => {
  const { env, db, point, urls } = context;
  const wanted = sql`SELECT 'file' AS kind, ${params.fileId} AS id`;
  const row = await readRow(db, findNodes(JSON.stringify(point.lineage), wanted));
  const node = row && toNode(row);
  if (node === undefined) throw notFound('file');
  return presentFile(node, { env, urls, place: filePlace(params, context), metadata: query.metadata });
};
