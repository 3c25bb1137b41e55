import type { SpaceRecord } from '@octavo/db';
import type { Role, Space } from '@octavo/schema';
import { spacePermissions, timestamp } from '@octavo/schema';
import type { Urls } from './urls.ts';

/** A space as the caller with that effective role sees it. */
export function presentSpace(space: SpaceRecord, role: Role | null, urls: Urls): Space {
  const path = `/spaces/${space.id}`;
  const { id, title, emoji, visibility, editMode, organization, defaultLevel } = space;
  const { comments, changeRequests, changeRequestsOpen, changeRequestsDraft } = space;
  return {
    object: 'space',
    id,
    type: 'document',
    title,
    emoji,
    visibility: space.parent === null ? visibility : 'in-collection',
    createdAt: timestamp(space.createdAt),
    updatedAt: timestamp(space.updatedAt),
    ...(space.deletedAt === null ? {} : { deletedAt: timestamp(space.deletedAt) }),
    editMode,
    organization,
    ...(space.parent === null ? {} : { parent: space.parent }),
    revision: space.head.id,
    defaultLevel,
    mergeRules: space.mergeRules ?? { type: 'inherit' },
    comments,
    changeRequests,
    changeRequestsOpen,
    changeRequestsDraft,
    urls: { location: urls.location(path), app: urls.app(path) },
    permissions: spacePermissions(role, space.deletedAt !== null),
  };
}
