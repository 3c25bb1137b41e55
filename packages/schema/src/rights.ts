import * as z from 'zod';
import { isAtLeast, type Role } from './roles.ts';

const createFlags = <const Keys extends readonly string[]>(keys: Keys) =>
  z.object(Object.fromEntries(keys.map((key) => [key, z.boolean()])) as Record<Keys[number], z.ZodBoolean>);

export const OrganizationPermissions = createFlags([
  'view',
  'admin',
  'ownTeam',
  'createContent',
  'createOpenAPISpec',
  'ingestConversations',
  'viewBilling',
  'listMembers',
  'listTeams',
  'listIntegrations',
  'access',
  'listInstallations',
  'installIntegration',
] as const).meta({ id: 'OrganizationPermissions' });
export type OrganizationPermissions = z.infer<typeof OrganizationPermissions>;
export type OrganizationRight = keyof OrganizationPermissions;

export const SpacePermissions = createFlags([
  'view',
  'access',
  'admin',
  'viewInviteLinks',
  'edit',
  'triggerGitSync',
  'comment',
  'merge',
  'review',
  'installIntegration',
] as const).meta({ id: 'SpacePermissions' });
export type SpacePermissions = z.infer<typeof SpacePermissions>;
export type SpaceRight = keyof SpacePermissions;

export const CollectionPermissions = createFlags(['view', 'admin', 'viewInviteLinks', 'create'] as const).meta({
  id: 'CollectionPermissions',
});
export type CollectionPermissions = z.infer<typeof CollectionPermissions>;
export type CollectionRight = keyof CollectionPermissions;

/** Returns the caller's rights on an organization, from the caller's role in it. */
export function getOrganizationPermissions(role: Role | null, ownsTeam: boolean): OrganizationPermissions {
  const admin = role === 'admin';
  const creates = isAtLeast(role, 'create');
  const belongs = role !== null;
  return {
    view: true,
    admin,
    ownTeam: ownsTeam,
    createContent: creates,
    createOpenAPISpec: creates,
    ingestConversations: admin,
    viewBilling: admin,
    listMembers: belongs,
    listTeams: belongs,
    listIntegrations: belongs,
    access: true,
    listInstallations: admin,
    installIntegration: admin,
  };
}

/** The rights of a caller who is not a member of the organization. */
export const strangerPermissions: OrganizationPermissions = {
  view: false,
  admin: false,
  ownTeam: false,
  createContent: false,
  createOpenAPISpec: false,
  ingestConversations: false,
  viewBilling: false,
  listMembers: false,
  listTeams: false,
  listIntegrations: false,
  access: false,
  listInstallations: false,
  installIntegration: false,
};

/**
 * Returns the caller's rights on a space, from the effective role in it. A deleted space retains `view` and `admin`.
 */
export function getSpacePermissions(role: Role | null, deleted: boolean): SpacePermissions {
  const isAllowed = (requiredRole: Role) => isAtLeast(role, requiredRole) && !deleted;
  const manages = isAtLeast(role, 'create');
  return {
    view: deleted ? manages : isAllowed('read'),
    access: isAllowed('read'),
    admin: manages,
    viewInviteLinks: isAllowed('create'),
    edit: isAllowed('edit'),
    triggerGitSync: false,
    comment: isAllowed('comment'),
    merge: isAllowed('review'),
    review: isAllowed('review'),
    installIntegration: isAllowed('create'),
  };
}

/**
 * Returns the caller's rights on a collection, from the effective role in it, or from the visibility of its content
 * (`isAncestorOfVisible`).
 */
export function getCollectionPermissions(role: Role | null, isAncestorOfVisible: boolean): CollectionPermissions {
  const manages = isAtLeast(role, 'create');
  return {
    view: isAncestorOfVisible || isAtLeast(role, 'read'),
    admin: manages,
    viewInviteLinks: manages,
    create: manages,
  };
}

/**
 * Returns the caller's rights on a site, from the role in the organization and the highest role on a space that the
 * site shows.
 */
export function getSitePermissions(role: Role | null, highest: Role | null): { view: boolean; manage: boolean } {
  const manage = isAtLeast(role, 'create') || isAtLeast(highest, 'create');
  return { view: manage || role !== null || highest !== null, manage };
}

/** Returns the caller's rights on a team: owners change its members, admins the team itself. */
export const getTeamPermissions = (
  organization: OrganizationPermissions,
  ownRole: 'owner' | 'member' | null,
): { admin: boolean; view: boolean } => ({
  admin: organization.admin || ownRole === 'owner',
  view: organization.listTeams || ownRole !== null,
});
