import { randomUUID } from 'node:crypto';
import { callOperator } from '@octavo/platform';
import { inject } from 'vitest';
import './global-setup.ts';

export interface RequestOptions {
  token?: string | undefined;
  method?: string;
  /** Sent as JSON, unless it is a string or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface Membership {
  organization?: string;
  role?: string;
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

const isRaw = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array;

let lastWritten = 0;

/**
 * Lists are sorted by write time in milliseconds. Delays each write until the millisecond after the previous response.
 */
async function later<Answer>(write: () => Promise<Answer>): Promise<Answer> {
  while (Date.now() <= lastWritten) await new Promise(setImmediate);
  try {
    return await write();
  } finally {
    lastWritten = Date.now();
  }
}

async function send(address: string, { token, method, body, headers = {}, signal }: RequestOptions): Promise<Response> {
  const hasBody = body !== undefined;
  const verb = method ?? (hasBody ? 'POST' : 'GET');
  const call = () =>
    fetch(address, {
      method: verb,
      redirect: 'manual',
      ...(signal && { signal }),
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(hasBody ? { body: isRaw(body) ? body : JSON.stringify(body) } : {}),
    });
  return ['GET', 'HEAD'].includes(verb) ? call() : later(call);
}

/** Returns the test client of a server, which uses its public URL and the operator socket in its data folder. */
export function serverAt(url: string, dataDir: string, more: Record<string, string> = {}): Server {
  const request = (path: string, { headers, ...options }: RequestOptions = {}) =>
    send(new URL(path, url).href, { ...options, headers: { ...more, ...headers } });

  async function make<Made>(path: string, token: string, title: string): Promise<Made> {
    const answer = await request(path, { token, body: { title } });
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Made;
  }

  async function makeUser(membership: Membership = {}): Promise<TestUser> {
    const email = `user-${randomUUID()}@example.test`;
    const body = { email, displayName: 'A tester', ...membership };
    const { token, user } = await later(() => callOperator(dataDir, '/token', body));
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
export const countingRows = () => ({ 'octavo-test-key': process.env.OCTAVO_TEST_KEY ?? '' });

/** Returns the platform that the test files of this process share. The files run one after another. */
export function platform({
  countsRows = false,
}: {
  /** Makes responses include row counts even if they would normally hide their cost. */ countsRows?: boolean;
} = {}): Server {
  const shared = inject('sharedPlatforms')[Number(process.env.VITEST_POOL_ID) - 1];
  if (shared === undefined) throw new Error(`There is no platform for the process ${process.env.VITEST_POOL_ID}.`);
  return serverAt(shared.url, shared.dataDir, countsRows ? countingRows() : {});
}
