import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { linksOf, makeLink } from './links.ts';

const patch = (organization: { id: string; token: string }, id: string, body: object) =>
  platform().request(`${linksOf(organization)}/${id}`, { token: organization.token, method: 'PATCH', body });

test('changes the role of a link to the organization', async () => {
  const organization = await platform().makeOrganization();
  const link = await makeLink(organization, { role: 'admin' });

  for (const role of ['read', null]) {
    const answer = await patch(organization, link.id, { role });
    expect(await answer.json()).toEqual({ ...link, role });
    expect(await json(`${linksOf(organization)}/${link.id}`, organization)).toEqual({ ...link, role });
  }
  expect(
    query("SELECT id FROM outbox WHERE type = 'invite.updated' AND organization = ?", organization.id),
  ).toHaveLength(2);
});

test('changes the level of a link to a space', async () => {
  const { makeOrganization, makeSpace } = platform();
  const organization = await makeOrganization();
  const { id: space } = await makeSpace({ organization });
  const link = await makeLink(organization, { level: 'read', space });

  const answer = await patch(organization, link.id, { level: 'review' });

  expect(await answer.json()).toEqual({ ...link, level: 'review' });
});

test('25: a link to the organization takes no level, one to a space no role, and neither anything else', async () => {
  const { makeOrganization, makeSpace } = platform();
  const organization = await makeOrganization();
  const { id: space } = await makeSpace({ organization });
  const [toAll, toSpace] = [
    await makeLink(organization, { role: 'read' }),
    await makeLink(organization, { level: 'read', space }),
  ];

  const refused = [
    await patch(organization, toAll.id, { level: 'admin' }),
    await patch(organization, toSpace.id, { role: 'admin' }),
    await patch(organization, toAll.id, { role: 'admin', level: 'admin' }),
    await patch(organization, toSpace.id, { level: 'admin', space: 'spc_mine' }),
    await patch(organization, toAll.id, {}),
  ];

  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
  expect((await json<{ items: object[] }>(linksOf(organization), organization)).items).toEqual([toSpace, toAll]);
});

test('39: does not reach a link of another organization', async () => {
  const { makeOrganization } = platform();
  const [organization, other] = [await makeOrganization(), await makeOrganization()];
  const theirs = await makeLink(other, { role: 'read' });

  for (const id of ['inv_made_up', theirs.id])
    expect((await patch(organization, id, { role: 'admin' })).status).toBe(404);
  expect(await json(`${linksOf(other)}/${theirs.id}`, other)).toEqual(theirs);
});
