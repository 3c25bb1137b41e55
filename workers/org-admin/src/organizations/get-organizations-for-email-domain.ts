import type { Row } from '@octavo/db';
import {
  membershipColumns,
  organizationColumns,
  readMembership,
  readOrganization,
  showsOrganization,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';
import { presentOrganization, presentToStranger } from './present-organization.ts';

const maxOrganizations = 100;

export const getOrganizationsForEmailDomain: Handler<
  typeof orgAdmin.getOrganizationsForEmailDomain,
  OrgAdminEnvironment
> = async ({ params: { emailDomain } }, { db, actor, urls }) => {
  const boundTo = sql`${actor.organization}`;
  const rows = await db.all<Row>(sql`
    SELECT ${organizationColumns}, ${membershipColumns(boundTo)}, m.user IS NOT NULL AS is_member
    FROM organization_domains d CROSS JOIN organizations o ON o.id = d.organization
    LEFT JOIN members m ON m.organization = o.id AND m.user = ${actor.id} AND ${showsOrganization(boundTo)}
    WHERE d.domain = ${emailDomain} ORDER BY d.created_at DESC, d.organization DESC LIMIT ${maxOrganizations}`);
  const organizations = rows.map((row) =>
    row.is_member === 1
      ? presentOrganization(readOrganization(row), readMembership(row), urls)
      : presentToStranger(readOrganization(row), emailDomain, urls),
  );
  return { organizations };
};
