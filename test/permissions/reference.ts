import type { Role } from '@octavo/schema';

// The reference for rights on spaces and collections. It is written from the specification (permissions.md, sections 2
// and 5; README, "defaultLevel") and independent of the queries that it tests.

export interface Content {
  kind: 'space' | 'collection';
  id: string;
  /** The parent collection, or null at the top level of the organization. */
  parent: string | null;
  /** Null inherits the level, and `none` hides the content. */
  level: Role | 'none' | null;
  createdBy: string;
  deleted: boolean;
  /** The case that this content represents in the table. */
  label: string;
}

export interface Person {
  id: string;
  label: string;
  /** Undefined if the person is not a member. */
  member?: { role: Role | null; disabled: boolean };
  teams: string[];
}

/** A role granted directly to a person or a team. A null role denies access. */
export interface Grant {
  object: string;
  subject: string;
  role: Role | null;
}

export interface World {
  people: Person[];
  teams: string[];
  contents: Content[];
  grants: Grant[];
}

const ascending: Role[] = ['read', 'comment', 'edit', 'review', 'create', 'admin'];
const getRank = (role: Role | null): number => (role === null ? -1 : ascending.indexOf(role));
const isAtLeast = (role: Role | null, least: Role): boolean => getRank(role) >= getRank(least);
const getHighestRole = (roles: (Role | null)[]): Role | null =>
  roles.reduce((best, role) => (getRank(role) > getRank(best) ? role : best), null);

/** Returns the effective role, as specified in section 2, steps 1 to 7. */
export function getEffectiveRole(
  { contents, grants }: World,
  { id, member, teams }: Person,
  content: Content,
): Role | null {
  if (member === undefined || member.disabled) return null;
  if (member.role === 'admin') return 'admin';
  let place: Content | undefined = content;
  while (place !== undefined) {
    const here: Content = place;
    const toPerson = grants.find(({ object, subject }) => object === here.id && subject === id);
    if (toPerson !== undefined) return toPerson.role;
    const toTeams = grants.filter(({ object, subject }) => object === here.id && teams.includes(subject));
    if (toTeams.length > 0) return getHighestRole(toTeams.map(({ role }) => role));
    if (here.level === 'none') return here.createdBy === id ? 'create' : null;
    // A default level does not apply to guests: it neither gives nor removes a role.
    if (here.level !== null && member.role !== null) return here.level;
    place = contents.find((each) => each.id === here.parent);
  }
  return member.role;
}

/** Returns the rights on a space (section 5, Space), or undefined if the person cannot see it. */
export function getSpaceRights(world: World, person: Person, space: Content) {
  const role = getEffectiveRole(world, person, space);
  const manages = isAtLeast(role, 'create');
  const isAllowed = (least: Role) => !space.deleted && isAtLeast(role, least);
  const view = space.deleted ? manages : isAllowed('read');
  if (!view) return undefined;
  return {
    view,
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
 * Returns the rights on a collection (section 5, Collection). A user can view a collection if they can view anything in
 * it.
 */
export function getCollectionRights(world: World, person: Person, collection: Content) {
  const isVisible = (content: Content): boolean =>
    !content.deleted &&
    (isAtLeast(getEffectiveRole(world, person, content), 'read') ||
      world.contents.some((inside) => inside.parent === content.id && isVisible(inside)));
  if (!isVisible(collection)) return undefined;
  return { view: true, admin: isAtLeast(getEffectiveRole(world, person, collection), 'create') };
}
