import { beforeAll, expect, test } from 'vitest';
import { json } from '../support/content.ts';
import { getAddress, getEndpoint, operations } from '../support/endpoints.ts';
import { platform } from '../support/platform.ts';
import { createRandomWorld } from '../support/world.ts';

interface Document {
  paths: Record<string, { get?: { operationId: string } }>;
}

const server = platform();
let token: string;
let ids: Record<string, string>;
let reads: string[];

beforeAll(async () => {
  const world = await createRandomWorld(server);
  ids = world.ids;
  token = world.organization.token;
  const { paths } = await json<Document>('/openapi.json', {}, server);
  reads = Object.values(paths).flatMap(({ get }) => get?.operationId ?? []);
});

test('every GET operation in the OpenAPI document is reachable at its path', async () => {
  const responses = await Promise.all(
    reads.map(async (id) => {
      const response = await server.request(getAddress(getEndpoint(id), ids), { token });
      return [id, response.status, response.ok ? '' : await response.text()] as const;
    }),
  );
  const unserved = responses.filter(([, status, text]) => status >= 500 || text.includes('Path not found'));

  expect(reads).toHaveLength(operations.filter(({ endpoint }) => endpoint.method === 'GET').length);
  expect(unserved).toEqual([]);
  // Reads of objects that the world does not contain return 404, and reads that require a query parameter return 400.
  expect(responses.filter(([, status]) => status === 200).length).toBeGreaterThan(reads.length * 0.7);
});
