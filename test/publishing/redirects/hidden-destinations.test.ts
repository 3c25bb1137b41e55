import { beforeAll, expect, test } from 'vitest';
import { edit, json } from '../../support/content.ts';
import { guest } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { SiteWorld } from '../resolution/site-world.ts';
import { createPublishedSite, makeSpaceWithPages, readStatus, resolve } from '../resolution/site-world.ts';

const hiding = { condition: 'visitor.claims.staff' };

let organization: TestOrganization;
let world: SiteWorld;
let spaces: { id: string; pages: string[] }[];
let section: { id: string; path: string; siteSpaces: { id: string }[] };

const send = <Body>(path: string, method: string, body: object) =>
  json<Body>(`${world.path}${path}`, { token: organization.token, method, body });
const lookUp = (source: string, token: string) => readStatus(`${world.path}/redirect?source=${source}`, token);

/** The source paths of redirects to a section, a site space and a page of it. */
const sources = ['/to-section', '/to-site-space', '/to-page'];

beforeAll(async () => {
  organization = await platform().makeOrganization();
  spaces = [
    await makeSpaceWithPages(organization, 'First', ['Start']),
    await makeSpaceWithPages(organization, 'Second', ['Start']),
  ];
  world = await createPublishedSite({ organization });
  const add = (index: number, title: string) =>
    send<typeof section>('/sections', 'POST', { spaceId: spaces[index]?.id, title });
  await add(0, 'First');
  section = await add(1, 'Second');
  const siteSpaceId = section.siteSpaces[0]?.id;
  const destinations = [
    { kind: 'site-section', siteSectionId: section.id },
    { kind: 'site-space', siteSpaceId },
    { kind: 'site-page', siteSpaceId, pageId: spaces[1]?.pages[0] },
  ];
  for (const [index, destination] of destinations.entries())
    await send('/redirects', 'POST', { source: sources[index], destination });
});

test.each(['section', 'site space'])('does not redirect a visitor to a %s that is hidden', async (which) => {
  const { apiToken } = await resolve(world.base);
  const part = which === 'section' ? `/sections/${section.id}` : `/site-spaces/${section.siteSpaces[0]?.id}`;
  for (const source of sources) {
    expect([source, await lookUp(source, apiToken)]).toEqual([source, 200]);
    expect(await resolve(`${world.base}${source}`)).toMatchObject({ target: 'content' });
  }
  await send(part, 'PATCH', hiding);

  for (const source of sources) {
    expect([source, await lookUp(source, apiToken)]).toEqual([source, 404]);
    expect(await resolve(`${world.base}${source}`)).toMatchObject({ complete: false, space: spaces[0]?.id });
  }
  await send(part, 'PATCH', { condition: null });
});

test('does not redirect members and previews to content that they cannot see', async () => {
  const { token, user } = await platform().makeUser({ organization: organization.id, role: guest });
  const granted = { token: organization.token, body: { users: [user], role: 'read' } };
  expect((await platform().request(`/v1/spaces/${spaces[0]?.id}/permissions`, granted)).status).toBe(204);
  const { url } = await json<{ url: string }>(`${world.path}/publishing/preview`, { token });
  const { search } = new URL(url);
  const { apiToken } = await resolve(`${world.base}/${search}`);

  const [page = ''] = spaces[1]?.pages ?? [];
  const second = { id: spaces[1]?.id ?? '', token: organization.token };
  await edit(second, [{ operation: 'update_page', page, slug: 'begin' }]);

  for (const source of [...sources, `/${section.path}/start`]) {
    expect([source, await lookUp(source, organization.token)]).toEqual([source, 200]);
    for (const each of [token, apiToken]) expect([source, await lookUp(source, each)]).toEqual([source, 404]);
  }
  for (const source of sources)
    expect(await resolve(`${world.base}${source}${search}`)).toMatchObject({ complete: false, space: spaces[0]?.id });
});
