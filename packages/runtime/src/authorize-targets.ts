import type { CollectionRecord, OrganizationRecord } from '@octavo/db';
import type { CollectionRight, Endpoint, OrganizationRight } from '@octavo/schema';
import { isApiError, namesNothing, notFound, organizationPermissions } from '@octavo/schema';
import type { Authorized, Reader } from './authorize.ts';
import { findCollection, findOrganization, lacks } from './authorize.ts';

interface Request {
  authorized: Authorized;
  reader: Reader;
}

/**
 * Checks the objects that the body names, each in one round trip more, and gives them by field. One that the caller does
 * not see is 404, and so is a collection of another organization than the path's object.
 */
export async function authorizeTargets(
  { targets = {} }: Pick<Endpoint, 'targets'>,
  body: unknown,
  request: Request,
): Promise<Record<string, CollectionRecord | OrganizationRecord>> {
  const found: Record<string, CollectionRecord | OrganizationRecord> = {};
  for (const [field, target] of Object.entries(targets)) {
    const id = (body as Record<string, string | null | undefined>)[field];
    if (typeof id !== 'string') {
      const right = 'collection' in target ? target[id === null ? 'top' : 'otherwise'] : undefined;
      if (right !== undefined) await requireAtHome(right, request);
    } else {
      found[field] = await ('collection' in target
        ? requireCollection(id, target.collection, request).catch(inField(field, 'collection'))
        : requireOrganization(id, target.organization, request.reader).catch(inField(field, 'organization')));
    }
  }
  return found;
}

/** Tells a missing or unseen object by the field that names it: the path's own object may be of the same kind. */
const inField =
  (field: string, what: string) =>
  (error: unknown): never => {
    throw isApiError(error) && error.type === 'not_found' ? namesNothing(field, what) : error;
  };

const homeOf = ({ organization, space, collection }: Authorized): string | undefined =>
  organization?.id ?? space?.organization ?? collection?.organization;

async function requireCollection(id: string, right: CollectionRight, { authorized, reader }: Request) {
  const { allowed, collection } = await findCollection(right, { collectionId: id }, reader);
  if (collection?.organization !== homeOf(authorized)) throw notFound('collection');
  if (!allowed || collection === undefined) throw lacks({ collection: right });
  return collection;
}

async function requireOrganization(id: string, right: OrganizationRight, reader: Reader): Promise<OrganizationRecord> {
  const { allowed, organization } = await findOrganization({ organization: right }, { organizationId: id }, reader);
  if (!allowed || organization === undefined) throw lacks({ organization: right });
  return organization;
}

/** A right on the organization that the path's object is of; known already where the path names the organization. */
async function requireAtHome(right: OrganizationRight, { authorized, reader }: Request): Promise<void> {
  const { membership } = authorized;
  if (membership === undefined) await requireOrganization(homeOf(authorized) ?? '', right, reader);
  else if (!organizationPermissions(membership.role, membership.ownsTeam)[right]) throw lacks({ organization: right });
}
