import { abortUnless, commit, ignoreConflict, moveSpaceToTrash, readRow } from '@octavo/db';
import type { ServiceContext } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import type { ContentChange, SpaceCreation, SpaceRemoval } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import { prepareChanges } from '../../engine/edit/documents.ts';
import { getHead } from '../../heads/call-head.ts';
import type { HeadEnvironment } from '../../heads/space-head.ts';
import { createSpaceRow, findFirstRevision } from './queries.ts';

/**
 * Creates a space at the top level of its organization. An existing space is left as it is, or filled with pages if it
 * is empty.
 */
export async function makeSpace(
  { space, organization, title, kind, ...caller }: SpaceCreation,
  { env, background, connection, db }: ServiceContext<HeadEnvironment>,
): Promise<void> {
  const defaults = { parent: null, emoji: '', editMode: 'live' } as const;
  const spaceRow = createSpaceRow(db, { ...defaults, id: space, organization, title, createdBy: caller.actor });
  const committed = await ignoreConflict(() => commit(db, caller, spaceRow.statements, spaceRow.events));
  if (committed !== undefined) sendEvents(env, background, committed.messages);
  if (kind === 'empty') return;
  const first = await readRow(db, findFirstRevision(space));
  if (first === undefined) return;
  const { prepared: changes } = await prepareChanges(organization, samplePages);
  const edit = { ...caller, space, branch: space, changes, base: first.id, expected: undefined };
  await connection.callWorker(() => getHead(env, space).edit(edit));
}

/**
 * Moves a space to the trash if the operation that created it has failed. A space that a site shows, or that is already
 * deleted, is left as it is.
 */
export async function takeSpaceBack(
  { space, organization, ...caller }: SpaceRemoval,
  { db, env, background }: ServiceContext<HeadEnvironment>,
): Promise<void> {
  const isRestorable = sql`EXISTS (SELECT 1 FROM spaces WHERE id = ${space} AND organization = ${organization} AND deleted_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM site_spaces WHERE space = ${space})`;
  const statements = [abortUnless(db, isRestorable), ...moveSpaceToTrash(db, space, Date.now())];
  const deleted = { type: 'space.deleted', organization, space, data: {} } as const;
  const committed = await ignoreConflict(() => commit(db, caller, statements, [deleted]));
  if (committed !== undefined) sendEvents(env, background, committed.messages);
}

const createPageChange = (title: string, ...lines: string[]): ContentChange => ({
  operation: 'insert_page',
  title,
  document: { markdown: `${lines.join('\n')}\n` },
});

/** Pages that demonstrate the content types of a page. */
const samplePages: ContentChange[] = [
  createPageChange(
    'Welcome',
    'This space is published on your site. Edit these pages, or delete them.',
    '',
    '{% hint style="info" %}',
    'Hints have four styles: `info`, `success`, `warning` and `danger`.',
    '{% endhint %}',
  ),
  createPageChange(
    'Blocks',
    '## Tabs',
    '',
    '{% tabs %}',
    '{% tab title="npm" %}',
    '```sh',
    'npm install',
    '```',
    '{% endtab %}',
    '',
    '{% tab title="pnpm" %}',
    '```sh',
    'pnpm install',
    '```',
    '{% endtab %}',
    '{% endtabs %}',
    '',
    '## Lists and tables',
    '',
    '- [x] Create a site',
    '- [ ] Publish it',
    '',
    '| Block | For |',
    '| --- | --- |',
    '| Hint | important information |',
    '| Tabs | alternatives, such as package managers |',
  ),
];
