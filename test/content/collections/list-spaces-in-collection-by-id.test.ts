import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';
import type { TestItem } from './collection-client.ts';
import { getCollections } from './collection-client.ts';

test('returns each direct space equal to its single read, in sibling order', async () => {
  const { make, makeSpace, spacesIn, space } = getCollections(await platform().makeOrganization());
  const outer = await make();
  const inner = await make({ parent: outer.id });
  for (const title of ['One', 'Two', 'Three']) await makeSpace({ title, parent: outer.id });
  await makeSpace({ parent: inner.id });
  await makeSpace();

  const items = await spacesIn(outer.id);

  expect(items.map(({ title }) => title)).toEqual(['Three', 'Two', 'One']);
  for (const item of items) expect(item).toEqual(await space(item.id));
});

test('omits spaces that the caller cannot view, and paginates over the others', async () => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const { make, makeSpace } = getCollections(organization);
  const { id: parent } = await make();
  const reader = await makeUser({ organization: organization.id, role: 'read' });
  const seen: string[] = [];
  for (const defaultLevel of [null, 'none', 'read', 'none', 'edit', null]) {
    const { id } = await makeSpace({ parent });
    await json(`/v1/spaces/${id}`, { token: organization.token, method: 'PATCH', body: { defaultLevel } });
    if (defaultLevel !== 'none') seen.unshift(id);
  }
  const path = `/v1/collections/${parent}/spaces`;

  const { items } = await json<{ items: TestItem[] }>(path, reader);
  expect(items.map(({ id }) => id)).toEqual(seen);
  for (const item of items) expect(item).toEqual(await json(`/v1/spaces/${item.id}`, reader));
  await expectPaging(path, reader.token, () => makeSpace({ parent }));
});
