import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { expectPaging, walk } from '../../support/paging.ts';
import { platform } from '../../support/platform.ts';
import { makeSso } from '../../support/sign-in.ts';

const make = (id: string, token: string, label: string) =>
  json<{ id: string }>(`/v1/orgs/${id}/saml`, { token, body: { label } });

test('returns the providers of the organization, newest first, each as a single read returns it', async () => {
  const { id, token } = await platform().makeOrganization();
  await makeSso();
  const first = await make(id, token, 'first');
  const second = await make(id, token, 'second');

  const { items, count } = await json<{ items: { id: string }[]; count: number }>(`/v1/orgs/${id}/saml`, { token });

  expect(count).toBe(2);
  expect(new Set(items.map((item) => item.id))).toEqual(new Set([first.id, second.id]));
  for (const item of items) expect(await json(`/v1/orgs/${id}/saml/${item.id}`, { token })).toEqual(item);
});

test('paginates by cursor', async () => {
  const { id, token } = await platform().makeOrganization();
  const ids: string[] = [];
  for (const label of ['one', 'two', 'three']) ids.push((await make(id, token, label)).id);

  await expectPaging(`/v1/orgs/${id}/saml`, token, () => make(id, token, 'later'));
  expect((await walk(`/v1/orgs/${id}/saml`, token)).filter((each) => ids.includes(each))).toHaveLength(3);
});
