import type { Database } from '@octavo/db';
import { revertBlocks } from '@octavo/merge';
import type { ContentChange, Issue, OrganizationId } from '@octavo/schema';
import { invalid, maxDocumentBytes } from '@octavo/schema';
import { findTexts, storeText } from '../store/documents.ts';
import type { PreparedChange } from './documents.ts';
import { readText } from './documents.ts';
import type { ContentTree } from './tree.ts';

type BlockRevert = Extract<ContentChange, { operation: 'revert_page' }> & { block: string[] };

interface Wanted {
  change: BlockRevert;
  index: number;
  /** Hashes: the document that the page has, and the one to go back to. */
  now: string | null;
  before: string | null;
}

/**
 * Makes the documents of reverts of single blocks, once it is known what the pages hold: one round trip more where there
 * are such reverts.
 * @throws ApiError invalid
 */
export async function prepareBlockReverts(
  changes: PreparedChange[],
  tree: ContentTree,
  { db, organization }: { db: Database; organization: OrganizationId },
): Promise<PreparedChange[]> {
  const wanted = changes.flatMap(({ change }, index) => wantedOf(change, index, tree));
  if (wanted.length === 0) return changes;
  const texts = await findTexts(
    db,
    wanted.flatMap(({ now, before }) => [now, before].filter((hash) => hash !== null)),
  );
  const textOf = (hash: string | null): string => (hash === null ? '' : (texts.get(hash) ?? ''));
  const issues: Issue[] = [];
  const prepared = [...changes];
  for (const { change, index, now, before } of wanted) {
    const path = `body.changes.${index}.block`;
    if (changes.slice(0, index).some((earlier) => writesDocument(earlier, change.page)))
      issues.push({ path, message: 'must stand before what else the batch writes into the page' });
    const { markdown, unknown } = revertBlocks(textOf(now), textOf(before), change.block);
    for (const key of unknown) issues.push({ path, message: `names no block of the page: ${key}` });
    const stored = await storeText(organization, markdown);
    if (stored.bytes > maxDocumentBytes) issues.push({ path, message: 'the page would be larger than 1 MiB' });
    prepared[index] = { change, document: { ...readText(markdown).said, stored } };
  }
  if (issues.length > 0) throw invalid(issues);
  return prepared;
}

function wantedOf(change: ContentChange, index: number, tree: ContentTree): Wanted[] {
  if (change.operation !== 'revert_page' || change.block === undefined) return [];
  const page = tree.find('page', change.page);
  const target = tree.content.reverts.get(index);
  if (page === undefined || target === undefined) return [];
  return [{ change: { ...change, block: change.block }, index, now: page.document, before: target.document }];
}

const writesDocument = ({ change }: PreparedChange, page: string): boolean =>
  'page' in change && change.page === page && (change.operation === 'revert_page' || 'document' in change);
