import {
  computed,
  createUserFields,
  decodeCursor,
  foreverSeq,
  isAfterCursor,
  limitRole,
  listSource,
  paginateMatches,
  readRows,
  revisions,
  scanFields,
  scanRows,
  selection,
  selectSpaceRank,
  spaceJoins,
  spaceWithRoleRow,
  toListingMember,
  users,
  versions,
} from '@octavo/db';
import { presentSpace, presentUser } from '@octavo/runtime';
import type { DeletedContent } from '@octavo/schema';
import { formatTimestamp } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import { createSummaryField } from '../../engine/store/summaries.ts';
import { handler } from '../../handler.ts';

const deletedSpaceRow = selection({ ...spaceWithRoleRow.fields, ...scanFields });
const { role: roleName } = deletedSpaceRow.names;
/** The rank of the role `create`, which may restore spaces. */
const leastRank = sql.raw('5');

/** Lists the spaces in the trash that the caller may restore, the last deleted first. */
export const listDeletedSpacesInOrganization = handler(
  'listDeletedSpacesInOrganization',
  async ({ query }, { db, organization, membership, actor, urls }) => {
    const member = toListingMember(actor.id, membership.role);
    const cursor = decodeCursor(query.page, ['number', 'string']);
    const source = member.isGuest
      ? listSource('spaces', sql`${organization.id}`, member)
      : sql`spaces s INDEXED BY spaces_in_trash`;
    const deletedSpaces = scanRows({
      columns: deletedSpaceRow.with({ role: selectSpaceRank(member) }),
      from: sql`FROM ${source} ${spaceJoins}
        WHERE s.organization = ${organization.id} AND s.deleted_at IS NOT NULL AND s.purging_at IS NULL
          AND ${isAfterCursor(cursor, sql`s.deleted_at`, sql`s.id`)}`,
      order: sql`s.deleted_at DESC, s.id DESC`,
      matches: sql`${roleName} >= ${leastRank}`,
      limit: query.limit,
    });
    return paginateMatches(await readRows(db, deletedSpaceRow.query(deletedSpaces)), query.limit, {
      item: ({ space, role }) => presentSpace(space, limitRole(actor, role), urls),
      getCursor: ({ space }) => [space.deletedAt ?? 0, space.id],
    });
  },
);

const [t, r] = [aliasedTable(versions, 't'), aliasedTable(revisions, 'r')];
const deletedRow = selection({
  kind: computed((kind: DeletedContent['kind']) => kind, sql`t.kind`),
  id: t.id,
  since: t.since,
  revision: computed(revisions.id, sql`p.id`),
  deletedAt: r.createdAt,
  deletedBy: createUserFields(aliasedTable(users, 'u')),
  /** The state in the revision before the deletion. */
  former: createSummaryField(sql`p.lineage`, sql`t.kind`, sql`t.id`),
  ...scanFields,
});
const { former: formerName } = deletedRow.names;

/** Lists the pages and files that were deleted from the live content, the last deleted first. */
export const listDeletedContent = handler('listDeletedContent', {
  reads: ({ query: { page, limit } }, { space }) => ({
    deleted: deletedRow.query(
      scanRows({
        columns: deletedRow.getSQL(),
        from: sql`FROM versions t INDEXED BY versions_in_trash
          CROSS JOIN revisions r ON r.branch = t.branch AND r.seq = t.since
          CROSS JOIN users u ON u.id = r.author
          CROSS JOIN revisions p ON p.branch = t.branch AND p.seq = t.since - 1
          WHERE t.branch = ${space} AND t.deleted = 1 AND t.until = ${sql.raw(String(foreverSeq))} AND t.kind IN ('page', 'file')
            AND ${isAfterCursor(decodeCursor(page, ['number', 'string']), sql`t.since`, sql`t.id`)}`,
        order: sql`t.since DESC, t.id DESC`,
        matches: sql`${formerName} IS NOT NULL`,
        limit,
      }),
    ),
  }),
  handle: ({ query }, { actor, isGuest, urls }, { deleted }) =>
    paginateMatches(deleted, query.limit, {
      getCursor: ({ since, id }) => [since, id],
      item: ({ kind, id, revision, deletedAt, deletedBy, former }) => ({
        object: 'deleted-content' as const,
        kind,
        id,
        title: former?.title ?? '',
        ...(former?.type == null ? {} : { type: former.type }),
        ...(former === null || former.parent === '' ? {} : { parent: former.parent }),
        revision,
        deletedAt: formatTimestamp(deletedAt),
        deletedBy: presentUser(deletedBy, urls, { email: !isGuest || deletedBy.id === actor.id }),
      }),
    }),
});
