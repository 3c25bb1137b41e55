import { json } from '../../support/content.ts';
import { writePast } from '../../support/database.ts';
import type { Server, TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export interface Link {
  object: 'invite';
  id: string;
  redundant: boolean;
  role?: string | null;
  level?: string | null;
  space?: { id: string };
  collection?: { id: string };
}

export const linksOf = ({ id }: { id: string }) => `/v1/orgs/${id}/link-invites`;

export const makeLink = (organization: TestOrganization, body: object, server: Server = platform()) =>
  json<Link>(linksOf(organization), { token: organization.token, body }, server);

export const join = ({ id }: { id: string }, invite: string, token: string, server: Server = platform()) =>
  server.request(`/v1/orgs/${id}/invites/${invite}`, { token, method: 'POST' });

/** A collection of an organization, on a platform of the test's own. */
export function makeCollection({ dataDir }: Server, organization: string, id: string): string {
  writePast(
    dataDir,
    "INSERT INTO collections (id, organization, title, created_by, created_at) VALUES (?, ?, 'A collection', '', 1)",
    id,
    organization,
  );
  return id;
}
