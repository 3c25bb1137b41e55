import type { Database, Parameter, PdfRecord } from '@octavo/db';
import { pdfs, prepareQuery, readRow, runBatch, selection } from '@octavo/db';
import type { Background, OutboxEvent } from '@octavo/runtime';
import { commitStep, describeError, isLastAttempt, log } from '@octavo/runtime';
import { type PdfSource, type PrintedPdf, pdfPartBytes } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { createImageReader } from './images.ts';
import { createMemberBook, type PdfContent } from './member-book.ts';
import { createVisitorBook, NoLongerShownError, PdfTooLargeError } from './visitor-book.ts';

interface RenderContext {
  db: Database;
  env: PublishingEnvironment;
  background: Background;
}

/**
 * Renders a PDF into the bucket, then marks it as ready and completes the job in one batch. A second run writes the
 * same object again.
 */
export async function renderPdf(job: OutboxEvent<'render_pdf'>, context: RenderContext): Promise<void> {
  const { pdf: id } = job.data;
  const { db } = context;
  const pdf = await startPdf(db, id);
  try {
    const ended = pdf === undefined ? [] : [db.run(await renderAndRecord(pdf, context))];
    await commitStep(context, job, { statements: ended });
  } catch (error) {
    if (error instanceof PdfTooLargeError) {
      await commitStep(context, job, { statements: [db.run(settlePdf(id, 'refused', error.message))] });
      return;
    }
    if (error instanceof NoLongerShownError) {
      await commitStep(context, job, { statements: [db.run(settlePdf(id, 'failed', error.message))] });
      return;
    }
    if (isLastAttempt(job)) await failPdf(db, id);
    throw error;
  }
}

const waitingPdf = prepareQuery(selection(getTableColumns(pdfs)), (select, id: Parameter<string>) =>
  select.from(pdfs).where(and(eq(pdfs.id, id), eq(pdfs.state, 'waiting'))),
);

/** Reads a waiting PDF. A failed one is retried if an operator replays its job, unless another PDF replaced it. */
async function startPdf(db: Database, id: string): Promise<PdfRecord | undefined> {
  await runBatch(db, [
    db.run(sql`UPDATE pdfs SET state = 'waiting', error = NULL WHERE id = ${id} AND state = 'failed' AND NOT EXISTS (
      SELECT 1 FROM pdfs o WHERE o.revision = pdfs.revision AND o.page = pdfs.page AND o.only = pdfs.only
        AND o.title = pdfs.title AND o.subtitle = pdfs.subtitle AND o.visit = pdfs.visit AND o.state <> 'failed')`),
    db.run(sql`UPDATE pdfs SET started_at = ${Date.now()} WHERE id = ${id} AND state = 'waiting'`),
  ]);
  return readRow(db, waitingPdf(id));
}

/** Writes the PDF and returns the SQL that records the result. */
async function renderAndRecord(pdf: PdfRecord, context: RenderContext): Promise<SQL> {
  const content = await (pdf.site === null ? createMemberBook(pdf, context.env) : createVisitorBook(pdf, context));
  if (content === undefined) return updateState(pdf.id, 'failed', 'The content was deleted.');
  const { bytes, pages, missing } = await writePdf(pdf, content, context);
  const isLive = sql`EXISTS (SELECT 1 FROM spaces s WHERE s.id = pdfs.space AND s.deleted_at IS NULL)`;
  return sql`UPDATE pdfs SET bytes = ${bytes}, pages = ${pages}, missing = ${missing.join(',')}, upload = NULL, visitor = NULL,
    state = CASE WHEN ${isLive} THEN 'ready' ELSE 'failed' END,
    error = CASE WHEN ${isLive} THEN NULL ELSE 'The space was deleted.' END
    WHERE id = ${pdf.id} AND state = 'waiting'`;
}

async function writePdf(
  pdf: PdfRecord,
  content: PdfContent,
  { db, env }: RenderContext,
): Promise<{ bytes: number; pages: number; missing: string[] }> {
  const { id, upload } = pdf;
  // A killed run may have left an unfinished upload. An error is ignored, because the upload may no longer exist.
  if (upload !== null)
    await env.RENDERED.resumeMultipartUpload(id, upload)
      .abort()
      .catch(() => undefined);
  const writer = new ObjectWriter({
    bucket: env.RENDERED,
    key: id,
    onUpload: async (upload) => {
      await runBatch(db, [db.update(pdfs).set({ upload }).where(sql`${pdfs.id} = ${id}`)]);
    },
  });
  try {
    const printed = await print(content, env, {
      readPages: async () => (await content.pages.next()).value ?? [],
      readImage: createImageReader(env, pdf),
      writePart: (part) => writer.write(part),
    });
    if ('refusal' in printed) throw new PdfTooLargeError(printed.refusal);
    await writer.finish();
    const { pages, missing } = printed;
    if (missing.length > 0)
      log('warn', 'a PDF contains characters that no font supports', { pdf: id, missing: missing.join(', ') });
    return { bytes: writer.bytes, pages, missing };
  } catch (error) {
    await writer
      .abort()
      .catch((cause: unknown) => log('error', 'could not abort an upload', { pdf: id, cause: describeError(cause) }));
    throw error;
  }
}

/**
 * Calls the render worker. If a function of the source fails, throws the error of that function, because an error loses
 * its class in the call between workers.
 */
async function print({ book }: PdfContent, { RENDER }: PublishingEnvironment, source: PdfSource): Promise<PrintedPdf> {
  const failures: unknown[] = [];
  const keepError =
    <Input extends unknown[], Result>(call: (...input: Input) => Promise<Result>) =>
    (...input: Input): Promise<Result> =>
      call(...input).catch((error: unknown) => {
        failures.push(error);
        throw error;
      });
  try {
    return await RENDER.renderPdf(book, {
      readPages: keepError(source.readPages),
      readImage: keepError(source.readImage),
      writePart: keepError(source.writePart),
    });
  } catch (error) {
    throw failures[0] ?? error;
  }
}

const updateState = (id: string, state: 'failed' | 'refused', error: string): SQL =>
  sql`UPDATE pdfs SET state = ${state}, error = ${error} WHERE id = ${id} AND state = 'waiting'`;

/** Updates a PDF that failed. Also deletes the visitor's token, because the job is not retried. */
const settlePdf = (id: string, state: 'failed' | 'refused', error: string): SQL =>
  sql`UPDATE pdfs SET state = ${state}, error = ${error}, visitor = NULL WHERE id = ${id} AND state = 'waiting'`;

/** The job is a dead letter after its last attempt, and the PDF can be requested again. */
async function failPdf(db: Database, id: string): Promise<void> {
  await runBatch(db, [db.run(updateState(id, 'failed', 'The PDF could not be generated.'))]);
}

interface UploadDestination {
  bucket: R2Bucket;
  key: string;
  /**
   * Records the upload. It is called before the first part, so that a later run can abort the upload if this run is
   * killed.
   */
  onUpload(id: string): Promise<void>;
}

/** Writes an object of unknown length in parts. An object of less than one part is written at once. */
class ObjectWriter {
  readonly #target: UploadDestination;
  readonly #uploaded: R2UploadedPart[] = [];
  #upload: R2MultipartUpload | undefined;
  bytes = 0;

  constructor(target: UploadDestination) {
    this.#target = target;
  }

  async write(part: Uint8Array<ArrayBuffer>): Promise<void> {
    this.bytes += part.length;
    if (this.#upload === undefined && part.length < pdfPartBytes) {
      await this.#target.bucket.put(this.#target.key, part);
      return;
    }
    this.#upload ??= await this.#begin();
    this.#uploaded.push(await this.#upload.uploadPart(this.#uploaded.length + 1, part));
  }

  /** An object in parts can be read only after this call. */
  async finish(): Promise<void> {
    await this.#upload?.complete(this.#uploaded);
  }

  async abort(): Promise<void> {
    await this.#upload?.abort();
  }

  async #begin(): Promise<R2MultipartUpload> {
    const { bucket, key, onUpload } = this.#target;
    const upload = await bucket.createMultipartUpload(key);
    await onUpload(upload.uploadId);
    return upload;
  }
}
