import { json } from '../../support/content.ts';
import type { Server, TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';

export interface TestCollection {
  object: string;
  id: string;
  title: string;
  description?: string;
  organization: string;
  parent?: string;
  defaultLevel: string | null;
  permissions: Record<string, boolean>;
}

export interface TestItem {
  id: string;
  parent?: string;
  title: string;
  deletedAt?: string;
  permissions: Record<string, boolean>;
}

type Owner = Pick<TestOrganization, 'id' | 'token'>;
type Input = { title?: string; parent?: string };

/** Returns a client for the collections of one organization. */
export function getCollections({ id: organization, token }: Owner, server: Server = platform()) {
  const send = (path: string, method: string, body?: unknown) => server.request(path, { token, method, body });
  const read = <Body>(path: string) => json<Body>(path, { token }, server);
  const list = async (path: string) => (await read<{ items: TestItem[] }>(`${path}limit=1000`)).items;
  return {
    make: (body: Input = {}) => json<TestCollection>(`/v1/orgs/${organization}/collections`, { token, body }, server),
    makeSpace: (body: Input = {}) => json<TestItem>(`/v1/orgs/${organization}/spaces`, { token, body }, server),
    get: (id: string) => read<TestCollection>(`/v1/collections/${id}`),
    space: (id: string) => read<TestItem>(`/v1/spaces/${id}`),
    status: async (path: string) => (await server.request(path, { token })).status,
    patch: (id: string, body?: unknown) => send(`/v1/collections/${id}`, 'PATCH', body),
    remove: (id: string) => send(`/v1/collections/${id}`, 'DELETE'),
    move: (id: string, body?: unknown) => send(`/v1/collections/${id}/move`, 'POST', body),
    transfer: (id: string, to: string) => send(`/v1/collections/${id}/transfer`, 'POST', { organization: to }),
    list: (query = '') => list(`/v1/orgs/${organization}/collections?${query}`),
    spacesIn: (id: string) => list(`/v1/collections/${id}/spaces?`),
    spaces: () => list(`/v1/orgs/${organization}/spaces?`),
  };
}

/** Returns the titles below a parent, in order. Without a parent, returns those of the top level. */
export const listTitles = (items: TestItem[], parent?: string): string[] =>
  items.filter((item) => item.parent === parent).map(({ title }) => title);

/** Returns the sorted IDs of the items. */
export const getIds = (items: { id: string }[]): string[] => items.map(({ id }) => id).sort();

/** Returns the number of D1 round trips and rows read, from the `Server-Timing` header. */
export function getCost(response: Response): { trips: number; read: number } {
  const timing = response.headers.get('server-timing') ?? '';
  const readMetric = (name: string) => Number(new RegExp(`${name};desc="(\\d+)"`).exec(timing)?.[1]);
  return { trips: readMetric('d1-trips'), read: readMetric('d1-rows-read') };
}
