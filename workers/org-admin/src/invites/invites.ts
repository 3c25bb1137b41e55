import type { Check } from '@octavo/db';
import { commitChecked, decodeCursor, invites, isAfterCursor, paginate, selectRoleRank } from '@octavo/db';
import type { Urls } from '@octavo/runtime';
import { presentCollection, presentSpace } from '@octavo/runtime';
import type { Invite, OrganizationId, Role } from '@octavo/schema';
import { conflict, createId, invalid, isAtLeast, notFound, preconditionFailed } from '@octavo/schema';
import { eq, sql } from 'drizzle-orm';
import { handler } from '../handler.ts';
import { requireFullToken } from '../members/admins.ts';
import {
  createContentExistenceCheck,
  createRoleError,
  rejectHigherRole,
  toGrantedCollection,
  toGrantedSpace,
} from '../permissions/grants.ts';
import type { InviteKey, InviteRecord } from './queries.ts';
import { findInvites, getInvite, selectManagedInvite, selectManagedInvites } from './queries.ts';

export const listOrganizationInviteLinks = handler(
  'listOrganizationInviteLinks',
  async ({ query }, { db, organization, actor, urls }) => {
    const cursor = decodeCursor(query.page, ['number', 'string']);
    const managed = selectManagedInvites(
      actor,
      sql`i.organization = ${organization.id} AND ${isAfterCursor(cursor, sql`i.created_at`, sql`i.id`)}`,
    );
    const links = await findInvites(db, sql`${managed} LIMIT ${query.limit + 1}`);
    return paginate(links, query.limit, {
      item: (link) => presentInvite(link, urls),
      getCursor: ({ createdAt, id }) => [createdAt, id],
    });
  },
);

export const getOrganizationInviteLink = handler(
  'getOrganizationInviteLink',
  async ({ params }, { db, organization, actor, urls }) =>
    presentInvite(await getInvite(db, { organization: organization.id, id: params.inviteId, actor }), urls),
);

const maxLinksPerOrganization = 1000;

export const createOrganizationInvite = handler(
  'createOrganizationInvite',
  async ({ body }, { db, organization, membership, targets: { space, collection }, actor, commit, urls }) => {
    const id = createId('invite');
    const role = 'role' in body ? body.role : body.level;
    const content = [
      ...(space === undefined ? [] : [toGrantedSpace(space)]),
      ...(collection === undefined ? [] : [toGrantedCollection({ collection })]),
    ];
    const [{ id: object, role: heldRole } = { id: null, role: membership.role }] = content;
    rejectHigherRole(role, { role: heldRole });
    if (object === null) requireFullToken(actor, role);
    const row = { id, organization: organization.id, object, role, createdBy: actor.id, createdAt: Date.now() };
    await commitChecked(
      db,
      [...content.map(createContentExistenceCheck), ...createLimitChecks(row.organization)],
      (guards) =>
        commit(
          [...guards, db.insert(invites).values(row)],
          [{ type: 'invite.created', organization: organization.id, data: { invite: id } }],
        ),
    );
    return presentInvite({ id, role, held: heldRole, space: space?.space, collection }, urls);
  },
);

const createLimitChecks = (organization: OrganizationId): Check[] => [
  {
    condition: sql`EXISTS (SELECT 1 FROM organizations o WHERE o.id = ${organization} AND o.invite_links)`,
    createError: () => preconditionFailed('Invite links are disabled in this organization.'),
  },
  {
    condition: sql`(SELECT COUNT(*) FROM invites WHERE organization = ${organization}) < ${maxLinksPerOrganization}`,
    createError: () => conflict(`An organization can have at most ${maxLinksPerOrganization} invite links.`),
  },
];

export const updateOrganizationInviteById = handler(
  'updateOrganizationInviteById',
  async ({ params, body }, { db, organization, actor, commit, urls }) => {
    const key = { organization: organization.id, id: params.inviteId, actor };
    const invite = await getInvite(db, key);
    const field = invite.space == null && invite.collection == null ? 'role' : 'level';
    if (!(field in body)) throw invalid([{ path: `body.${field}`, message: 'is required for this invite link' }]);
    const role = 'role' in body ? body.role : body.level;
    if (field === 'role') requireFullToken(actor, role);
    await commitChecked(db, getChangeChecks(key, role), (guards) =>
      commit(
        [...guards, db.update(invites).set({ role }).where(eq(invites.id, key.id))],
        [{ type: 'invite.updated', organization: organization.id, data: { invite: key.id } }],
      ),
    );
    return presentInvite({ ...invite, role }, urls);
  },
);

export const deleteOrganizationInviteById = handler(
  'deleteOrganizationInviteById',
  async ({ params }, { db, organization, actor, commit }) => {
    const key = { organization: organization.id, id: params.inviteId, actor };
    await commitChecked(db, getChangeChecks(key), (guards) =>
      commit(
        [...guards, db.delete(invites).where(eq(invites.id, key.id))],
        [{ type: 'invite.deleted', organization: organization.id, data: { invite: key.id } }],
      ),
    );
    return undefined;
  },
);

/**
 * The checks for changing a link: the actor manages it, and neither the current nor the new role exceeds the actor's.
 */
const getChangeChecks = (key: InviteKey, role: Role | null = null): Check[] => [
  { condition: sql`EXISTS (${selectManagedInvite(key)})`, createError: () => notFound('invite') },
  {
    condition: sql`EXISTS (SELECT 1 FROM (${selectManagedInvite(key)})
      WHERE COALESCE(${selectRoleRank(sql`${role}`)}, 0) <= held)`,
    createError: createRoleError,
  },
];

/** Presents a link to a reader; `held` is the reader's role on the target of the link. */
function presentInvite(invite: Omit<InviteRecord, 'createdAt'>, urls: Urls): Invite {
  const { id, role, held, space, collection } = invite;
  const redundant = role === null || isAtLeast(held, role);
  const base = { object: 'invite', id, redundant } as const;
  if (space != null) return { ...base, level: role, space: presentSpace(space, held, urls) };
  if (collection != null) return { ...base, level: role, collection: presentCollection(collection, urls) };
  return { ...base, role };
}
