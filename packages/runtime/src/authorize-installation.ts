import type { InstallationAccess, InstallationRecord } from '@octavo/db';
import { findInstallationAccess, reachedByInstallation, readRow } from '@octavo/db';
import type { Access } from '@octavo/schema';
import { notFound } from '@octavo/schema';
import type { Authorized } from './authorized.ts';
import type { FoundObject, Reader } from './find-object.ts';
import { findSite, findSpace, known, lacks } from './find-object.ts';

type Right = Extract<Access, { installation: unknown }>['installation'];
type Params = Record<string, string>;

/** The installation that the path names, for whom it is there; of a space or a site that the path names, too. */
export async function findInstallation(right: Right, params: Params, reader: Reader): Promise<FoundObject> {
  const { integrationName: integration = '', installationId: id = '' } = params;
  const found = await findInstallationAccess(reader.db, reader.hash, { integration, id });
  const actor = known(found.caller);
  const { installation } = found;
  if (installation === undefined || !sees(right, found)) throw notFound('installation');
  const authorized = { actor, isAdmin: found.isAdmin, installation };
  if (actor.integration === null && params.spaceId !== undefined) {
    await requirePlace('space', params.spaceId, { authorized, reader });
  }
  if (actor.integration === null && params.siteId !== undefined) {
    await requirePlace('site', params.siteId, { authorized, reader });
  }
  return { ...authorized, allowed: isAllowed(right, found) };
}

const sees = (right: Right, { isAdmin, isMember, isOwn }: InstallationAccess): boolean =>
  isOwn || isAdmin || (right === 'place' && isMember);

const isAllowed = (right: Right, { isAdmin, isOwn }: InstallationAccess): boolean =>
  right === 'token' ? isOwn : right !== 'admin' || isAdmin;

/**
 * Where an installation is put by who asks: people need the right to install there, the installation and its integration
 * reach it already. @throws ApiError not_found, forbidden
 */
export async function requirePlace(
  kind: 'space' | 'site',
  id: string,
  { authorized: { actor, installation }, reader }: { authorized: Authorized; reader: Reader },
): Promise<{ id: string }> {
  if (installation === undefined) throw new Error('Only an installation is put on a space or a site.');
  if (actor?.integration == null) return requirePlaceOfPerson(kind, id, { installation, reader });
  const reached = await readRow(reader.db, reachedByInstallation[kind](installation.id, id));
  if (reached === undefined) throw notFound(kind);
  return reached;
}

async function requirePlaceOfPerson(
  kind: 'space' | 'site',
  id: string,
  { installation: { organization }, reader }: { installation: InstallationRecord; reader: Reader },
): Promise<{ id: string }> {
  const found =
    kind === 'space'
      ? await findSpace({ space: 'installIntegration' }, { spaceId: id }, reader)
      : await findSite('manage', { organizationId: organization, siteId: id }, reader);
  if (kind === 'space' && found.space?.organization !== organization) throw notFound('space');
  if (!found.allowed) throw lacks(kind === 'space' ? { space: 'installIntegration' } : { site: 'manage' });
  return { id };
}
