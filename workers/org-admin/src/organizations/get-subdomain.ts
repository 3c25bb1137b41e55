import { given, organizations, readRow, selection, showsOrganization } from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import { aliasedTable, sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

const o = aliasedTable(organizations, 'o');
const foundRow = selection({ id: o.id, isActive: given(Boolean) });

/** Who is no member is told of the organizations that have a public site: its address tells as much. */
export const getSubdomain: Handler<typeof orgAdmin.getSubdomain, OrgAdminEnvironment> = async (
  { params: { subdomain } },
  { db, actor },
) => {
  const published = sql`SELECT 1 FROM sites st WHERE st.organization = o.id AND st.published = 1`;
  const found = await readRow(
    db,
    foundRow.query(sql`SELECT ${foundRow.with({ isActive: sql`EXISTS (${published})` })} FROM organizations o
      LEFT JOIN members m ON m.organization = o.id AND m.user = ${actor.id}
      WHERE o.hostname = ${subdomain} AND ((m.user IS NOT NULL AND ${showsOrganization(sql`${actor.organization}`)})
        OR EXISTS (${published} AND st.visibility = 'public'))`),
  );
  if (found === undefined) throw notFound('subdomain');
  const target = { type: 'organization', organization: found.id } as const;
  return { object: 'subdomain', subdomain, target, isActive: found.isActive };
};
