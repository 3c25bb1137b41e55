import type { MemberRecord, OrganizationRecord, Parameter } from '@octavo/db';
import {
  commitChecked,
  decodeTimeCursor,
  memberRow,
  members,
  paginate,
  prepareQuery,
  readRows,
  selection,
  users,
} from '@octavo/db';
import { presentMember } from '@octavo/runtime';
import type { OrganizationId } from '@octavo/schema';
import { conflict, createId, notFound } from '@octavo/schema';
import { aliasedTable, and, desc, eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import type { TokenOwner } from '../tokens/queries.ts';
import { deleteToken, listTokens, mintToken } from '../tokens/queries.ts';

const [u, m] = [aliasedTable(users, 'u'), aliasedTable(members, 'm')];
const serviceAccounts = prepareQuery(
  selection({ member: memberRow.fields, createdAt: u.createdAt }),
  (
    select,
    organization: Parameter<OrganizationId>,
    time: Parameter<number>,
    id: Parameter<string>,
    limit: Parameter<number>,
  ) =>
    select
      .from(u)
      .crossJoin(m)
      .where(
        and(
          eq(u.serviceOf, organization),
          eq(m.organization, u.serviceOf),
          eq(m.user, u.id),
          sql`(${u.createdAt}, ${u.id}) < (${time}, ${id})`,
        ),
      )
      .orderBy(desc(u.createdAt), desc(u.id))
      .limit(limit),
);

export const listServiceAccounts = handler('listServiceAccounts', async ({ query }, { db, organization, urls }) => {
  const accounts = await readRows(
    db,
    serviceAccounts(organization.id, ...decodeTimeCursor(query.page), query.limit + 1),
  );
  return paginate(accounts, query.limit, {
    item: ({ member }) => presentMember(member, urls),
    getCursor: ({ createdAt, member }) => [createdAt, member.user.id],
  });
});

const maxServiceAccounts = 100;

export const createServiceAccount = handler(
  'createServiceAccount',
  async ({ body: { displayName, role } }, { db, organization: { id: organization }, commit, urls }) => {
    const id = createId('user');
    const now = Date.now();
    // Mail to .invalid is never delivered (RFC 2606), so no one can own the address.
    const user = { id, displayName, email: `${id}@service.invalid`, photoUrl: null };
    const kind = 'service';
    const write = [
      db.insert(users).values({ ...user, kind, serviceOf: organization, createdAt: now }),
      db.insert(members).values({ organization, user: id, role, joinedAt: now }),
    ];
    const mayHaveMore = {
      condition: sql`(SELECT COUNT(*) FROM users WHERE service_of = ${organization}) < ${maxServiceAccounts}`,
      createError: () => conflict(`An organization can have at most ${maxServiceAccounts} service accounts.`),
    };
    await commitChecked(db, [mayHaveMore], (guards) =>
      commit([...guards, ...write], [{ type: 'member.added', organization, data: { user: id } }]),
    );
    return presentMember({ ...newMember, user, kind, role, joinedAt: now }, urls);
  },
);

const newMember = {
  disabled: false,
  sso: false,
  lastSeenAt: null,
  spaces: 0,
  teams: 0,
} satisfies Partial<MemberRecord>;

export const listServiceAccountTokens = handler('listServiceAccountTokens', ({ query }, { db, member, organization }) =>
  listTokens(db, getAccount(member, organization), query),
);

export const createServiceAccountToken = handler(
  'createServiceAccountToken',
  ({ body }, { db, commit, member, organization }) => {
    const owner = getAccount(member, organization);
    // Disabling or removing a member deletes its tokens. A token that is written later would stay valid.
    const isActiveMember = {
      condition: sql`EXISTS (SELECT 1 FROM members
        WHERE organization = ${owner.organization} AND user = ${owner.user} AND NOT disabled)`,
      createError: () => conflict('The service account is disabled or was removed.'),
    };
    return mintToken({ db, commit }, { owner, wanted: body, check: isActiveMember });
  },
);

export const deleteServiceAccountToken = handler(
  'deleteServiceAccountToken',
  async ({ params }, { db, commit, member, organization }) => {
    await deleteToken({ db, commit }, getAccount(member, organization), params.tokenId);
    return undefined;
  },
);

/** Returns the service account of the path as the owner of its tokens. @throws ApiError not_found for a person */
function getAccount(
  { kind, user }: MemberRecord,
  organization: OrganizationRecord,
): TokenOwner & { organization: OrganizationId } {
  if (kind !== 'service') throw notFound('member');
  return { user: user.id, organization: organization.id };
}
