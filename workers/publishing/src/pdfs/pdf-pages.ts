import { pdfs, readRow, selection } from '@octavo/db';
import type { PageContext, ServedPage } from '@octavo/runtime';
import { decodeName, html, htmlPage, serveObject, signingKey } from '@octavo/runtime';
import { notFound } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { howToPart, readPdfAddress } from './request-pdf.ts';

const retryAfterSeconds = 2;

const p = aliasedTable(pdfs, 'p');
const pdfRow = selection({ state: p.state, error: p.error, missing: p.missing });

/** Names the scripts of which letters stand in a PDF as numbers. */
const missingHeader = 'octavo-missing-scripts';

/** Gives a PDF to whoever has a signed address; as long as it is not ready, 202. */
async function servePdf(request: Request, context: PageContext<PublishingEnvironment>): Promise<Response> {
  const { env, params, db } = context;
  const address = await readPdfAddress(request, await signingKey(env));
  const [id = '', name] = [params.id, decodeName(params.name ?? '')];
  if (name === undefined) throw notFound('PDF');
  const kept = pdfRow.query(sql`
    SELECT ${pdfRow} FROM pdfs p CROSS JOIN spaces s ON s.id = p.space
    WHERE p.id = ${id} AND s.deleted_at IS NULL`);
  const pdf = await readRow(db, kept);
  if (pdf === undefined) return gone('It is not kept any more.');
  const { state, error, missing } = pdf;
  if (state === 'waiting') return waitingPage();
  if (state === 'refused') return tooLargePage(error ?? '');
  if (state === 'failed') return gone(error ?? 'It could not be made.');
  const served = { ...address, name, key: id, contentType: 'application/pdf', etag: `"${id}"` };
  const answer = await serveObject(request, env.RENDERED, served);
  if (answer === undefined) return gone('It is not kept any more.');
  if (missing !== '') answer.headers.set(missingHeader, missing);
  return answer;
}

function waitingPage(): Response {
  const page = htmlPage({
    title: 'The PDF is being made',
    body: html`<p>This address gives it as soon as it is ready.</p>`,
    status: 202,
  });
  page.headers.set('retry-after', String(retryAfterSeconds));
  page.headers.set('refresh', String(retryAfterSeconds));
  return page;
}

const tooLargePage = (why: string): Response =>
  htmlPage({ title: 'The content is too large for a PDF', body: html`<p>${why} ${howToPart}</p>`, status: 413 });

const gone = (why: string): Response =>
  htmlPage({
    title: 'There is no such PDF',
    body: html`<p>${why} Ask for it once more through the API.</p>`,
    status: 410,
  });

export const pdfPages: ServedPage<PublishingEnvironment>[] = [
  { method: 'GET', path: '/pdf/:id/:name+', handler: servePdf },
];
