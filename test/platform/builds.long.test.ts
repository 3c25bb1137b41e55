import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startPlatform } from '@octavo/platform';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { getClient, insertPage } from '../content/space-client.ts';
import { createPetstoreSpec, getSpecs, getText } from '../publishing/openapi/spec-client.ts';
import { json, makeChangeRequest } from '../support/content.ts';
import { getAddress, operations } from '../support/endpoints.ts';
import { pickFreePort } from '../support/free-port.ts';
import type { Server } from '../support/platform.ts';
import { createServerClient } from '../support/platform.ts';

let dataDir: string;
let port: number;

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'octavo-builds-'));
  port = await pickFreePort();
});

afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Runs a platform with a value of OCTAVO_BUILD. All platforms have the same data and address. */
async function useBuild<Value>(build: string, use: (server: Server) => Promise<Value>): Promise<Value> {
  const testKey = process.env.OCTAVO_TEST_KEY;
  const started = await startPlatform({ root: inject('root'), dataDir, port, testKey, vars: { OCTAVO_BUILD: build } });
  try {
    return await use(createServerClient(started.url, dataDir));
  } finally {
    await started.stop();
  }
}

interface Read {
  path: string;
  token?: string;
}

/** Creates an object for each read with an ETag: content, specifications and a site. */
async function createReads(server: Server): Promise<Read[]> {
  const organization = await server.makeOrganization();
  const { id, token } = organization;
  const newSpace = await server.makeSpace({ organization });
  const space = getClient(server, newSpace);
  const [pageId = ''] = await space.change([insertPage('A page')]);
  await space.change([{ operation: 'insert_reusable_content', title: 'Shared', document: { markdown: 'Shared.\n' } }]);
  const changeRequest = await makeChangeRequest(newSpace, 'A change', server);
  const { id: revisionId, reusableContents } = await space.head();
  const { documentId = '' } = await space.page(pageId);
  const reusableContentId = reusableContents[0]?.id ?? '';
  const ids = { spaceId: newSpace.id, changeRequestId: changeRequest.id, revisionId, pageId, pagePath: 'a-page' };
  const content = operations
    .filter(({ endpoint }) => endpoint.cache !== undefined)
    .map(({ endpoint }) => getAddress(endpoint, { ...ids, documentId, reusableContentId }));
  const specs = getSpecs(server, organization);
  await specs.publish('petstore', getText(createPetstoreSpec()));
  const versions = ['content', 'content/raw'].map((each) => `${specs.base}/petstore/versions/latest/${each}`);
  const sites = `/v1/orgs/${id}/sites`;
  const site = await json<{ id: string }>(sites, { token, body: { spaces: [newSpace.id] } }, server);
  const publish = { token, method: 'POST' };
  const { urls } = await json<{ urls: { published: string } }>(`${sites}/${site.id}/publish`, publish, server);
  const pages = ['a-page', 'a-page.md', 'llms.txt'].map((page) => new URL(page, urls.published).href);
  return [
    ...[...content, ...versions].map((each) => ({ path: each, token })),
    ...pages.map((each) => ({ path: each })),
  ];
}

const readWithTag = async (server: Server, { path: address, token }: Read, tag?: string) => {
  const response = await server.request(address, { token, headers: tag === undefined ? {} : { 'if-none-match': tag } });
  await response.text();
  return { status: response.status, tag: response.headers.get('etag') };
};

test('each ETag depends on the build, and a page is cached only with content of the expected build', async () => {
  const first = await useBuild('first', async (server) => {
    const reads = await createReads(server);
    return Promise.all(reads.map(async (read) => ({ read, ...(await readWithTag(server, read)) })));
  });
  expect(first.length).toBeGreaterThanOrEqual(14);

  await useBuild('second', async (server) => {
    for (const { read, status, tag } of first) {
      expect([read.path, status, tag]).toEqual([read.path, 200, expect.any(String)]);
      const second = await readWithTag(server, read, tag ?? '');
      expect([read.path, second.status, second.tag === tag]).toEqual([read.path, 200, false]);
      expect((await readWithTag(server, read, second.tag ?? '')).status).toBe(304);
    }
  });

  // The content worker reports this value, and the publishing worker expects the part after the dot.
  await useBuild('second.expected', async (server) => {
    const [page, ...others] = first.flatMap(({ read }) => (read.token === undefined ? [read] : []));
    if (page === undefined) throw new Error('No page of a site was read.');
    expect(await readWithTag(server, page)).toEqual({ status: 200, tag: null });
    // Now the publishing worker expects the reported build.
    for (const read of [page, ...others])
      expect(await readWithTag(server, read)).toEqual({ status: 200, tag: expect.any(String) });
  });
});
