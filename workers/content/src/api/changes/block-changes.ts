import { fromQuery, runBatch, selection } from '@octavo/db';
import { parseTreeInSteps } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import { diffBlocks } from '@octavo/merge';
import type { Steps } from '@octavo/runtime';
import { runInSlices } from '@octavo/runtime';
import type { BlockChanges } from '@octavo/schema';
import { invalid, maxBlockChanges, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { queryNodes, selectKeys } from '../../engine/store/lineage.ts';
import { toNodes } from '../../engine/store/nodes.ts';
import { handler } from '../../handler.ts';
import { compareWithBase, compareWithParent, readTexts } from './queries.ts';

/** Maximum total length of the words in one response. */
const maxWordsLength = 512 * 1024;

const baseRow = selection({ lineage: fromQuery(String) });

/**
 * Compares the text of a page with its text in the revision `base`, which defaults to the base of the change request or
 * to the parent of the revision. Two round trips after the authorization.
 */
export const getBlockChanges = handler('getBlockChanges', async ({ params, query: { base } }, context) => {
  const { db, space, point, changeRequest } = context;
  const compared = changeRequest === undefined ? compareWithParent(point) : compareWithBase(changeRequest);
  const selectBase = sql`SELECT lineage FROM revisions WHERE id = ${base ?? ''} AND space = ${space.id}`;
  const key = selectKeys([{ kind: 'page', id: params.pageId }]);
  const rows = await runBatch(db, {
    after: queryNodes(compared.after, key),
    before: queryNodes(base === undefined ? compared.before : sql`(${selectBase})`, key),
    bases: baseRow.query(selectBase),
  });
  if (base !== undefined && rows.bases.length === 0)
    throw invalid([{ path: 'query.base', message: 'must be a revision of this space' }]);
  const [before] = toNodes(rows.before);
  const [after] = toNodes(rows.after);
  if (before === undefined && after === undefined) throw notFound('page');
  const texts = await readTexts(db, [{ before, after }]);
  return compareTexts(params.pageId, { before, after }, texts);
});

async function compareTexts(
  page: string,
  { before, after }: { before: Node | undefined; after: Node | undefined },
  texts: Map<string, string>,
): Promise<BlockChanges> {
  const [formerHash, currentHash] = [before?.document ?? null, after?.document ?? null];
  const documents = {
    page,
    ...(formerHash === null ? {} : { before: formerHash }),
    ...(currentHash === null ? {} : { after: currentHash }),
  };
  if (formerHash === currentHash) return { ...documents, blocks: [] };
  const [old, next] = [formerHash, currentHash].map((hash) => (hash === null ? '' : texts.get(hash)));
  if (old === undefined || next === undefined) return { ...documents, blocks: [], truncated: true };
  return { ...documents, ...(await runInSlices(listBlockChanges(old, next))) };
}

function* listBlockChanges(before: string, after: string): Steps<Pick<BlockChanges, 'blocks' | 'truncated'>> {
  const former = yield* parseTreeInSteps(before);
  const current = yield* parseTreeInSteps(after);
  return yield* diffBlocks(former.nodes, current.nodes, { blocks: maxBlockChanges, words: maxWordsLength });
}
