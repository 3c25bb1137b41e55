import {
  changeRequests,
  createUserFields,
  decodeCursor,
  nullable,
  paginate,
  prepareStatement,
  revisions,
  selection,
  users,
} from '@octavo/db';
import { presentUser } from '@octavo/runtime';
import type { BranchId } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import type { SQL } from 'drizzle-orm';
import { aliasedTable, sql } from 'drizzle-orm';
import { handler } from '../../handler.ts';

const [r, cr] = [aliasedTable(revisions, 'r'), aliasedTable(changeRequests, 'cr')];
const historyRow = selection({
  id: r.id,
  seq: r.seq,
  parents: r.parents,
  type: r.type,
  summary: r.summary,
  createdAt: r.createdAt,
  author: createUserFields(aliasedTable(users, 'u')),
  changeRequest: nullable({ id: cr.id, number: cr.number, subject: cr.subject }),
});

const selectDetails = sql`CROSS JOIN users u ON u.id = r.author
    LEFT JOIN change_requests cr ON cr.id = r.change_request AND cr.space = r.space`;

const readHistory = prepareStatement((branch: SQL<BranchId>, before: SQL<number>, limit: SQL<number>) =>
  historyRow.query(sql`
    SELECT ${historyRow} FROM revisions r ${selectDetails}
    WHERE r.branch = ${branch} AND r.seq < ${before} ORDER BY r.seq DESC LIMIT ${limit}`),
);

/** Selects the revisions that added, changed or deleted a page. Each of them has written a version of the page. */
const readPageHistory = prepareStatement(
  (branch: SQL<BranchId>, page: SQL<string>, before: SQL<number>, limit: SQL<number>) =>
    historyRow.query(sql`
    SELECT ${historyRow} FROM versions v CROSS JOIN revisions r ON r.branch = v.branch AND r.seq = v.since ${selectDetails}
    WHERE v.branch = ${branch} AND v.kind = 'page' AND v.id = ${page} AND v.since < ${before}
    ORDER BY v.since DESC LIMIT ${limit}`),
);

/** Lists the revisions of a branch, or those that changed a page, the newest first. */
export const listRevisions = handler('listRevisions', {
  reads: ({ query: { page, limit, targetPage } }, { branch }) => {
    const before = Number(decodeCursor(page, ['number', 'string'])?.[0] ?? Number.MAX_SAFE_INTEGER);
    const revisions =
      targetPage === undefined
        ? readHistory(branch, before, limit + 1)
        : readPageHistory(branch, targetPage, before, limit + 1);
    return { revisions };
  },
  handle: ({ query }, { space, actor, isGuest, urls }, rows) =>
    paginate(rows.revisions, query.limit, {
      getCursor: ({ seq, id }) => [seq, id],
      item: ({ id, parents, type, summary, author, createdAt, changeRequest }) => ({
        object: 'revision-summary' as const,
        id,
        parents,
        type,
        summary,
        author: presentUser(author, urls, { email: !isGuest || author.id === actor.id }),
        createdAt: formatTimestamp(createdAt),
        ...(changeRequest === null ? {} : { changeRequest }),
        urls: { app: urls.app(`/spaces/${space.id}/revisions/${id}`) },
      }),
    }),
});
