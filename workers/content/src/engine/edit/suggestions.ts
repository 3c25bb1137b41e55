import type { Check, Database, Statement } from '@octavo/db';
import { resolveSuggestion } from '@octavo/db';
import { parseTreeInSteps } from '@octavo/markdown';
import { findBlockSource, findUnchangedBlock, parseSourcesInSteps, replaceBlock } from '@octavo/merge';
import type { Steps } from '@octavo/runtime';
import { runInSlices } from '@octavo/runtime';
import type { ChangeRequestId, NewEvent, OrganizationId, RevisionId, SpaceId, UserId } from '@octavo/schema';
import { ApiError, conflict, maxDocumentBytes, notFound } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { findTexts, toStoredText } from '../store/revisions.ts';
import { type PreparedChange, readText } from './documents.ts';
import type { ContentTree } from './tree.ts';

/** A text that a comment suggests for a block of a page. */
export interface BlockSuggestion {
  comment: string;
  changeRequest: ChangeRequestId;
  /** The key of the block in `document`, the text of the page when the comment was posted. */
  node: string;
  document: string | null;
  markdown: string;
}

/**
 * Creates the text of a page in which a suggestion replaces its block. The change names the page. A suggestion never
 * changes the fields of the page. One more round trip.
 * @throws ApiError conflict if the block has changed since the suggestion was posted, or others would change
 */
export async function prepareSuggestion(
  [prepared]: PreparedChange[],
  { node, document, markdown }: BlockSuggestion,
  { tree, db, organization }: { tree: ContentTree; db: Database; organization: OrganizationId },
): Promise<PreparedChange[]> {
  const change = prepared?.change;
  const page = change?.operation === 'update_page' ? tree.find('page', change.page) : undefined;
  if (change?.operation !== 'update_page' || page === undefined)
    throw conflict('The page of the suggestion was deleted.');
  if (page.undecided?.document !== undefined)
    throw conflict('The text of the page has conflicts. Resolve them before you apply the suggestion.');
  const hashes = [document, page.document].filter((hash) => hash !== null);
  const texts = await findTexts(db, hashes);
  const current = texts.get(page.document ?? '') ?? '';
  const former = document === page.document ? undefined : (texts.get(document ?? '') ?? '');
  const changed = await runInSlices(applyToText(current, former, { node, markdown }));
  const stored = await toStoredText(organization, changed);
  if (stored.bytes > maxDocumentBytes) throw new ApiError('too_large', 'The page would be larger than 1 MiB.');
  return [
    { change: { ...change, document: { markdown: changed } }, document: { ...readText(current).metadata, stored } },
  ];
}

/** Replaces the block of a suggestion. `former` is the text that contains the block, unless it is the current one. */
function* applyToText(
  current: string,
  former: string | undefined,
  { node, markdown }: Pick<BlockSuggestion, 'node' | 'markdown'>,
): Steps<string> {
  const tree = yield* parseSourcesInSteps(current);
  const key =
    former === undefined
      ? node
      : yield* findUnchangedBlock(yield* parseTreeInSteps(former, { sources: 'none' }), tree, node);
  if (key === undefined || findBlockSource(tree, key) === undefined)
    throw conflict(
      'The block has changed since the suggestion was made, so the suggestion cannot be applied. Edit the block instead.',
    );
  const changed = yield* replaceBlock(tree, key, markdown);
  if (changed === undefined)
    throw conflict(
      'The suggestion would change more than its block: other blocks or the fields of the page. Edit the block instead.',
    );
  return changed;
}

/** The error for a suggestion of a resolved comment. */
export const rejectResolved = (): ApiError => conflict('The comment is resolved. Reopen it to apply its suggestion.');

/** The edit that applies a suggestion, with the id of its revision. */
interface SuggestionEdit {
  space: SpaceId;
  organization: OrganizationId;
  actor: UserId;
  id: RevisionId;
}

/** Resolves the comment of a suggestion that is applied, if the checks hold. */
export function resolveComment(
  db: Database,
  { comment, changeRequest }: BlockSuggestion,
  { space, organization, actor, id }: SuggestionEdit,
): { checks: Check[]; statements: Statement[]; events: NewEvent[] } {
  const comments = sql`SELECT 1 FROM comments WHERE id = ${comment}`;
  return {
    checks: [
      { condition: sql`EXISTS (${comments})`, createError: () => notFound('comment') },
      { condition: sql`EXISTS (${comments} AND resolved_at IS NULL)`, createError: rejectResolved },
    ],
    statements: [resolveSuggestion(db, { comment, revision: id, user: actor, time: Date.now() })],
    events: [{ type: 'comment.resolved', organization, space, data: { comment, changeRequest } }],
  };
}
