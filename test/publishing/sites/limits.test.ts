import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writePast } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { newSite } from './site-client.ts';

const left = async (answer: Response) => [answer.status, await answer.text()];

test('a site shows at most 200 site spaces, in sections or not', async () => {
  const { id, send, space, addSpace, addSection } = await newSite();
  await addSpace('First');
  const body = { spaceId: await space('One more') };
  await writePast(platform(), 'UPDATE sites SET site_spaces = 199 WHERE id = ?', id);
  await addSection('The last');

  for (const path of ['/site-spaces', '/sections'])
    expect(await left(await send(path, { body }))).toEqual([409, expect.stringContaining('at most 200 site spaces')]);
  expect(query('SELECT id FROM site_spaces WHERE site = ?', id)).toHaveLength(2);
});

test('an organization has at most 1,000 sites', async () => {
  const { id, organization } = await newSite();
  const columns = query<{ name: string }>("SELECT name FROM pragma_table_info('sites')").map(({ name }) => name);
  const own = columns.map((name) => {
    if (name === 'id') return "'site_' || value || substr(id, 5)";
    return name === 'basename' ? "'copy-' || value" : name;
  });
  await writePast(
    platform(),
    `WITH RECURSIVE numbers(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < 998)
      INSERT INTO sites (${columns.join(', ')}) SELECT ${own.join(', ')} FROM numbers CROSS JOIN sites WHERE id = ?`,
    id,
  );
  const sites = `/v1/orgs/${organization.id}/sites`;
  const { token } = organization;
  await json(sites, { token, body: {} });

  for (const body of [{}, { spaces: [await newSpace(organization)] }]) {
    const answer = await platform().request(sites, { token, body });
    expect(await left(answer)).toEqual([409, expect.stringContaining('at most 1000 sites')]);
  }
  expect(query('SELECT id FROM sites WHERE organization = ?', organization.id)).toHaveLength(1000);
});

const newSpace = async (organization: Awaited<ReturnType<typeof newSite>>['organization']) =>
  (await platform().makeSpace({ organization })).id;
