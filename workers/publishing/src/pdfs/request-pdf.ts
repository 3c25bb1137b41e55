import type { Database, PdfRecord } from '@octavo/db';
import { commit, lostRace, pdfs, readRow, retryOnConflict, selection } from '@octavo/db';
import type { Background } from '@octavo/runtime';
import { expiryFrom, readSigned, safeName, sendEvents, signAddress, signingKey, urlsOf } from '@octavo/runtime';
import type { PdfExport, PdfRequest } from '@octavo/schema';
import { ApiError, newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';

/** What a signed address of a PDF gives, until a moment. */
interface SignedPdf {
  id: string;
  /** What it is saved as. */
  name: string;
  /** Seconds since 1970. */
  expires: number;
}

/** The path and query of a signed address. */
const addressOfPdf = (key: CryptoKey, { id, name, expires }: SignedPdf): Promise<string> =>
  signAddress(key, `/pdf/${id}/${encodeURIComponent(name)}`, { expires: String(expires) });

const kind = { of: 'PDF', renew: 'ask for the PDF through the API' };

/** What the query of a signed address says. @throws ApiError not_found or forbidden */
export async function readPdfAddress(request: Request, key: CryptoKey): Promise<Pick<SignedPdf, 'expires'>> {
  const query = await readSigned(request, key, kind);
  return { expires: Number(query.get('expires')) };
}

/** What helps where the content is too large for one PDF. */
export const howToPart =
  'Ask for a part of it: `page` takes a page with its subpages, and `only=true` that page alone.';

const day = 24 * 3_600_000;
const maxNameLength = 80;

interface Context {
  db: Database;
  env: PublishingEnvironment;
  background: Background;
}

/**
 * Gives the address of a PDF, and queues it where nobody asked for it before: the unique index lets one of many callers
 * in, the others find what that one wrote. One round trip, two for who is first. @throws ApiError too_large
 */
export async function requestPdf(request: PdfRequest, context: Context): Promise<PdfExport> {
  const { id, missing } = await retryOnConflict(
    async () => (await findPdf(request, context.db)) ?? queuePdf(request, context),
  );
  const name = `${safeName([...request.title].slice(0, maxNameLength).join(''))}.pdf`;
  const expires = expiryFrom(Date.now());
  const address = await addressOfPdf(await signingKey(context.env), { id, name, expires });
  const url = urlsOf(context.env).page(address);
  return missing === '' ? { url } : { url, missingScripts: missing.split(',') };
}

const { id, askedAt, state, error, missing } = pdfs;
const knownRow = selection({ id, askedAt, state, error, missing });

type Known = Pick<PdfRecord, 'id' | 'missing'>;

async function findPdf(
  { revision, page = '', only, title, subtitle = '' }: PdfRequest,
  db: Database,
): Promise<Known | undefined> {
  const wanted = knownRow.query(sql`
    SELECT ${knownRow} FROM pdfs WHERE revision = ${revision} AND page = ${page} AND only = ${only ? 1 : 0}
      AND title = ${title} AND subtitle = ${subtitle} AND visit = '' AND state <> 'failed'`);
  const known = await readRow(db, wanted);
  if (known?.state === 'refused')
    throw new ApiError('too_large', `The content is too large for a PDF. ${known.error ?? ''} ${howToPart}`);
  if (known !== undefined && known.askedAt < Date.now() - day) await keepPdf(db, known.id);
  return known;
}

const keptRow = selection({ id });

/** Notes that a PDF is still asked for; the sweep may have come first. */
export async function keepPdf(db: Database, id: string): Promise<void> {
  const keeping = keptRow.query(sql`
    UPDATE pdfs SET asked_at = ${Date.now()} WHERE id = ${id} AND state <> 'failed' RETURNING ${keptRow}`);
  if ((await readRow(db, keeping)) === undefined) throw lostRace('The PDF was swept.');
}

async function queuePdf(request: PdfRequest, { db, env, background }: Context): Promise<Known> {
  const { organization, space, revision, page = '', only, title, subtitle = '' } = request;
  const [id, now] = [newId('pdf'), Date.now()];
  const row = { id, organization, space, revision, page, only, title, subtitle, createdAt: now, askedAt: now };
  const insert = db
    .insert(pdfs)
    .values({ ...row, changeRequest: request.changeRequest ?? null } satisfies Partial<PdfRecord>);
  const about = { organization, space, data: { pdf: id } };
  const { waiting } = await commit(
    db,
    request,
    [insert],
    [
      { type: 'pdf.requested', ...about },
      { type: 'render_pdf', ...about },
    ],
  );
  sendEvents(env, background, waiting);
  return { id, missing: '' };
}
