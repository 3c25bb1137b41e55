import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging, walk } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';

test('returns each space of the organization equal to its single read, newest first', async () => {
  const { makeOrganization, makeSpace } = platform();
  const organization = await makeOrganization();
  for (const title of ['One', 'Two', 'Three']) await makeSpace({ organization, title });
  await makeSpace();

  const list = await json<{ items: { id: string; title: string }[] }>(
    `/v1/orgs/${organization.id}/spaces`,
    organization,
  );

  expect(list.items.map(({ title }) => title)).toEqual(['Three', 'Two', 'One']);
  for (const item of list.items) expect(item).toEqual(await json(`/v1/spaces/${item.id}`, organization));
});

test('paginates by cursor, also if some spaces are hidden from the caller', async () => {
  const { makeOrganization, makeSpace, makeUser } = platform();
  const organization = await makeOrganization();
  const reader = await makeUser({ organization: organization.id, role: 'read' });
  const seen = [];
  for (const level of [null, 'none', 'read', 'none', 'edit', null]) {
    const { id, token } = await makeSpace({ organization });
    await json(`/v1/spaces/${id}`, { token, method: 'PATCH', body: { defaultLevel: level } });
    if (level !== 'none') seen.push(id);
  }
  const path = `/v1/orgs/${organization.id}/spaces`;

  expect(new Set(await walk(path, reader.token, { limit: 1 }))).toEqual(new Set(seen));
  await expectPaging(path, reader.token, () => makeSpace({ organization }));
});
