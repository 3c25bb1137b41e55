import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { linksOf, makeLink } from './links.ts';

test('gives a link', async () => {
  const organization = await platform().makeOrganization();
  const link = await makeLink(organization, { role: 'comment' });

  expect(await json(`${linksOf(organization)}/${link.id}`, organization)).toEqual(link);
});

test('39: answers 404 for a link that is not there or of another organization', async () => {
  const { makeOrganization, request } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const theirs = await makeLink(other, { role: 'read' });

  for (const id of ['inv_made_up', theirs.id]) {
    expect((await request(`${linksOf(organization)}/${id}`, organization)).status).toBe(404);
  }
});
