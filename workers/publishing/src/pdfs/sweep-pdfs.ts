import { connect, pdfs, readRows, runBatch, selection } from '@octavo/db';
import { maxAttempts } from '@octavo/runtime';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const daysKept = 7;
/** What visitors asked for follows from more, so that it is sooner of no use. */
const daysKeptForVisitors = 1;
/** Longer than any run of a queue's consumer. */
const longestRun = 20 * minute;
const maxRows = 500;

const sweptRow = selection({ id: pdfs.id });

/**
 * Deletes PDFs that nobody has asked for lately, objects first: a run that is ended in between finds the rows again. They
 * fail before that, so that who asks now gets a new one. A space can be restored as long, so none outlives its purge.
 */
export async function sweepPdfs(env: PublishingEnvironment): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  for (let swept = maxRows; swept === maxRows; ) {
    const sweeping = sweptRow.query(sql`
      UPDATE pdfs SET state = 'failed', error = 'It is not kept any more.' WHERE id IN (
        SELECT id FROM pdfs WHERE asked_at < ${Date.now() - daysKeptForVisitors * day}
          AND (site IS NOT NULL OR asked_at < ${Date.now() - daysKept * day}) ORDER BY asked_at LIMIT ${maxRows})
      RETURNING ${sweptRow}`);
    const old = await readRows(db, sweeping);
    swept = old.length;
    if (swept === 0) return;
    const ids = old.map(({ id }) => id);
    await env.RENDERED.delete(ids);
    await runBatch(db, [
      db.run(sql`DELETE FROM pdfs WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`),
    ]);
  }
}

/** Those whose tenth run was killed, so that it could not say that it was the last. */
export async function failAbandonedPdfs(
  env: PublishingEnvironment,
  sentBefore = Date.now() - longestRun,
): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  await runBatch(db, [
    db.run(sql`UPDATE pdfs SET state = 'failed', error = 'It could not be made.' WHERE state = 'waiting' AND id IN (
      SELECT data->>'pdf' FROM outbox WHERE done_at IS NULL AND attempts >= ${sql.raw(String(maxAttempts))} AND type = 'render_pdf'
        AND sent_at < ${sentBefore})`),
  ]);
}
