import { readRows } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { content, Served } from '@octavo/schema';
import { nodesOf } from '../../engine/nodes/stored-node.ts';
import { presentTree, readPages, root } from '../../engine/reading/present-page.ts';
import type { ContentEnvironment } from '../../environment.ts';

/** The page tree at a point, whole or down to a depth, in one round trip. */
export const listPages: Handler<Served<typeof content, 'listPages'>, ContentEnvironment> = async (
  { query: { depth, metadata } },
  { db, point, space, urls },
) => {
  const nodes = nodesOf(await readRows(db, readPages(point, { space: space.id, depth })));
  return {
    pages: presentTree(nodes, { parent: '', above: root, depth }, { urls, base: `/spaces/${space.id}`, metadata }),
  };
};
