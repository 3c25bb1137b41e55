import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { join, linksOf, makeLink } from './links.ts';

const remove = ({ id, token }: { id: string; token: string }, invite: string) =>
  platform().request(`${linksOf({ id })}/${invite}`, { token, method: 'DELETE' });

test('deletes a link, by which nobody joins from then on', async () => {
  const { makeOrganization, makeUser } = platform();
  const organization = await makeOrganization();
  const link = await makeLink(organization, { role: 'read' });

  expect((await remove(organization, link.id)).status).toBe(205);
  expect(await json(linksOf(organization), organization)).toEqual({ count: 0, items: [] });
  expect((await join(organization, link.id, (await makeUser()).token)).status).toBe(404);
});

test('answers 404 the second time, also when both come at once', async () => {
  const organization = await platform().makeOrganization();
  const link = await makeLink(organization, { role: 'read' });

  const answers = await Promise.all(Array.from({ length: 25 }, () => remove(organization, link.id)));

  expect(answers.map(({ status }) => status).sort()).toEqual([205, ...Array.from({ length: 24 }, () => 404)]);
});

test('39: does not reach a link of another organization', async () => {
  const { makeOrganization } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const theirs = await makeLink(other, { role: 'read' });

  expect((await remove(organization, theirs.id)).status).toBe(404);
  expect(await json(linksOf(other), other)).toMatchObject({ count: 1 });
});
