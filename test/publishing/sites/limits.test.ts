import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { query, writeDatabase } from '../../support/database.ts';
import { platform } from '../../support/platform.ts';
import { createTestSite } from './site-client.ts';

const readStatusAndText = async (response: Response) => [response.status, await response.text()];

test('a site has at most 200 site spaces, with or without sections', async () => {
  const { id, send, space, addSpace, addSection } = await createTestSite();
  await addSpace('First');
  const body = { spaceId: await space('One more') };
  await writeDatabase(platform(), 'UPDATE sites SET site_spaces = 199 WHERE id = ?', id);
  await addSection('The last');

  for (const path of ['/site-spaces', '/sections'])
    expect(await readStatusAndText(await send(path, { body }))).toEqual([
      409,
      expect.stringContaining('at most 200 site spaces'),
    ]);
  expect(query('SELECT id FROM site_spaces WHERE site = ?', id)).toHaveLength(2);
});

test('an organization has at most 1,000 sites', async () => {
  const { id, organization } = await createTestSite();
  await copySiteUntil(999, id);
  const sites = `/v1/orgs/${organization.id}/sites`;
  const { token } = organization;
  await json(sites, { token, body: {} });

  for (const body of [{}, { spaces: [await createSpace(organization)] }]) {
    const response = await platform().request(sites, { token, body });
    expect(await readStatusAndText(response)).toEqual([409, expect.stringContaining('at most 1000 sites')]);
  }
  expect(query('SELECT id FROM sites WHERE organization = ?', organization.id)).toHaveLength(1000);
});

test.each(['sample', 'empty'])(
  'rolls back a new space (%s) if a concurrent request created the last allowed site',
  async (spaces) => {
    const { id, organization } = await createTestSite();
    await copySiteUntil(999, id);
    // The trigger simulates a concurrent request that creates the last site while the space is being created.
    const trigger = `another_site_${spaces}`;
    await writeDatabase(
      platform(),
      `CREATE TRIGGER ${trigger} AFTER INSERT ON spaces WHEN new.organization = '${organization.id}'
      BEGIN INSERT INTO sites (${columns.join(', ')}) SELECT ${createCopyColumns("'last'").join(', ')} FROM sites WHERE id = '${id}'; END`,
    );
    try {
      const body = { spaces, title: 'Late' };
      const response = await platform().request(`/v1/orgs/${organization.id}/sites`, {
        token: organization.token,
        body,
      });

      expect(await readStatusAndText(response)).toEqual([409, expect.stringContaining('at most 1000 sites')]);
    } finally {
      await writeDatabase(platform(), `DROP TRIGGER ${trigger}`);
    }
    const ofOrganization = 'FROM spaces WHERE organization = ?';
    expect(query(`SELECT title, deleted_at IS NULL AS live ${ofOrganization}`, organization.id)).toEqual([
      { title: 'Late', live: 0 },
    ]);
  },
);

const columns = query<{ name: string }>("SELECT name FROM pragma_table_info('sites')").map(({ name }) => name);

/** The column values of a site's copy. The SQL expression `value` makes the id and the basename of the copy unique. */
const createCopyColumns = (value: string) =>
  columns.map((name) => {
    if (name === 'id') return `'site_' || ${value} || substr(id, 5)`;
    return name === 'basename' ? `'copy-' || ${value}` : name;
  });

/** Copies a site until its organization has `count` sites. */
const copySiteUntil = (count: number, id: string) =>
  writeDatabase(
    platform(),
    `WITH RECURSIVE numbers(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < ${count - 1})
      INSERT INTO sites (${columns.join(', ')}) SELECT ${createCopyColumns('value').join(', ')} FROM numbers CROSS JOIN sites WHERE id = ?`,
    id,
  );

const createSpace = async (organization: Awaited<ReturnType<typeof createTestSite>>['organization']) =>
  (await platform().makeSpace({ organization })).id;
