import { after, decodeCursor, paginate } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { findInvites, managedInvites } from './invite-record.ts';
import { presentInvite } from './present-invite.ts';

export const listOrganizationInviteLinks: Handler<
  typeof orgAdmin.listOrganizationInviteLinks,
  OrgAdminEnvironment
> = async ({ query }, { db, organization, actor, urls }) => {
  const cursor = decodeCursor(query.page, ['number', 'string']);
  const managed = managedInvites(
    actor,
    sql`i.organization = ${organization.id} AND ${after(cursor, sql`i.created_at`, sql`i.id`)}`,
  );
  const links = await findInvites(db, sql`${managed} LIMIT ${query.limit + 1}`);
  return paginate(links, query.limit, {
    item: (link) => presentInvite(link, urls),
    cursorOf: ({ createdAt, id }) => [createdAt, id],
  });
};
