import { countedMembership, findIntegrationAccess, isIntegration, type Membership } from '@octavo/db';
import type { IntegrationVisibility } from '@octavo/schema';
import { isAtLeast, notFound } from '@octavo/schema';
import type { FoundObject, Reader } from './find-object.ts';
import { known } from './find-object.ts';

/** Whether an integration is shown to who has this place at its owner: what is private, to members with a role alone. */
const showsIntegration = (visibility: IntegrationVisibility, { role, isInstallation }: Membership): boolean =>
  visibility !== 'private' || (isInstallation !== true && isAtLeast(role, 'read'));

/** The integration that the path names, with its owner and the caller's place there. */
export async function findIntegration(
  right: 'view' | 'admin',
  { integrationName: name = '' }: Record<string, string>,
  { db, hash }: Reader,
): Promise<FoundObject> {
  const { caller, shown } = await findIntegrationAccess(db, hash, name);
  const actor = known(caller);
  const membership = countedMembership(actor, shown?.membership);
  // Whether an endpoint is for its own tokens, and for those of its installations, was looked at by what they may call.
  const isItself = shown !== undefined && isIntegration(actor, shown.integration);
  if (shown === undefined || !(isItself || showsIntegration(shown.integration.visibility, membership))) {
    throw notFound('integration');
  }
  const isAdmin = membership.role === 'admin';
  return { actor, integration: { ...shown, membership }, isAdmin, allowed: right === 'view' || isAdmin || isItself };
}
