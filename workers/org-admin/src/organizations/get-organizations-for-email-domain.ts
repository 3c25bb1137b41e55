import {
  countedMembership,
  given,
  isActive,
  membershipRow,
  organizationRow,
  readRows,
  selection,
  showsOrganization,
} from '@octavo/db';
import type { Handler } from '@octavo/runtime';
import { presentOrganization, presentToStranger } from '@octavo/runtime';
import type { orgAdmin } from '@octavo/schema';
import { sql } from 'drizzle-orm';
import type { OrgAdminEnvironment } from '../environment.ts';

const maxOrganizations = 100;
/** Bounds the cost for who is a member of very many: the memberships that are looked through, the oldest first. */
const maxMemberships = 1000;

const foundRow = selection({
  organization: organizationRow.fields,
  membership: membershipRow.fields,
  isMember: given(Boolean),
});

/** Anybody may claim a domain: newer claims push out neither the organizations of the caller nor the oldest. */
export const getOrganizationsForEmailDomain: Handler<
  typeof orgAdmin.getOrganizationsForEmailDomain,
  OrgAdminEnvironment
> = async ({ params: { emailDomain } }, { db, actor, urls }) => {
  const boundTo = sql`${actor.organization}`;
  const columns = foundRow.with({ membership: { active: isActive(boundTo) }, isMember: sql`m.user IS NOT NULL` });
  const found = foundRow.query(sql`
    WITH own AS (
      SELECT d.organization, d.created_at
      FROM (SELECT organization, disabled FROM members WHERE user = ${actor.id} ORDER BY joined_at, organization LIMIT ${maxMemberships}) m
      CROSS JOIN organization_domains d ON d.domain = ${emailDomain} AND d.organization = m.organization
      WHERE ${showsOrganization(boundTo)} ORDER BY d.created_at, d.organization LIMIT ${maxOrganizations}),
    oldest AS (
      SELECT d.organization, d.created_at FROM organization_domains d
      WHERE d.domain = ${emailDomain} ORDER BY d.created_at, d.organization LIMIT ${maxOrganizations})
    SELECT ${columns}
    FROM (SELECT * FROM own UNION SELECT * FROM oldest) d CROSS JOIN organizations o ON o.id = d.organization
    LEFT JOIN members m ON m.organization = o.id AND m.user = ${actor.id} AND ${showsOrganization(boundTo)}
    ORDER BY ${foundRow.names.isMember} DESC, d.created_at, d.organization LIMIT ${maxOrganizations}`);
  const organizations = (await readRows(db, found)).map(({ organization, membership, isMember }) =>
    isMember
      ? presentOrganization(organization, countedMembership(actor, membership), urls)
      : presentToStranger(organization, [emailDomain], urls),
  );
  return { organizations };
};
