import { after, decodeCursor, paginate } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { findInvites } from './invite-record.ts';
import { presentInvite } from './present-invite.ts';

export const listOrganizationInviteLinks: Handler<
  typeof orgAdmin.listOrganizationInviteLinks,
  OrgAdminEnvironment
> = async ({ query }, { db, organization, membership, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const links = await findInvites(
    db,
    sql`i.organization = ${organization.id} AND ${after(cursor, sql`i.created_at`, sql`i.id`)}
      ORDER BY i.created_at DESC, i.id DESC LIMIT ${query.limit + 1}`,
  );
  return paginate(links, query.limit, {
    item: (link) => presentInvite(link, membership, urls),
    cursorOf: ({ createdAt, id }) => [createdAt, id],
  });
};
