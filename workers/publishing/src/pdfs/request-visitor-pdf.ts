import type { Connection, PdfRecord } from '@octavo/db';
import { commit, given, pdfs, readRow, retryOnConflict, selection } from '@octavo/db';
import { type Background, hashOf, sendEvents } from '@octavo/runtime';
import type { RevisionId, SpaceId, VisitorToken } from '@octavo/schema';
import { newId } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { PublishingEnvironment } from '../environment.ts';
import { keepPdf } from './request-pdf.ts';

const hour = 3_600_000;
/** What the visitors of one site may have made and kept, whoever they are. */
const [maxWaiting, maxOfHour, maxKeptBytes] = [20, 240, 1024 * 1024 * 1024];
/** So long one that failed is not tried again. */
const failedMilliseconds = hour / 6;

/** What a visitor wants to have printed. */
export interface VisitorPdf {
  token: VisitorToken;
  /** Counts what the site shows: of what it showed before, nobody is given a PDF. */
  shown: string;
  /** Where the space stands in the site, with a slash at the end. */
  address: string;
  space: SpaceId;
  revision: RevisionId;
  /** '' for all pages. */
  page: string;
  title: string;
  subtitle: string;
}

/** What there is for a visitor: `busy` where the site has as many PDFs as its visitors may have. */
export type AskedPdf = Pick<PdfRecord, 'id' | 'state' | 'error' | 'missing'> | 'busy';

interface Context {
  db: Connection['db'];
  env: PublishingEnvironment;
  background: Background;
  requestId: string;
}

/** Finds the PDF of what a visitor is shown, and queues it where nobody who is shown the same asked for it before. */
export const requestVisitorPdf = (wanted: VisitorPdf, context: Context): Promise<AskedPdf> =>
  retryOnConflict(async () => {
    const visit = await visitOf(wanted);
    const known = await find(wanted, visit, context);
    if (known !== undefined) {
      if (known.askedAt < Date.now() - hour && known.state !== 'failed') await keepPdf(context.db, known.id);
      return known;
    }
    return (await isUsedUp(wanted, context)) ? 'busy' : queue(wanted, visit, context);
  });

/** The same for visitors who are shown the same. */
const visitOf = ({ token, shown, address }: VisitorPdf): Promise<string> => {
  const { site, stamp, shareLink = '', claims } = token;
  return hashOf(JSON.stringify([site, stamp, shareLink, claims, shown, address]));
};

const { id, state, error, missing, askedAt } = pdfs;
const knownRow = selection({ id, state, error, missing, askedAt });
const usedRow = selection({ waiting: given(Number), ofHour: given(Number), bytes: given(Number) });

const find = ({ token, revision, page, title, subtitle }: VisitorPdf, visit: string, { db }: Context) =>
  readRow(
    db,
    knownRow.query(sql`
      SELECT ${knownRow} FROM pdfs WHERE site = ${token.site} AND visit = ${visit} AND revision = ${revision}
        AND page = ${page} AND title = ${title} AND subtitle = ${subtitle}
        AND (state <> 'failed' OR created_at > ${Date.now() - failedMilliseconds})
      ORDER BY state = 'failed' LIMIT 1`),
  );

/** Whether the site has as many PDFs as its visitors may have. Reads as many rows as it has. */
async function isUsedUp({ token }: VisitorPdf, { db }: Context): Promise<boolean> {
  const used = await readRow(
    db,
    usedRow.query(sql`
      SELECT COUNT(*) FILTER (WHERE state = 'waiting') AS ${usedRow.names.waiting},
        COUNT(*) FILTER (WHERE created_at > ${Date.now() - hour}) AS ${usedRow.names.ofHour},
        COALESCE(SUM(bytes), 0) AS ${usedRow.names.bytes} FROM pdfs WHERE site = ${token.site}`),
  );
  const { waiting = 0, ofHour = 0, bytes = 0 } = used ?? {};
  return waiting >= maxWaiting || ofHour >= maxOfHour || bytes >= maxKeptBytes;
}

async function queue(wanted: VisitorPdf, visit: string, { db, env, background, requestId }: Context) {
  const { token, address, space, revision, page, title, subtitle } = wanted;
  const { organization, site } = token;
  const now = Date.now();
  const row = { id: newId('pdf'), organization, space, revision, page, title, subtitle, createdAt: now, askedAt: now };
  const insert = db
    .insert(pdfs)
    .values({ ...row, only: page !== '', site, visit, visitor: { token, address } } satisfies Partial<PdfRecord>);
  const job = { type: 'render_pdf', organization, space, data: { pdf: row.id } } as const;
  const { waiting } = await commit(db, { actor: '', requestId }, [insert], [job]);
  sendEvents(env, background, waiting);
  return { id: row.id, state: 'waiting' as const, error: null, missing: '' };
}
