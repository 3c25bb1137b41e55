import { randomUUID } from 'node:crypto';
import { callOperator } from '@octavo/platform';
import { inject } from 'vitest';
import './global-setup.ts';
import { type RequestOptions, runLater, send } from './send.ts';

export type { RequestOptions } from './send.ts';

export interface Membership {
  organization?: string;
  role?: string;
  email?: string;
  displayName?: string;
}

export interface TestUser {
  token: string;
  user: string;
}

export interface TestOrganization extends TestUser {
  id: string;
  title: string;
}

export interface TestSpace {
  id: string;
  revision: string;
  organization: string;
  /** A token of an admin of the space's organization. */
  token: string;
}

export interface Server {
  url: string;
  dataDir: string;
  request(path: string, options?: RequestOptions): Promise<Response>;
  makeUser(membership?: Membership): Promise<TestUser>;
  makeOrganization(title?: string): Promise<TestOrganization>;
  makeSpace(options?: { organization?: TestOrganization; title?: string }): Promise<TestSpace>;
}

/** Returns the test client of a server, which uses its public URL and the operator socket in its data folder. */
export function createServerClient(url: string, dataDir: string, more: Record<string, string> = {}): Server {
  const request = (path: string, { headers, ...options }: RequestOptions = {}) =>
    send(new URL(path, url).href, { ...options, headers: { ...more, ...headers } });

  async function make<Made>(path: string, token: string, title: string): Promise<Made> {
    const response = await request(path, { token, body: { title } });
    if (!response.ok) throw new Error(`POST ${path} returned ${response.status} ${await response.text()}`);
    return (await response.json()) as Made;
  }

  async function makeUser(membership: Membership = {}): Promise<TestUser> {
    const email = `user-${randomUUID()}@example.test`;
    const body = { email, displayName: 'A tester', ...membership };
    const { token, user } = await runLater(() => callOperator(dataDir, '/token', body));
    return { token, user };
  }

  async function makeOrganization(title = 'An organization'): Promise<TestOrganization> {
    const admin = await makeUser();
    const { id } = await make<{ id: string }>('/v1/orgs', admin.token, title);
    return { id, title, ...admin };
  }

  async function makeSpace({
    organization,
    title = 'A space',
  }: {
    organization?: TestOrganization;
    title?: string;
  } = {}) {
    const { id: owner, token } = organization ?? (await makeOrganization());
    const { id, revision } = await make<TestSpace>(`/v1/orgs/${owner}/spaces`, token, title);
    return { id, revision, organization: owner, token };
  }

  return { url, dataDir, request, makeUser, makeOrganization, makeSpace };
}

/** The header that makes responses include row counts even if they would normally hide their cost. */
export const createCountingHeaders = () => ({ 'octavo-test-key': process.env.OCTAVO_TEST_KEY ?? '' });

let replacement: Server | undefined;

/** Makes `platform()` return another server. Without one, it returns the shared platform again. */
export function replacePlatform(server?: Server): void {
  replacement = server;
}

/** Returns the platform that the test files of this process share. The files run one after another. */
export function platform({
  countsRows = false,
}: {
  /** Makes responses include row counts even if they would normally hide their cost. */ countsRows?: boolean;
} = {}): Server {
  if (replacement !== undefined) return replacement;
  const shared = inject('sharedPlatforms')[Number(process.env.VITEST_POOL_ID) - 1];
  if (shared === undefined) throw new Error(`There is no platform for the process ${process.env.VITEST_POOL_ID}.`);
  return createServerClient(shared.url, shared.dataDir, countsRows ? createCountingHeaders() : {});
}
