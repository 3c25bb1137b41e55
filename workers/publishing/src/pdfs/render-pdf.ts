import type { Database, PdfRecord } from '@octavo/db';
import { pdfs, runBatch } from '@octavo/db';
import type { Background, Taken } from '@octavo/runtime';
import { commitStep, describe, log, maxAttempts } from '@octavo/runtime';
import type { Book } from '@octavo/typeset';
import { BookTooLarge, typeset } from '@octavo/typeset';
import type { SQL } from 'drizzle-orm';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { ObjectWriter } from './object-writer.ts';
import { assetsOf, bookOf, readingOf } from './read-book.ts';
import { checkBytes, NotShown, visitorBook } from './visitor-book.ts';

interface RenderContext {
  db: Database;
  env: PublishingEnvironment;
  background: Background;
}

/**
 * Renders a PDF into the bucket, then says so and settles the job in one batch: until then nobody is given it. Run twice,
 * it writes the same object again.
 */
export async function renderPdf(taken: Taken<'render_pdf'>, context: RenderContext): Promise<void> {
  const { pdf: id } = taken.data;
  const { db } = context;
  const pdf = await takePdf(db, id);
  try {
    const ended = pdf === undefined ? [] : [db.run(await render(pdf, context))];
    await commitStep(context, taken, { statements: ended });
  } catch (error) {
    if (error instanceof BookTooLarge) {
      await commitStep(context, taken, { statements: [db.run(over(id, 'refused', error.message))] });
      return;
    }
    if (error instanceof NotShown) {
      await commitStep(context, taken, { statements: [db.run(over(id, 'failed', error.message))] });
      return;
    }
    if (taken.attempts >= maxAttempts) await fail(db, id);
    throw error;
  }
}

/** A PDF that is to be made. One that failed is tried again where an operator replays its job, unless another is there. */
async function takePdf(db: Database, id: string): Promise<PdfRecord | undefined> {
  await runBatch(db, [
    db.run(sql`UPDATE pdfs SET state = 'waiting', error = NULL WHERE id = ${id} AND state = 'failed' AND NOT EXISTS (
      SELECT 1 FROM pdfs o WHERE o.revision = pdfs.revision AND o.page = pdfs.page AND o.only = pdfs.only
        AND o.title = pdfs.title AND o.subtitle = pdfs.subtitle AND o.visit = pdfs.visit AND o.state <> 'failed')`),
  ]);
  const [pdf] = await db.select().from(pdfs).where(sql`${pdfs.id} = ${id} AND ${pdfs.state} = 'waiting'`);
  return pdf;
}

/** Writes the PDF, and gives the SQL that says what came of it. */
async function render(pdf: PdfRecord, context: RenderContext): Promise<SQL> {
  const book = await (pdf.site === null ? memberBook(pdf, context) : visitorBook(pdf, context));
  if (book === undefined) return ending(pdf.id, 'failed', 'What it is of was deleted.');
  const { bytes, pages, missing } = await write(pdf, book, context);
  const isLive = sql`EXISTS (SELECT 1 FROM spaces s WHERE s.id = pdfs.space AND s.deleted_at IS NULL)`;
  return sql`UPDATE pdfs SET bytes = ${bytes}, pages = ${pages}, missing = ${missing.join(',')}, upload = NULL, visitor = NULL,
    state = CASE WHEN ${isLive} THEN 'ready' ELSE 'failed' END,
    error = CASE WHEN ${isLive} THEN NULL ELSE 'Its space was deleted.' END
    WHERE id = ${pdf.id} AND state = 'waiting'`;
}

async function memberBook(pdf: PdfRecord, { env }: RenderContext): Promise<Book | undefined> {
  const { value: outline } = await env.CONTENT.readBookOutline(readingOf(pdf));
  return outline === null ? undefined : bookOf({ env, pdf, outline });
}

async function write(
  pdf: PdfRecord,
  book: Book,
  { db, env }: RenderContext,
): Promise<{ bytes: number; pages: number; missing: string[] }> {
  const { id, upload } = pdf;
  // What a run left that was killed; it may be gone already.
  if (upload !== null)
    await env.RENDERED.resumeMultipartUpload(id, upload)
      .abort()
      .catch(() => undefined);
  const writer = new ObjectWriter({
    bucket: env.RENDERED,
    key: id,
    onUpload: async (begun) => {
      await runBatch(db, [db.update(pdfs).set({ upload: begun }).where(sql`${pdfs.id} = ${id}`)]);
    },
  });
  try {
    const outlet = {
      write: (chunk: Uint8Array) => {
        if (pdf.site !== null) checkBytes(writer.bytes + chunk.length);
        return writer.write(chunk);
      },
      giveWay: () => scheduler.wait(0),
    };
    const { pages, missing } = await typeset(book, assetsOf(env, pdf), outlet);
    await writer.finish();
    if (missing.length > 0) log('warn', 'a PDF has letters that no font has', { pdf: id, missing: missing.join(', ') });
    return { bytes: writer.bytes, pages, missing };
  } catch (error) {
    await writer
      .abort()
      .catch((cause: unknown) => log('error', 'an upload stays', { pdf: id, cause: describe(cause) }));
    throw error;
  }
}

const ending = (id: string, state: 'failed' | 'refused', error: string): SQL =>
  sql`UPDATE pdfs SET state = ${state}, error = ${error} WHERE id = ${id} AND state = 'waiting'`;

/** What is not tried again keeps nothing of its visitor. */
const over = (id: string, state: 'failed' | 'refused', error: string): SQL =>
  sql`UPDATE pdfs SET state = ${state}, error = ${error}, visitor = NULL WHERE id = ${id} AND state = 'waiting'`;

/** After the last attempt its job is a dead letter, and the PDF may be asked for anew. */
async function fail(db: Database, id: string): Promise<void> {
  await runBatch(db, [db.run(ending(id, 'failed', 'It could not be made.'))]);
}
