import type { CallerRecord } from '@octavo/db';
import { findCaller } from '@octavo/db';
import type { Access, Endpoint } from '@octavo/schema';
import { forbidden, isApiError, notFound } from '@octavo/schema';
import { findInstallation } from './authorize-installation.ts';
import { findIntegration } from './authorize-integration.ts';
import { authorizeVisitor, visitByShareKey } from './authorize-visitor.ts';
import type { Authorized } from './authorized.ts';
import type { FoundObject, Reader } from './find-object.ts';
import { findCollection, findOrganization, findSite, findSpace, known, lacks, unauthenticated } from './find-object.ts';
import { hashOfToken } from './hashes.ts';
import { requireOfIntegration } from './limits-of-integrations.ts';

type Params = Record<string, string>;

/** Reads and checks the form of the token; its hash is what the database knows. @throws ApiError unauthenticated */
export async function readToken(authorization: string | null): Promise<string> {
  const hash = await hashOfToken(authorization);
  if (hash === undefined) throw unauthenticated();
  return hash;
}

/**
 * Decides whether the caller may use the endpoint on what the path names, in one database round trip.
 * Missing and unseen objects look alike: 404. What the caller sees but may not do is 403.
 */
export async function authorize(endpoint: Endpoint, params: Params | undefined, reader: Reader): Promise<Authorized> {
  if (endpoint.access === 'public') return {};
  const { db, visitor: token } = reader;
  if (token !== undefined) return authorizeVisitor(endpoint, params, { db, token });
  if (params === undefined) {
    known(await findCaller(reader.db, reader.hash));
    throw notFound('object');
  }
  const found = await find(endpoint.access, params, reader).catch(async (error: unknown) => {
    const shared =
      isApiError(error) && error.type === 'not_found' ? await findShared(endpoint, params, reader) : undefined;
    if (shared === undefined) throw error;
    return shared;
  });
  requireScope(endpoint, found.actor);
  if (!found.allowed) throw lacks(endpoint.access);
  const { allowed, ...authorized } = found;
  return authorized;
}

function requireScope(endpoint: Endpoint, caller: CallerRecord): void {
  if (caller.integration !== null) requireOfIntegration(endpoint, caller);
  else requireTokenScope(endpoint, caller);
}

function requireTokenScope(endpoint: Endpoint, caller: CallerRecord): void {
  if (endpoint.scope === 'any' || caller.scopes === null) return;
  if (endpoint.scope === 'unscoped') throw forbidden('A token that is limited by scopes may not do this.');
  if (!caller.scopes.includes(endpoint.scope)) throw forbidden(`The token lacks the scope ${endpoint.scope}.`);
}

/** A site that is open to who has a key of it: with one, any user sees what a visitor does. */
async function findShared(
  { access, visitors }: Endpoint,
  params: Params,
  { db, hash, shareKey }: Reader,
): Promise<FoundObject | undefined> {
  if (visitors === undefined || !Object.hasOwn(Object(access), 'site') || shareKey === undefined) return undefined;
  const shared = await visitByShareKey(db, params, shareKey);
  return shared && { ...shared, actor: known(await findCaller(db, hash)), allowed: true };
}

async function find(access: Exclude<Access, 'public'>, params: Params, reader: Reader): Promise<FoundObject> {
  if (access === 'user' || access === 'account') {
    const actor = known(await findCaller(reader.db, reader.hash));
    return { actor, allowed: access !== 'account' || actor.organization === null };
  }
  if ('installation' in access) return findInstallation(access.installation, params, reader);
  if ('integration' in access) return findIntegration(access.integration, params, reader);
  if ('space' in access) return findSpace(access, params, reader);
  if ('collection' in access) return findCollection(access.collection, params, reader);
  if ('site' in access) return findSite(access.site, params, reader);
  return findOrganization(access, params, reader);
}
