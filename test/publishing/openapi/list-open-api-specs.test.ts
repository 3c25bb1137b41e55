import { beforeAll, expect, test } from 'vitest';
import { platform, type TestOrganization } from '../../support/platform.ts';
import { createPetstoreSpec, getSpecs, getText, type Spec, type SpecClient } from './spec-client.ts';

interface Page {
  next?: { page: string };
  count: number;
  items: Spec[];
}

let organization: TestOrganization;
let specs: SpecClient;
beforeAll(async () => {
  organization = await platform().makeOrganization();
  specs = getSpecs(platform(), organization);
  for (const slug of ['first', 'second', 'third']) await specs.put(slug, getText(createPetstoreSpec()));
});

test('lists the newest first, page by page', async () => {
  const page = await specs.callJson<Page>('?limit=2');
  const rest = await specs.callJson<Page>(`?limit=2&page=${page.next?.page}`);

  expect([page.count, page.items.map(({ slug }) => slug)]).toEqual([2, ['third', 'second']]);
  expect([rest.next, rest.items.map(({ slug }) => slug)]).toEqual([undefined, ['first']]);
});

test('lists only the specifications of the organization', async () => {
  const other = getSpecs(platform(), await platform().makeOrganization());

  expect(await other.callJson<Page>('')).toEqual({ count: 0, items: [] });
});

test('rejects a cursor of another list', async () => {
  expect((await specs.call('?page=abc')).status).toBe(400);
});
