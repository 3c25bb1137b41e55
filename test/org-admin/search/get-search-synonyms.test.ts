import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { guest, makeMember } from '../../support/people.ts';
import { platform } from '../../support/platform.ts';

test('an organization has no synonyms at first', async () => {
  const { id, token } = await platform().makeOrganization();
  const path = `/v1/orgs/${id}/search/synonyms`;

  expect(await json(path, { token })).toEqual({
    object: 'search-synonyms',
    groups: [],
    urls: { location: `${platform().url}${path}` },
  });
});

test('returns the synonyms to every member', async () => {
  const organization = await platform().makeOrganization();
  const path = `/v1/orgs/${organization.id}/search/synonyms`;
  const body = { groups: [{ synonyms: ['HashMap', 'hash map'] }, { synonyms: ['Größe', 'taille'] }] };
  const stored = await json(path, { token: organization.token, method: 'PUT', body });

  for (const role of ['read', 'edit', guest] as const) {
    const { token } = await makeMember(organization, role);
    expect(await json(path, { token })).toEqual(stored);
  }
  expect(stored).toMatchObject(body);
});
