import { beforeAll, expect, test, vi } from 'vitest';
import { json, makePage } from '../../support/content.ts';
import { guest } from '../../support/people.ts';
import type { TestOrganization } from '../../support/platform.ts';
import { platform } from '../../support/platform.ts';
import type { FoundSpace, SuggestedList } from '../../support/search.ts';
import type { SiteWorld } from '../resolution/site-world.ts';
import { createPublishedSite, resolve } from '../resolution/site-world.ts';

let organization: TestOrganization;
let world: SiteWorld;
let spaces: string[];
let sections: string[];

/** Returns the spaces with results, which are the same for suggestions. */
const search = async (token: string): Promise<string[]> => {
  const body = { query: 'heron', scope: { mode: 'all' } };
  const { items } = await json<{ items: FoundSpace[] }>(`${world.path}/search`, { token, body });
  const suggested = await json<SuggestedList>(`${world.path}/search/suggestions`, { token, body });
  const titles = items.map(({ title }) => title).toSorted();
  expect(suggested.items.map(({ space }) => space.title).toSorted()).toEqual(titles);
  return titles;
};

beforeAll(async () => {
  organization = await platform().makeOrganization();
  const { token } = organization;
  world = await createPublishedSite({ organization });
  [spaces, sections] = [[], []];
  for (const title of ['Guides', 'Secret']) {
    const space = await platform().makeSpace({ organization, title });
    await makePage(space, 'Birds', '## Heron');
    const body = { spaceId: space.id, title };
    sections.push((await json<{ id: string }>(`${world.path}/sections`, { token, body })).id);
    spaces.push(space.id);
  }
  await vi.waitFor(async () => expect(await search(token)).toEqual(['Guides', 'Secret']), 30_000);
});

test('a visitor gets no results from a section whose condition is not met', async () => {
  const { apiToken } = await resolve(world.base);
  expect(await search(apiToken)).toEqual(['Guides', 'Secret']);
  const change = (condition: string | null) => {
    const options = { token: organization.token, method: 'PATCH', body: { condition } };
    return json(`${world.path}/sections/${sections[1]}`, options);
  };
  await change('visitor.claims.staff');

  expect(await search(apiToken)).toEqual(['Guides']);
  await change(null);
});

test('a preview gets no results from a space that the member cannot view', async () => {
  const { token, user } = await platform().makeUser({ organization: organization.id, role: guest });
  const granted = { token: organization.token, body: { users: [user], role: 'read' } };
  expect((await platform().request(`/v1/spaces/${spaces[0]}/permissions`, granted)).status).toBe(204);
  const { url } = await json<{ url: string }>(`${world.path}/publishing/preview`, { token });
  const { apiToken } = await resolve(`${world.base}/${new URL(url).search}`);

  expect(await search(apiToken)).toEqual(['Guides']);
});
