import type { Database, Statement } from '@octavo/db';
import { abortUnless, commit, connect, hasQueries, ignoreConflict, serializeStored, splitIntoJson } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { createUrls, describeError, hashText, log, sendEvents } from '@octavo/runtime';
import { createId, getContentSource, LinkTarget } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { IntegrationsEnvironment } from '../environment.ts';
import { recordFault, redact } from '../scripts/record-run.ts';
import { createScriptEnvironment } from '../scripts/script-environment.ts';
import { readTarget } from '../scripts/script-target.ts';
import type { LeasedContent } from './due-content.ts';
import { findDueContents, getRetryDelay, leaseContent, readState, regenerateMilliseconds } from './due-content.ts';
import type { PageToStore } from './generate-content.ts';
import { ComputeFault, generateContent } from './generate-content.ts';

/**
 * `runMilliseconds` is the time after which no further page is started, and `maxAtOnce` the number of concurrent pages.
 */
const runMilliseconds = 30_000;
const maxAtOnce = 4;
/** Maximum number of queries for one page. They include reading the script and storing the generated pages. */
const maxQueriesPerPage = 40;

/** Creates the event that logs a fault. */
const createEvent = ({ space, page, source }: LeasedContent, installationId: string) => ({
  ...{ eventId: createId('event'), type: 'content_compute_revision', installationId, spaceId: space, pageId: page },
  sourceId: getContentSource(source)?.source ?? '',
});

const notInstalled = 'No active installation of the integration on the space has this content source.';
const notShown = 'The space has more than 50 computed pages. Pages are generated for the first 50 only.';

async function generateLeased(context: WriteContext, content: LeasedContent): Promise<void> {
  const { env, db } = context;
  const { space, integration } = content;
  const { isLive, isShown, installation, dependencies } = await readState(db, content);
  if (!isLive) return dropContent(context, content, { reason: null });
  if (!isShown) return dropContent(context, content, { reason: notShown });
  const target = installation === null ? undefined : await readTarget(db, { integration, installation, space });
  if (target === undefined || installation === null) return dropContent(context, content, { reason: notInstalled });
  const scriptContext = { env, db, urls: createUrls(env) };
  try {
    const input = { content, target, installation, dependencies };
    await storePages(context, content, await generateContent(scriptContext, input));
  } catch (error) {
    if (!(error instanceof ComputeFault)) throw error;
    if (error.isLogged) return storeFault(context, content, error.message);
    const { hidden } = await createScriptEnvironment(scriptContext, target);
    const message = redact(error.message, hidden);
    await storeFault(context, content, message);
    await recordFault(db, target, createEvent(content, installation), message);
  }
}

/** Generates the pages of due computed pages, in rounds of organizations, until the time limit of a run. */
export async function generateDueContents(env: IntegrationsEnvironment, background: Background): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  const deadline = Date.now() + runMilliseconds;
  const mayContinue = () => Date.now() < deadline && hasQueries(env, maxAtOnce * maxQueriesPerPage);
  for (
    let contents = await findDueContents(db);
    contents.length > 0 && mayContinue();
    contents = await findDueContents(db)
  ) {
    const generateNext = async (): Promise<void> => {
      for (let next = contents.shift(); next !== undefined && mayContinue(); next = contents.shift()) {
        const content = await leaseContent(db, next);
        if (content === undefined) continue;
        await generateLeased({ env, db, background }, content).catch((error: unknown) =>
          log('error', 'could not generate computed content', { cause: describeError(error) }),
        );
      }
    };
    await Promise.all(Array.from({ length: maxAtOnce }, generateNext));
  }
}

interface WriteContext {
  env: IntegrationsEnvironment;
  db: Database;
  background: Background;
}

const maxErrorLength = 1000;

/** Releases the lease. If another request has set a due time in the meantime, that time is kept. */
const releaseLease = (wait: number): SQL =>
  sql`due_at = iif(due_at < leased_until, due_at, ${Date.now() + wait}), leased_until = 0`;

const toRow = ({ space, page }: LeasedContent): SQL => sql`space = ${space} AND page = ${page}`;

/**
 * Writes the result, unless another worker has the lease or the computed page is gone. Updates the search index if
 * `hasChanged`.
 */
async function writeContent(
  { env, db, background }: WriteContext,
  content: LeasedContent,
  { statements, hasChanged }: { statements: Statement[]; hasChanged: boolean },
): Promise<void> {
  const { space, organization, leasedUntil } = content;
  const isTaken = sql`EXISTS (SELECT 1 FROM computed_contents WHERE ${toRow(content)} AND leased_until = ${leasedUntil})`;
  const caller = { actor: 'system', requestId: createId('request') };
  const events = hasChanged ? [{ type: 'index_computed' as const, organization, space, data: {} }] : [];
  const result = await ignoreConflict(() => commit(db, caller, [abortUnless(db, isTaken), ...statements], events));
  if (result !== undefined) sendEvents(env, background, result.messages);
}

const dropPages = (db: Database, { version, former }: LeasedContent): Statement[] =>
  [version, former].flatMap((id) =>
    id === null ? [] : [db.run(sql`DELETE FROM computed_entries WHERE version = ${id}`)],
  );

/** Replaces the generated pages; identical ones are left unchanged. */
async function storePages(context: WriteContext, content: LeasedContent, pages: PageToStore[]): Promise<void> {
  const { db } = context;
  const [now, hash] = [Date.now(), await hashText(JSON.stringify(pages))];
  const hasChanged = content.version === null || content.hash !== hash;
  const version = hasChanged ? createId('computedVersion') : content.version;
  const rows = pages.map(({ parent, slug, title, description = '', icon, text, emoji, target }, ordinal) => [
    ...[ordinal, parent, slug, title, description, icon ?? null, text, emoji || null],
    target === undefined ? null : serializeStored(LinkTarget, target),
  ]);
  const inserts = splitIntoJson(hasChanged ? rows : []).map((json) =>
    db.run(sql`INSERT INTO computed_entries (version, ordinal, parent, slug, title, description, icon, text, emoji, target)
      SELECT ${version}, value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8
      FROM json_each(${json})`),
  );
  const update = db.run(sql`UPDATE computed_contents SET version = ${version}, hash = ${hash},
    computed_at = ${hasChanged ? sql`${now}` : sql`computed_at`}, ${releaseLease(regenerateMilliseconds)}, former = NULL,
    failures = 0, error = NULL
    WHERE ${toRow(content)}`);
  await writeContent(context, content, {
    statements: [...(hasChanged ? dropPages(db, content) : []), ...inserts, update],
    hasChanged,
  });
}

/** Records a failure. The former pages stay, and the next attempt is delayed longer each time. */
async function storeFault(context: WriteContext, content: LeasedContent, message: string): Promise<void> {
  const update = context.db.run(sql`UPDATE computed_contents SET error = ${message.slice(0, maxErrorLength)},
    ${releaseLease(getRetryDelay(content.failures))} WHERE ${toRow(content)}`);
  await writeContent(context, content, { statements: [update], hasChanged: false });
}

/**
 * Deletes the generated pages. If `reason` is null, the computed page itself no longer exists, and its row is deleted
 * too.
 */
async function dropContent(
  context: WriteContext,
  content: LeasedContent,
  { reason }: { reason: string | null },
): Promise<void> {
  const { db } = context;
  const row =
    reason === null
      ? db.run(sql`DELETE FROM computed_contents WHERE ${toRow(content)}`)
      : db.run(sql`UPDATE computed_contents SET version = NULL, former = NULL, hash = NULL, failures = 0, error = ${reason},
          ${releaseLease(regenerateMilliseconds)} WHERE ${toRow(content)}`);
  const hasChanged = content.version !== null || content.former !== null;
  await writeContent(context, content, { statements: [...dropPages(db, content), row], hasChanged });
}
