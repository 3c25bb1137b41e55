import { createId, type ReadSpecification } from '@octavo/schema';
import { expect, test } from 'vitest';
import type { PublishingEnvironment } from '../environment.ts';
import type { SiteApi } from './site-visit.ts';
import { createSpecificationReader } from './specifications.ts';

const createText = (title: string) =>
  new TextEncoder().encode(JSON.stringify({ openapi: '3.1.0', info: { title, version: '1' }, paths: {} }));

/** Creates readers of a file for visitors, and records each parse of the file. No parse ends before `release` is called. */
function createVisitors(title: string) {
  const bytes = createText(title);
  const released = Promise.withResolvers<void>();
  const parsed: string[] = [];
  const readSpecification = async (bytes: Uint8Array): Promise<ReadSpecification> => {
    parsed.push(new TextDecoder().decode(bytes));
    await released.promise;
    return { format: 'json', entryLists: [] };
  };
  const env = { RENDER: { readSpecification } } as unknown as PublishingEnvironment;
  const api = { file: async () => bytes } as unknown as SiteApi;
  const files = {
    space: createId('space'),
    revision: createId('revision'),
    files: [{ id: 'file_a', size: bytes.length }],
  };
  const background = { waitUntil: () => undefined };
  return {
    parsed,
    release: released.resolve,
    visit: (site = createId('site')) =>
      createSpecificationReader(createId('organization'), api, { site, ...files, env, background })('files/file_a'),
  };
}

test('concurrent visitors of a site share one parse of the file of a specification', async () => {
  const { visit, release, parsed } = createVisitors('Shared');
  const site = createId('site');
  const visits = [visit(site), visit(site), visit(site)];
  await expect.poll(() => parsed.length).toBeGreaterThan(0);
  release();
  const documents = await Promise.all([...visits, visit(site)]);

  expect(parsed).toHaveLength(1);
  expect(new Set(documents).size).toBe(1);
  expect(documents[0]?.bytes).toBeGreaterThan(0);
});
