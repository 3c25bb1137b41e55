import { json } from './content.ts';
import type { Server, TestUser } from './platform.ts';

interface Owner {
  /** The id of the organization. */
  id: string;
  /** A token of an admin of the organization. */
  token: string;
}

/** Creates a service account of the organization with a token that is bound to it. */
export async function makeServiceAccount(
  { id, token }: Owner,
  role: string | null = 'read',
  server?: Server,
): Promise<TestUser> {
  const path = `/v1/orgs/${id}/service-accounts`;
  const account = await json<{ id: string }>(path, { token, body: { displayName: 'A robot', role } }, server);
  const tokens = `${path}/${account.id}/tokens`;
  const newToken = await json<{ token: string }>(tokens, { token, body: { label: 'For the build' } }, server);
  return { user: account.id, token: newToken.token };
}
