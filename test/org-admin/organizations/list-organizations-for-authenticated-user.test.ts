import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';

const create = (token: string, title: string) => json<{ id: string }>('/v1/orgs', { token, body: { title } });

test('returns each organization of the caller equal to its single read', async () => {
  const { makeUser, makeOrganization } = platform();
  const { id: joined } = await makeOrganization();
  const { token } = await makeUser({ organization: joined, role: 'read' });
  const own = await create(token, 'My own');

  const { items } = await json<{ items: { id: string }[] }>('/v1/orgs', { token });

  expect(items.map(({ id }) => id).sort()).toEqual([joined, own.id].sort());
  for (const item of items) expect(item).toEqual(await json(`/v1/orgs/${item.id}`, { token }));
});

test('paginates by cursor', async () => {
  const { token } = await platform().makeUser();
  for (const title of ['One', 'Two', 'Three', 'Four']) await create(token, title);

  await expectPaging('/v1/orgs', token, () => create(token, 'Later'));
});
