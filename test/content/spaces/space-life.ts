import { json } from '../../support/content.ts';
import type { Server, TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export interface TestSpaceItem {
  id: string;
  title: string;
  emoji: string;
  organization: string;
  parent?: string;
  revision: string;
  deletedAt?: string;
  editMode: string;
  visibility: string;
  defaultLevel: string | null;
  changeRequests: number;
  permissions: Record<string, boolean>;
}

/** Returns a client that creates, moves, copies and deletes the spaces of an organization. */
export function getLifecycles(
  { id: organization, token }: Pick<TestOrganization, 'id' | 'token'>,
  server: Server = platform(),
) {
  const send = (path: string, method: string, body?: unknown) => server.request(path, { token, method, body });
  return {
    make: (body: object = {}) => json<TestSpaceItem>(`/v1/orgs/${organization}/spaces`, { token, body }, server),
    get: (id: string) => json<TestSpaceItem>(`/v1/spaces/${id}`, { token }, server),
    status: async (id: string) => (await server.request(`/v1/spaces/${id}`, { token })).status,
    patch: (id: string, body: object) =>
      json<TestSpaceItem>(`/v1/spaces/${id}`, { token, method: 'PATCH', body }, server),
    patchCollection: (id: string, body: object) =>
      json(`/v1/collections/${id}`, { token, method: 'PATCH', body }, server),
    grant: (path: string, users: string[], role: string | null) =>
      send(`/v1/${path}/permissions`, 'POST', { users, role }),
    remove: (id: string) => send(`/v1/spaces/${id}`, 'DELETE'),
    restore: (id: string) => send(`/v1/spaces/${id}/restore`, 'POST'),
    move: (id: string, body?: unknown) => send(`/v1/spaces/${id}/move`, 'POST', body),
    transfer: (id: string, to: unknown) => send(`/v1/spaces/${id}/transfer`, 'POST', { organization: to }),
    duplicate: (id: string) => send(`/v1/spaces/${id}/duplicate`, 'POST'),
    copy: (id: string) => json<TestSpaceItem>(`/v1/spaces/${id}/duplicate`, { token, method: 'POST' }, server),
  };
}
