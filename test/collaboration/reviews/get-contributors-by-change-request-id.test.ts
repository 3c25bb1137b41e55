import { expect, test } from 'vitest';
import { getCost } from '../../content/space-client.ts';
import { json } from '../../support/content.ts';
import { expectPaging, walkItems } from '../../support/paging.ts';
import { makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';
import { createReviewClient } from '../review-client.ts';

interface Contributor {
  user: { id: string };
  actionType: string;
  count: number;
  updatedAt: string;
}

test('returns who edited and how often, and does not count updates as edits', async () => {
  const organization = await platform().makeOrganization();
  const editor = await makeMember(organization, 'edit');
  const { edit, editLive, update, path } = await createReviewClient(organization);
  await editLive();
  await update();
  const read = async () => (await json<{ items: Contributor[] }>(`${path}/contributors`, organization)).items;
  expect(await read()).toEqual([]);

  await edit(editor.token);
  await edit(editor.token);

  expect(await read()).toEqual([
    {
      user: expect.objectContaining({ id: editor.user }),
      actionType: 'edit',
      count: 2,
      updatedAt: expect.stringMatching(/Z$/),
    },
  ]);
});

test('paginates by cursor, at a cost that depends only on the page', async () => {
  const organization = await platform().makeOrganization();
  const { edit, path } = await createReviewClient(organization);
  const add = async () => edit((await makeMember(organization, 'edit')).token);
  for (let count = 0; count < 3; count += 1) await add();
  let added = 0;
  await expectPaging(`${path}/contributors`, organization.token, async () => {
    added += 1;
    if (added <= 2) await add();
  });

  const all = await walkItems(`${path}/contributors`, organization.token);
  expect(all.length).toBeGreaterThanOrEqual(3);
  expect(getCost(await platform().request(`${path}/contributors?limit=1`, organization)).trips).toBe(2);
});
