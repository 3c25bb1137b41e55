import type { CollectionRecord, OrganizationRecord } from '@octavo/db';
import { organizationNamed } from '@octavo/db';
import type { CollectionRight, Endpoint, NamedInBody, OrganizationRight, SpaceRight } from '@octavo/schema';
import { isApiError, namesNothing, notFound, organizationPermissions } from '@octavo/schema';
import { requirePlace } from './authorize-installation.ts';
import type { Authorized } from './authorized.ts';
import type { SpaceInBody } from './context.ts';
import type { Reader } from './find-object.ts';
import { findCollection, findOrganization, findSpace, lacks } from './find-object.ts';

interface Request {
  authorized: Authorized;
  reader: Reader;
}

type Found = CollectionRecord | SpaceInBody | OrganizationRecord | { id: string };

/**
 * Checks the objects that the body names, each in one round trip more, and gives them by field. One that the caller does
 * not see is 404, and so is a space or collection of another organization than the path's object.
 */
export async function authorizeTargets(
  { targets = {}, otherwise }: Pick<Endpoint, 'targets' | 'otherwise'>,
  body: unknown,
  request: Request,
): Promise<Record<string, Found>> {
  const found: Record<string, Found> = {};
  for (const [field, target] of Object.entries(targets)) {
    const id = (body as Record<string, string | null | undefined>)[field];
    const top = 'collection' in target ? target.top : undefined;
    if (typeof id === 'string') found[field] = await requireTarget(id, target, request).catch(inField(field, target));
    else if (id === null && top !== undefined) await requireAtHome(top, request);
  }
  if (otherwise !== undefined && Object.keys(found).length === 0) await requireAtHome(otherwise, request);
  return found;
}

/** Tells a missing or unseen object by the field that names it: the path's own object may be of the same kind. */
const inField =
  (field: string, target: NamedInBody) =>
  (error: unknown): never => {
    const [what = 'object'] =
      'place' in target
        ? [target.place]
        : (['collection', 'space', 'organization'] as const).filter((kind) => kind in target);
    throw isApiError(error) && error.type === 'not_found' ? namesNothing(field, what) : error;
  };

function requireTarget(id: string, target: NamedInBody, request: Request): Promise<Found> {
  if ('collection' in target) return requireCollection(id, target.collection, request);
  if ('place' in target) return requirePlace(target.place, id, request);
  if ('space' in target) return requireSpace(id, target.space, request);
  return requireOrganization(id, target, request.reader);
}

const homeOf = ({ organization, space, collection }: Authorized): string | undefined =>
  organization?.id ?? space?.organization ?? collection?.organization;

async function requireCollection(id: string, right: CollectionRight, { authorized, reader }: Request) {
  const { allowed, collection } = await findCollection(right, { collectionId: id }, reader);
  if (collection?.organization !== homeOf(authorized)) throw notFound('collection');
  if (!allowed || collection === undefined) throw lacks({ collection: right });
  return collection;
}

async function requireSpace(id: string, right: SpaceRight, { authorized, reader }: Request): Promise<SpaceInBody> {
  const { allowed, space, role = null } = await findSpace({ space: right }, { spaceId: id }, reader);
  if (space?.organization !== homeOf(authorized)) throw notFound('space');
  if (!allowed || space === undefined) throw lacks({ space: right });
  return { space, role };
}

async function requireOrganization(
  named: string,
  { organization: right, bySubdomain = false }: { organization: OrganizationRight; bySubdomain?: boolean },
  reader: Reader,
): Promise<OrganizationRecord> {
  const id = bySubdomain ? await organizationNamed(reader.db, named) : named;
  const { allowed, organization } = await findOrganization({ organization: right }, { organizationId: id }, reader);
  if (!allowed || organization === undefined) throw lacks({ organization: right });
  return organization;
}

/** A right on the organization that the path's object is of; known already where the path names the organization. */
async function requireAtHome(right: OrganizationRight, { authorized, reader }: Request): Promise<void> {
  const { membership } = authorized;
  if (membership === undefined) await requireOrganization(homeOf(authorized) ?? '', { organization: right }, reader);
  else if (!organizationPermissions(membership.role, membership.ownsTeam)[right]) throw lacks({ organization: right });
}
