import type { Check, Parameter } from '@octavo/db';
import {
  commitChecked,
  createMergeRuleChecks,
  decodeCursor,
  fromQuery,
  getOnlyRow,
  isActive,
  isAfterCursor,
  limitMembership,
  members,
  membershipRow,
  organizationRow,
  organizations,
  paginate,
  prepareQuery,
  readRow,
  readRows,
  selection,
  showsOrganization,
} from '@octavo/db';
import { requireReadableRules } from '@octavo/expression';
import { makeFileUrlsPermanent, presentForNonMember, presentOrganization } from '@octavo/runtime';
import type { BodyOf, OrganizationId, orgAdmin } from '@octavo/schema';
import { conflict, createId, invalid, notFound, preconditionFailed } from '@octavo/schema';
import { aliasedTable, eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { canSignIn } from '../sso/queries.ts';

const listedRow = selection({
  organization: organizationRow.fields,
  membership: membershipRow.fields,
  joinedAt: aliasedTable(members, 'm').joinedAt,
});

export const listOrganizationsForAuthenticatedUser = handler(
  'listOrganizationsForAuthenticatedUser',
  async ({ query }, { db, actor, urls }) => {
    const cursor = decodeCursor(query.page, ['number', 'string']);
    const boundTo = sql`${actor.organization}`;
    const selectOrganizations = listedRow.query(sql`
      SELECT ${listedRow.with({ membership: { active: isActive(boundTo) } })}
      FROM members m CROSS JOIN organizations o ON o.id = m.organization
      WHERE m.user = ${actor.id} AND ${showsOrganization(boundTo)} AND ${isAfterCursor(cursor, sql`m.joined_at`, sql`m.organization`)}
      ORDER BY m.joined_at DESC, m.organization DESC LIMIT ${query.limit + 1}`);
    return paginate(await readRows(db, selectOrganizations), query.limit, {
      item: ({ organization, membership }) =>
        presentOrganization(organization, limitMembership(actor, membership), urls),
      getCursor: ({ joinedAt, organization }) => [joinedAt, organization.id],
    });
  },
);

export const getOrganizationById = handler('getOrganizationById', (_, { organization, membership, urls }) =>
  presentOrganization(organization, membership, urls),
);

export const createOrganization = handler('createOrganization', async ({ body }, { db, actor, commit, urls }) => {
  const id = createId('organization');
  const createdAt = Date.now();
  const { title, emailDomains } = body;
  await commit(
    [
      db.insert(organizations).values({ id, title, emailDomains, createdAt }),
      db.insert(members).values({ organization: id, user: actor.id, role: 'admin', joinedAt: createdAt }),
    ],
    [
      { type: 'organization.created', organization: id, data: {} },
      { type: 'member.added', organization: id, data: { user: actor.id } },
    ],
  );
  const settings = {
    hostname: null,
    defaultRole: null,
    logo: null,
    type: 'business',
    inviteLinks: true,
    sso: false,
    ai: false,
    defaultContent: null,
    mergeRules: null,
  } as const;
  return presentOrganization(
    { id, title, emailDomains, createdAt, ...settings },
    { role: 'admin', active: true, ownsTeam: false },
    urls,
  );
});

type Endpoint = typeof orgAdmin.updateOrganizationById;

export const updateOrganizationById = handler('updateOrganizationById', async ({ body }, context) => {
  const { db, organization, membership, commit, urls } = context;
  const { id } = organization;
  const settings = await makeFileUrlsPermanent(body, id, context);
  if (Object.values(settings).every((value) => value === undefined)) {
    return presentOrganization(organization, membership, urls);
  }
  requireReadableRules(settings.mergeRules);
  const checks = [...createSettingsChecks(id, settings), ...createMergeRuleChecks(settings.mergeRules, id)];
  const write = db.update(organizations).set(settings).where(eq(organizations.id, id));
  const rows = await commitChecked(db, checks, (guards) =>
    commit({ guards, write, changed: organizationOfId(id) }, [
      { type: 'organization.updated', organization: id, data: {} },
    ]),
  );
  return presentOrganization(getOnlyRow(rows.changed), membership, urls);
});

const o = aliasedTable(organizations, 'o');
const organizationOfId = prepareQuery(organizationRow, (select, id: Parameter<OrganizationId>) =>
  select.from(o).where(eq(o.id, id)),
);

function createSettingsChecks(id: string, { hostname, sso, defaultContent }: BodyOf<Endpoint>): Check[] {
  const addressCheck: Check = {
    condition: sql`NOT EXISTS (SELECT 1 FROM organizations WHERE hostname = ${hostname ?? null} AND id <> ${id})`,
    createError: () => conflict('The hostname belongs to another organization.'),
    enforcedBy: 'constraint',
  };
  const ssoCheck: Check = {
    condition: canSignIn(id),
    createError: () => preconditionFailed('SSO can only be enforced with an active SAML provider. Add one first.'),
  };
  const ownSiteCheck: Check = {
    condition: sql`EXISTS (SELECT 1 FROM sites WHERE id = ${defaultContent?.site ?? null} AND organization = ${id})`,
    createError: () => invalid([{ path: 'body.defaultContent.site', message: 'must be a site of this organization' }]),
  };
  return [addressCheck, ...(sso === true ? [ssoCheck] : []), ...(defaultContent ? [ownSiteCheck] : [])];
}

const maxOrganizations = 100;
/** Bounds the cost for users with many memberships. The oldest are read first. */
const maxMemberships = 1000;

const foundRow = selection({
  organization: organizationRow.fields,
  membership: membershipRow.fields,
  isMember: fromQuery(Boolean),
});

/** Anyone may claim a domain, so newer claims must not displace the oldest organizations or those of the caller. */
export const getOrganizationsForEmailDomain = handler(
  'getOrganizationsForEmailDomain',
  async ({ params: { emailDomain } }, { db, actor, urls }) => {
    const boundTo = sql`${actor.organization}`;
    const columns = foundRow.with({ membership: { active: isActive(boundTo) }, isMember: sql`m.user IS NOT NULL` });
    const selectOrganization = foundRow.query(sql`
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
    const organizations = (await readRows(db, selectOrganization)).map(({ organization, membership, isMember }) =>
      isMember
        ? presentOrganization(organization, limitMembership(actor, membership), urls)
        : presentForNonMember(organization, [emailDomain], urls),
    );
    return { organizations };
  },
);

const subdomainRow = selection({ id: o.id, isActive: fromQuery(Boolean) });

/**
 * Non-members find only organizations with a public site, because the address of the site reveals the subdomain anyway.
 */
export const getSubdomain = handler('getSubdomain', async ({ params: { subdomain } }, { db, actor }) => {
  const published = sql`SELECT 1 FROM sites st WHERE st.organization = o.id AND st.published = 1`;
  const organization = await readRow(
    db,
    subdomainRow.query(sql`SELECT ${subdomainRow.with({ isActive: sql`EXISTS (${published})` })} FROM organizations o
      LEFT JOIN members m ON m.organization = o.id AND m.user = ${actor.id}
      WHERE o.hostname = ${subdomain} AND ((m.user IS NOT NULL AND ${showsOrganization(sql`${actor.organization}`)})
        OR EXISTS (${published} AND st.visibility = 'public'))`),
  );
  if (organization === undefined) throw notFound('subdomain');
  const target = { type: 'organization', organization: organization.id } as const;
  return { object: 'subdomain', subdomain, target, isActive: organization.isActive };
});
