import { decodeCursor, decodeTimeCursor, paginate, readRows } from '@octavo/db';
import { formatTimestamp } from '@octavo/schema';
import { handler } from '../handler.ts';
import { countsOfSite, feedbackOfSite } from './queries.ts';

export const listSiteFeedback = handler('listSiteFeedback', async ({ query: { page, limit } }, { db, site }) => {
  const [time, id] = page === undefined ? decodeTimeCursor(page) : (decodeCursor(page, ['number', 'number']) ?? []);
  const rows = await readRows(db, feedbackOfSite(site.id, Number(time), Number(id), limit + 1));
  return paginate(rows, limit, {
    item: ({ id: _, ratedAt, ...rest }) => ({
      object: 'page-feedback' as const,
      ...rest,
      ratedAt: formatTimestamp(ratedAt),
    }),
    getCursor: (row) => [row.ratedAt, row.id],
  });
});

/** A text that sorts after every id. */
const lastId = '\u{10ffff}';

export const listSiteFeedbackByPage = handler(
  'listSiteFeedbackByPage',
  async ({ query: { page, limit } }, { db, site }) => {
    const [bad = Number.MAX_SAFE_INTEGER, space = lastId, id = lastId] =
      decodeCursor(page, ['number', 'string', 'string']) ?? [];
    const rows = await readRows(db, countsOfSite(site.id, Number(bad), String(space), String(id), limit + 1));
    return paginate(rows, limit, {
      item: ({ ratedAt, ...rest }) => ({
        object: 'page-feedback-counts' as const,
        ...rest,
        ratedAt: formatTimestamp(ratedAt),
      }),
      getCursor: (row) => [row.bad, row.space, row.page],
    });
  },
);
