import { beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { getAddress, operations } from '../support/endpoints.ts';
import type { RequestOptions, TestSpace } from '../support/platform.ts';
import { platform } from '../support/platform.ts';

/** Sends a request whose first reads and writes of the database fail as when the connection to D1 is lost. */
const sendWithFaults = (path: string, faults: { read?: number; write?: number }, options: RequestOptions) =>
  platform().request(path, {
    ...options,
    headers: { ...options.headers, 'octavo-test-faults': `${faults.read ?? 0} ${faults.write ?? 0}` },
  });

let space: TestSpace;
let ids: Record<string, string>;
beforeAll(async () => {
  space = await platform().makeSpace();
  const { token, organization, id } = space;
  const site = await json<{ id: string }>(`/v1/orgs/${organization}/sites`, { token, body: { title: 'A site' } });
  const change = await json<{ id: string }>(`/v1/spaces/${id}/change-requests`, {
    token,
    body: { subject: 'A change' },
  });
  ids = { organizationId: organization, spaceId: id, siteId: site.id, changeRequestId: change.id };
});

const reads = operations.filter(({ endpoint }) => endpoint.method === 'GET' && endpoint.path.startsWith('/v1'));
const readMessage = async (response: Response) =>
  ((await response.json()) as { error: { message: string } }).error.message;

test('each read returns the same status after two transient database errors as without errors', async () => {
  const statuses = await Promise.all(
    reads.map(async ({ id, endpoint }) => {
      const path = getAddress(endpoint, ids);
      const { status } = await platform().request(path, { token: space.token });
      const repeated = await sendWithFaults(path, { read: 2 }, { token: space.token });
      return { id, status, repeated: repeated.status };
    }),
  );

  expect(statuses.filter(({ status, repeated }) => status !== repeated)).toEqual([]);
  expect(statuses.filter(({ status }) => status === 200).length).toBeGreaterThan(30);
});

test('each read that queries the database returns 503 with Retry-After if the errors continue', async () => {
  const responses = await Promise.all(
    reads.map(async ({ id, endpoint }) => {
      const response = await sendWithFaults(getAddress(endpoint, ids), { read: 1000 }, { token: space.token });
      return { id, status: response.status, retryAfter: response.headers.get('retry-after') };
    }),
  );
  const failed = responses.filter(({ status }) => status >= 500);

  expect(failed.filter(({ status, retryAfter }) => status !== 503 || retryAfter !== '1')).toEqual([]);
  expect(failed.length).toBeGreaterThan(100);
});

const writes: Record<string, () => [path: string, body: object, method?: string]> = {
  createSpace: () => [`/v1/orgs/${ids.organizationId}/spaces`, { title: 'Another space' }],
  updateSpace: () => [`/v1/spaces/${ids.spaceId}`, { title: 'Another title' }, 'PATCH'],
  createChangeRequest: () => [`/v1/spaces/${ids.spaceId}/change-requests`, { subject: 'Another change' }],
  'an edit, which runs in the Durable Object of the space': () => [
    `/v1/spaces/${ids.spaceId}/change-requests/${ids.changeRequestId}/content`,
    { changes: [{ operation: 'insert_page', title: 'A page', document: { markdown: 'Text' } }] },
  ],
  postComment: () => [`/v1/spaces/${ids.spaceId}/comments`, { body: { markdown: 'A comment' } }],
  createSite: () => [`/v1/orgs/${ids.organizationId}/sites`, { title: 'Another site' }],
};

test.each(Object.keys(writes))(
  'the server does not repeat %s, and the client can repeat it with its key',
  async (name) => {
    const [path, body, method = 'POST'] = writes[name]?.() ?? expect.fail(`There is no write ${name}.`);
    const failed = await sendWithFaults(path, { write: 1 }, { token: space.token, method, body });

    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await readMessage(failed)).toContain('`Idempotency-Key`');

    const headers = { 'idempotency-key': crypto.randomUUID() };
    const options = { token: space.token, method, body, headers };
    const [lost, repeated] = [
      await sendWithFaults(path, { write: 1 }, options),
      await platform().request(path, options),
    ];

    expect([lost.status, repeated.ok]).toEqual([503, true]);
  },
);
