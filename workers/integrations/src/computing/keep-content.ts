import type { Database, Statement } from '@octavo/db';
import { commit, jsonChunks, must, toStored, unlessBeaten } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { sendEvents } from '@octavo/runtime';
import { LinkTarget, newId } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import type { TakenContent } from './due-content.ts';
import { againMilliseconds, retryAfter } from './due-content.ts';
import type { MadeContent } from './make-content.ts';

export interface KeepContext {
  env: IntegrationsEnvironment;
  db: Database;
  background: Background;
}

const maxErrorLength = 1000;

async function hashOfPages(pages: MadeContent[]): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(pages)));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What sets a row free: what made it due meanwhile does so still. */
const freed = (wait: number): SQL =>
  sql`due_at = iif(due_at < leased_until, due_at, ${Date.now() + wait}), leased_until = 0`;

const rowOf = ({ space, page }: TakenContent): SQL => sql`space = ${space} AND page = ${page}`;

/** Writes what came of it, unless somebody else has it by now, or it ended meanwhile; searches follow where it is news. */
async function write(
  { env, db, background }: KeepContext,
  content: TakenContent,
  { statements, isNews }: { statements: Statement[]; isNews: boolean },
): Promise<void> {
  const { space, organization, leasedUntil } = content;
  const isTaken = sql`EXISTS (SELECT 1 FROM computed_contents WHERE ${rowOf(content)} AND leased_until = ${leasedUntil})`;
  const caller = { actor: 'system', requestId: newId('request') };
  const events = isNews ? [{ type: 'index_computed' as const, organization, space, data: {} }] : [];
  const written = await unlessBeaten(() => commit(db, caller, [must(db, isTaken), ...statements], events));
  if (written !== undefined) sendEvents(env, background, written.waiting);
}

const dropPages = (db: Database, { version, former }: TakenContent): Statement[] =>
  [version, former].flatMap((id) =>
    id === null ? [] : [db.run(sql`DELETE FROM computed_entries WHERE version = ${id}`)],
  );

/** Keeps the pages that were made, in the place of those before. What is the same stays. */
export async function keepPages(context: KeepContext, content: TakenContent, pages: MadeContent[]): Promise<void> {
  const { db } = context;
  const [now, hash] = [Date.now(), await hashOfPages(pages)];
  const isNews = content.version === null || content.hash !== hash;
  const version = isNews ? newId('computedVersion') : content.version;
  const rows = pages.map(({ parent, slug, title, description = '', icon, text, emoji, target }, ordinal) => [
    ...[ordinal, parent, slug, title, description, icon ?? null, text, emoji || null],
    target === undefined ? null : toStored(LinkTarget, target),
  ]);
  const inserts = jsonChunks(isNews ? rows : []).map((json) =>
    db.run(sql`INSERT INTO computed_entries (version, ordinal, parent, slug, title, description, icon, text, emoji, target)
      SELECT ${version}, value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8
      FROM json_each(${json})`),
  );
  const update = db.run(sql`UPDATE computed_contents SET version = ${version}, hash = ${hash},
    computed_at = ${isNews ? sql`${now}` : sql`computed_at`}, ${freed(againMilliseconds)}, former = NULL,
    failures = 0, error = NULL
    WHERE ${rowOf(content)}`);
  await write(context, content, {
    statements: [...(isNews ? dropPages(db, content) : []), ...inserts, update],
    isNews,
  });
}

/** Notes that pages could not be made. Those before stay, and it is tried again, each time later. */
export async function keepFault(context: KeepContext, content: TakenContent, message: string): Promise<void> {
  const update = context.db.run(sql`UPDATE computed_contents SET error = ${message.slice(0, maxErrorLength)},
    ${freed(retryAfter(content.failures))} WHERE ${rowOf(content)}`);
  await write(context, content, { statements: [update], isNews: false });
}

/** Lets go of the pages of what is not to be made for a reason; of what is no computed page any more, of all. */
export async function dropContent(
  context: KeepContext,
  content: TakenContent,
  { why }: { why: string | null },
): Promise<void> {
  const { db } = context;
  const row =
    why === null
      ? db.run(sql`DELETE FROM computed_contents WHERE ${rowOf(content)}`)
      : db.run(sql`UPDATE computed_contents SET version = NULL, former = NULL, hash = NULL, failures = 0, error = ${why},
          ${freed(againMilliseconds)} WHERE ${rowOf(content)}`);
  const isNews = content.version !== null || content.former !== null;
  await write(context, content, { statements: [...dropPages(db, content), row], isNews });
}
