import type { Connection, Database, Parameter, PdfRecord } from '@octavo/db';
import {
  commit,
  commitCheckedOnce,
  connect,
  createConflict,
  fromQuery,
  hasQueries,
  pdfs,
  prepareQuery,
  readRow,
  readRows,
  retryOnConflict,
  runBatch,
  selection,
} from '@octavo/db';
import type { Background, PageContext, ServedPage } from '@octavo/runtime';
import {
  createHtmlPage,
  createUrls,
  decodeName,
  getExpiry,
  hashText,
  html,
  importSigningKey,
  maxAttempts,
  readSignedUrl,
  sendEvents,
  serveObject,
  signUrl,
  toSafeName,
} from '@octavo/runtime';
import type { PdfExport, PdfRequest, RevisionId, SiteId, SpaceId, VisitorToken } from '@octavo/schema';
import { ApiError, createId, notFound } from '@octavo/schema';
import { aliasedTable, and, eq, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { advanceWaitingPdf, createRoomCheck, hasRoom } from './waiting-pdfs.ts';

/** The content of a signed PDF URL. */
interface SignedPdf {
  id: string;
  /** The file name of the download. */
  name: string;
  /** The expiry time, in seconds since 1970. */
  expires: number;
}

/** Returns the path and query of a signed PDF URL. */
const createPdfUrl = (key: CryptoKey, { id, name, expires }: SignedPdf): Promise<string> =>
  signUrl(key, `/pdf/${id}/${encodeURIComponent(name)}`, { expires: String(expires) });

const kind = { objectName: 'PDF', renew: 'request the PDF through the API' };

/** Verifies a signed PDF URL. @throws ApiError not_found or forbidden */
async function verifyPdfUrl(request: Request, key: CryptoKey): Promise<Pick<SignedPdf, 'expires'>> {
  const query = await readSignedUrl(request, key, kind);
  return { expires: Number(query.get('expires')) };
}

const splitAdvice =
  'Request fewer pages: set `page` to get one page with its subpages, and `only=true` to leave out the subpages.';

const day = 24 * 3_600_000;
const maxNameLength = 80;

interface Context {
  db: Database;
  env: PublishingEnvironment;
  background: Background;
}

/**
 * Returns the URL of a PDF, and queues it on the first request. A unique index decides between concurrent callers:
 * the others find the row of the first. A waiting PDF of an older version is changed to this one. One round trip, three
 * for the first caller. @throws ApiError too_large, rate_limited
 */
export async function requestPdf(request: PdfRequest, context: Context): Promise<PdfExport> {
  const { id, missing } = await retryOnConflict(
    async () =>
      (await findPdf(request, context.db)) ??
      (await advanceWaitingPdf(context.db, request, toPdfColumns(request))) ??
      queuePdf(request, context),
  );
  const name = `${toSafeName([...request.title].slice(0, maxNameLength).join(''))}.pdf`;
  const expires = getExpiry(Date.now());
  const address = await createPdfUrl(await importSigningKey(context.env), { id, name, expires });
  const url = createUrls(context.env).page(address);
  return missing === '' ? { url } : { url, missingScripts: missing.split(',') };
}

const { id, askedAt, state, error, missing } = pdfs;
const pdfStateRow = selection({ id, askedAt, state, error, missing });

/** SQLite uses the partial index `pdfs_wanted` only if `visit` and `state` are compared with literals. */
const pdfByRequest = prepareQuery(
  pdfStateRow,
  (
    select,
    revision: Parameter<RevisionId>,
    page: Parameter<string>,
    only: Parameter<0 | 1>,
    title: Parameter<string>,
    subtitle: Parameter<string>,
  ) =>
    select
      .from(pdfs)
      .where(
        and(
          eq(pdfs.revision, revision),
          eq(pdfs.page, page),
          sql`${pdfs.only} = ${only}`,
          eq(pdfs.title, title),
          eq(pdfs.subtitle, subtitle),
          sql`${pdfs.visit} = '' AND ${pdfs.state} <> 'failed'`,
        ),
      ),
);

const toPdfColumns = ({ organization, space, changeRequest, revision, page, only, title, subtitle }: PdfRequest) => ({
  ...{ organization, space, changeRequest: changeRequest ?? null, revision },
  ...{ page: page ?? '', only, title, subtitle: subtitle ?? '' },
});

type QueuedPdf = Pick<PdfRecord, 'id' | 'missing'>;

async function findPdf(
  { revision, page = '', only, title, subtitle = '' }: PdfRequest,
  db: Database,
): Promise<QueuedPdf | undefined> {
  const existing = await readRow(db, pdfByRequest(revision, page, only ? 1 : 0, title, subtitle));
  if (existing?.state === 'refused')
    throw new ApiError('too_large', `The content is too large for a PDF. ${existing.error ?? ''} ${splitAdvice}`);
  if (existing !== undefined && existing.askedAt < Date.now() - day) await touchPdf(db, existing.id);
  return existing;
}

const touchedRow = selection({ id });

/** Records that a PDF is still requested. Fails if the PDF was swept in the meantime. */
async function touchPdf(db: Database, id: string): Promise<void> {
  const keeping = touchedRow.query(sql`
    UPDATE pdfs SET asked_at = ${Date.now()} WHERE id = ${id} AND state <> 'failed' RETURNING ${touchedRow}`);
  if ((await readRow(db, keeping)) === undefined) throw createConflict('The PDF was deleted.');
}

async function queuePdf(request: PdfRequest, { db, env, background }: Context): Promise<QueuedPdf> {
  const { organization, space } = request;
  const [id, now] = [createId('pdf'), Date.now()];
  const row = { ...toPdfColumns(request), id, createdAt: now, askedAt: now } satisfies Partial<PdfRecord>;
  const insert = db.insert(pdfs).values(row);
  const jobData = { organization, space, data: { pdf: id } };
  const events = [
    { type: 'pdf.requested' as const, ...jobData },
    { type: 'render_pdf' as const, ...jobData },
  ];
  const { messages: waiting } = await commitCheckedOnce(db, [createRoomCheck(organization)], (guards) =>
    commit(db, request, { guards, insert }, events),
  );
  sendEvents(env, background, waiting);
  return { id, missing: '' };
}

const hour = 3_600_000;
/** Limits for the PDFs that all visitors of one site request together. */
const [maxWaiting, maxPerHour, maxStoredBytes] = [20, 240, 1024 * 1024 * 1024];
/** Time before a failed PDF is tried again. */
const failedMilliseconds = hour / 6;

/** A visitor's request for a PDF. */
export interface VisitorPdf {
  token: VisitorToken;
  /** The version of the site's content. PDFs of older versions are not served. */
  shown: string;
  /** The space's URL in the site, with a trailing slash. */
  address: string;
  space: SpaceId;
  revision: RevisionId;
  /** The id of the page; '' for all pages. */
  page: string;
  title: string;
  subtitle: string;
}

/** The state of a visitor's PDF; `busy` if the site has reached its limits. */
export type RequestedPdf = Pick<PdfRecord, 'id' | 'state' | 'error' | 'missing'> | 'busy';

interface VisitorContext {
  db: Connection['db'];
  env: PublishingEnvironment;
  background: Background;
  requestId: string;
}

/** Finds a visitor's PDF, and queues it on the first request. Visitors with the same view of the site share it. */
export const requestVisitorPdf = (pdf: VisitorPdf, context: VisitorContext): Promise<RequestedPdf> =>
  retryOnConflict(async () => {
    const visit = await createVisitKey(pdf);
    const existing = await findVisitorPdf(pdf, visit, context);
    if (existing !== undefined) {
      if (existing.askedAt < Date.now() - hour && existing.state !== 'failed') await touchPdf(context.db, existing.id);
      return existing;
    }
    const caller = { actor: '', requestId: context.requestId };
    const row = { ...(await toVisitorRow(pdf)), visit };
    const advanced = await advanceWaitingPdf(context.db, caller, row);
    if (advanced !== undefined) return { ...advanced, state: 'waiting' as const, error: null };
    return (await hasReachedLimits(pdf, context)) ? 'busy' : queueVisitorPdf(row, context);
  });

/** Returns the columns of a visitor's PDF. `viewer` is equal for visitors with the same view, in every version. */
async function toVisitorRow({ token, address, space, revision, page, title, subtitle }: VisitorPdf) {
  const { organization, site, shareLink = '', claims } = token;
  const viewer = await hashText(JSON.stringify([site, shareLink, claims, address]));
  const shown = { organization, site, space, revision, page, only: page !== '', title, subtitle };
  return { ...shown, viewer, visitor: { token, address } };
}

/** Returns a key that is equal for visitors with the same view of the site. */
const createVisitKey = ({ token, shown, address }: VisitorPdf): Promise<string> => {
  const { site, stamp, shareLink = '', claims } = token;
  return hashText(JSON.stringify([site, stamp, shareLink, claims, shown, address]));
};

const pdfByVisit = prepareQuery(
  pdfStateRow,
  (
    select,
    site: Parameter<SiteId>,
    visit: Parameter<string>,
    revision: Parameter<RevisionId>,
    page: Parameter<string>,
    title: Parameter<string>,
    subtitle: Parameter<string>,
    failedAfter: Parameter<number>,
  ) =>
    select
      .from(pdfs)
      .where(
        and(
          eq(pdfs.site, site),
          eq(pdfs.visit, visit),
          eq(pdfs.revision, revision),
          eq(pdfs.page, page),
          eq(pdfs.title, title),
          eq(pdfs.subtitle, subtitle),
          sql`(${pdfs.state} <> 'failed' OR ${pdfs.createdAt} > ${failedAfter})`,
        ),
      )
      .orderBy(sql`${pdfs.state} = 'failed'`)
      .limit(1),
);
const usedRow = selection({
  ...{ waiting: fromQuery(Number), ofHour: fromQuery(Number), bytes: fromQuery(Number) },
  hasRoom: fromQuery(Boolean),
});

const findVisitorPdf = (
  { token, revision, page, title, subtitle }: VisitorPdf,
  visit: string,
  { db }: VisitorContext,
) => readRow(db, pdfByVisit(token.site, visit, revision, page, title, subtitle, Date.now() - failedMilliseconds));

/** Whether the site has reached its limits. Reads a row for each of its PDFs. */
async function hasReachedLimits({ token }: VisitorPdf, { db }: VisitorContext): Promise<boolean> {
  const used = await readRow(
    db,
    usedRow.query(sql`
      SELECT COUNT(*) FILTER (WHERE state = 'waiting') AS ${usedRow.names.waiting},
        COUNT(*) FILTER (WHERE created_at > ${Date.now() - hour}) AS ${usedRow.names.ofHour},
        COALESCE(SUM(bytes), 0) AS ${usedRow.names.bytes},
        ${hasRoom(token.organization, 'visitor')} AS ${usedRow.names.hasRoom} FROM pdfs WHERE site = ${token.site}`),
  );
  const { waiting = 0, ofHour = 0, bytes = 0, hasRoom: isFree = true } = used ?? {};
  return !isFree || waiting >= maxWaiting || ofHour >= maxPerHour || bytes >= maxStoredBytes;
}

async function queueVisitorPdf(
  requested: Awaited<ReturnType<typeof toVisitorRow>> & Pick<PdfRecord, 'visit'>,
  { db, env, background, requestId }: VisitorContext,
) {
  const { organization, space } = requested;
  const now = Date.now();
  const row = { ...requested, id: createId('pdf'), createdAt: now, askedAt: now } satisfies Partial<PdfRecord>;
  const insert = db.insert(pdfs).values(row);
  const job = { type: 'render_pdf', organization, space, data: { pdf: row.id } } as const;
  const { messages } = await commit(db, { actor: '', requestId }, [insert], [job]);
  sendEvents(env, background, messages);
  return { id: row.id, state: 'waiting' as const, error: null, missing: '' };
}

const retryAfterSeconds = 2;

const p = aliasedTable(pdfs, 'p');
const pdfRow = selection({ state: p.state, error: p.error, missing: p.missing });

/** Lists the scripts whose letters no font supports. They are printed as numbers. */
const missingScriptsHeader = 'octavo-missing-scripts';

/** Serves the PDF of a signed URL. Returns 202 until it is ready. */
async function servePdf(request: Request, context: PageContext<PublishingEnvironment>): Promise<Response> {
  const { env, params, db } = context;
  const address = await verifyPdfUrl(request, await importSigningKey(env));
  const [id = '', name] = [params.id, decodeName(params.name ?? '')];
  if (name === undefined) throw notFound('PDF');
  const query = pdfRow.query(sql`
    SELECT ${pdfRow} FROM pdfs p CROSS JOIN spaces s ON s.id = p.space
    WHERE p.id = ${id} AND s.deleted_at IS NULL`);
  const pdf = await readRow(db, query);
  if (pdf === undefined) return createExpiredResponse('The PDF has expired.');
  const { state, error, missing } = pdf;
  if (state === 'waiting') return createWaitingPage();
  if (state === 'refused') return createTooLargePage(error ?? '');
  if (state === 'failed') return createExpiredResponse(error ?? 'The PDF could not be generated.');
  const object = { ...address, name, key: id, contentType: 'application/pdf', etag: `"${id}"` };
  const response = await serveObject(request, env.RENDERED, object);
  if (response === undefined) return createExpiredResponse('The PDF has expired.');
  if (missing !== '') response.headers.set(missingScriptsHeader, missing);
  return response;
}

function createWaitingPage(): Response {
  const page = createHtmlPage({
    title: 'Preparing your PDF',
    body: html`<p>Your download starts when the PDF is ready.</p>`,
    status: 202,
  });
  page.headers.set('retry-after', String(retryAfterSeconds));
  page.headers.set('refresh', String(retryAfterSeconds));
  return page;
}

const createTooLargePage = (reason: string): Response =>
  createHtmlPage({
    title: 'The content is too large for a PDF',
    body: html`<p>${reason} ${splitAdvice}</p>`,
    status: 413,
  });

const createExpiredResponse = (reason: string): Response =>
  createHtmlPage({
    title: 'PDF not available',
    body: html`<p>${reason} Request it again through the API.</p>`,
    status: 410,
  });

export const pdfPages: ServedPage<PublishingEnvironment>[] = [
  { method: 'GET', path: '/pdf/:id/:name+', handler: servePdf },
];

const maxAgeDays = 7;
/** PDFs of visitors depend on more data than PDFs of members, so they are deleted earlier. */
const maxVisitorAgeDays = 1;
/** A run of a queue consumer is always shorter than this. */
const maxRunMilliseconds = 20 * 60_000;
const maxRows = 500;

const sweptRow = selection({ id: pdfs.id });

/**
 * Deletes PDFs that were not requested lately. They are first marked as failed, so that a new request creates another
 * one. Objects are deleted before their rows, so that an interrupted run finds them again. A deleted space is purged
 * after the same number of days, so no PDF outlives the purge of its space.
 */
export async function sweepPdfs(env: PublishingEnvironment): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  for (let sweptCount = maxRows; sweptCount === maxRows && hasQueries(env, 2); ) {
    const sweeping = sweptRow.query(sql`
      UPDATE pdfs SET state = 'failed', error = 'The PDF has expired.' WHERE id IN (
        SELECT id FROM pdfs WHERE asked_at < ${Date.now() - maxVisitorAgeDays * day}
          AND (site IS NOT NULL OR asked_at < ${Date.now() - maxAgeDays * day}) ORDER BY asked_at LIMIT ${maxRows})
      RETURNING ${sweptRow}`);
    const oldPdfs = await readRows(db, sweeping);
    sweptCount = oldPdfs.length;
    if (sweptCount === 0) return;
    const ids = oldPdfs.map(({ id }) => id);
    await env.RENDERED.delete(ids);
    await runBatch(db, [
      db.run(sql`DELETE FROM pdfs WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`),
    ]);
  }
}

/** Fails the PDFs whose last attempt was killed before it could report the failure. */
export async function failAbandonedPdfs(
  env: PublishingEnvironment,
  sentUntil = Date.now() - maxRunMilliseconds,
): Promise<void> {
  const { db } = connect(env.DB, { intent: 'write' });
  await runBatch(db, [
    db.run(sql`
      UPDATE pdfs SET state = 'failed', error = 'The PDF could not be generated.' || dead.reason
      FROM (
        SELECT data->>'pdf' AS pdf,
          CASE WHEN interruptions > 1 THEN ' The server stopped ' || interruptions || ' times during its generation.' ELSE '' END AS reason
        FROM outbox WHERE done_at IS NULL AND attempts >= ${sql.raw(String(maxAttempts))} AND type = 'render_pdf'
          AND sent_at < ${sentUntil}) dead
      WHERE pdfs.id = dead.pdf AND state = 'waiting'`),
  ]);
}
