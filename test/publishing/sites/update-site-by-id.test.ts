import type { Site } from '@octavo/schema';
import { expect, test } from 'vitest';
import { query } from '../../support/database.ts';
import { createTestSite, makeSite } from './site-client.ts';

const getStamp = (id: string) => query('SELECT stamp FROM sites WHERE id = ?', id)[0]?.stamp;

test('changes the given fields only', async () => {
  const { patch, get } = await createTestSite({ title: 'Docs' });
  const changes = { title: 'Guides', basename: 'g', agentsContext: 'excluded', adaptiveContent: { enabled: true } };

  expect(await patch<Site>('', changes)).toMatchObject({ ...changes, visibility: 'public', published: false });
  expect(await patch<Site>('', {})).toEqual(await get());
});

test('sets the hostname or proxy URL of a site, and removes it with null', async () => {
  const { patch, publish, id } = await createTestSite({ title: 'Docs' });
  const own = (await publish()).urls.published;
  const host = `docs.${id.replace('_', '-').toLowerCase()}.test`;

  expect(await patch<Site>('', { proxy: `WWW.${host}/help` })).toMatchObject({
    proxy: { origin: `www.${host}/help`, target: own?.replace(/\/$/, '') },
    urls: { published: `https://www.${host}/help/` },
  });
  expect((await patch<Site>('', { hostname: host })).urls.published).toBe(`https://${host}/`);
  expect((await patch<Site>('', { hostname: null, proxy: null })).urls.published).toBe(own);
});

test('returns 409 for a URL that another site uses', async () => {
  const first = await createTestSite({ title: 'One' });
  const second = await makeSite(first.organization, { title: 'Two' });
  const host = `docs.${first.id.replace('_', '-').toLowerCase()}.test`;
  await first.patch('', { hostname: host, proxy: `${host}/one` });

  for (const body of [{ basename: 'one' }, { hostname: host }, { proxy: `${host}/one` }]) {
    expect((await second.send('', { method: 'PATCH', body })).status).toBe(409);
  }
  expect((await (await createTestSite()).patch<Site>('', { basename: 'one' })).basename).toBe('one');
});

test.each(['hostname', 'proxy'])(
  'a hostname that one organization uses as the %s of a site cannot be used by another organization',
  async (field) => {
    const [first, second] = [await createTestSite(), await createTestSite()];
    const host = `docs.${first.id.replace('_', '-').toLowerCase()}.test`;
    await first.patch('', field === 'hostname' ? { hostname: host } : { proxy: `${host}/help` });
    const beside = await makeSite(first.organization, { title: 'Beside' });
    const change = async (site: typeof first, body: object) => (await site.send('', { method: 'PATCH', body })).status;

    for (const body of [{ hostname: host }, { proxy: `${host}/install` }, { proxy: `${host.toUpperCase()}/help/a` }])
      expect([body, await change(second, body)]).toEqual([body, 409]);
    expect(await change(second, { proxy: `${host}x/install`, hostname: `a.${host}` })).toBe(200);
    expect(await change(beside, { proxy: `${host}/install` })).toBe(200);
  },
);

test.each(['a/b', '..', '.', '~', 'a b', 'a?b', '\ud800'])('returns 400 for the basename %j', async (basename) => {
  const { send } = await createTestSite();

  expect((await send('', { method: 'PATCH', body: { basename } })).status).toBe(400);
});

test('changing the visibility revokes visitor tokens, but setting the same one does not', async () => {
  const { patch, id } = await createTestSite();
  const before = getStamp(id);
  await patch('', { visibility: 'public', title: 'Docs' });
  expect(getStamp(id)).toBe(before);

  await patch('', { visibility: 'unlisted' });
  expect(getStamp(id)).not.toBe(before);
});

test('sets the default section and its default site space', async () => {
  const { addSpace, addSection, patch, send, publish, structure } = await createTestSite({ title: 'Docs' });
  const guides = await addSpace('Guides');
  const api = await addSection('API');
  const more = await addSpace('Version 2', { sectionId: api.id });
  const base = (await publish()).urls.published;
  const wrapped = (await structure()).structure[0]?.id;

  const stranger = await send('', { method: 'PATCH', body: { defaultSiteSpace: guides.id } });
  expect([stranger.status, await stranger.text()]).toEqual([404, expect.stringContaining('body.defaultSiteSpace')]);
  await patch('', { defaultSiteSpace: more.id });
  await patch('', { defaultSiteSection: wrapped, defaultSiteSpace: guides.id });
  const after = await structure();

  expect(after).toMatchObject({
    type: 'sections',
    structure: [
      { title: 'Docs', default: true, siteSpaces: [{ id: guides.id, default: true, urls: { published: base } }] },
      {
        default: false,
        path: 'api',
        urls: { published: `${base}api` },
        siteSpaces: [
          { default: false, urls: { published: `${base}api/api` } },
          { id: more.id, default: true },
        ],
      },
    ],
  });
});

test('25 concurrent changes of the default result in exactly one default', async () => {
  const { addSpace, patch, id } = await createTestSite();
  const spaces: string[] = [];
  for (let count = 0; count < 5; count += 1) spaces.push((await addSpace(`Space ${count}`)).id);
  await Promise.all(Array.from({ length: 25 }, (_, index) => patch('', { defaultSiteSpace: spaces[index % 5] })));

  expect(query('SELECT COUNT(*) AS count FROM site_spaces WHERE site = ? AND is_default', id)).toEqual([{ count: 1 }]);
});
