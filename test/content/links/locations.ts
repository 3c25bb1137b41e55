import { expect, test } from 'vitest';
import { json } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import type { TestLinks, TestLocations } from './link-client.ts';
import { createPage, insertLinkingPage } from './link-client.ts';

interface World {
  space: SpaceClient;
  /** Path prefix before `/links`. */
  prefix: string;
  branch: string | undefined;
  token: string;
}

async function createLinkedSpaces(inChangeRequest: boolean): Promise<World> {
  const newSpace = await platform().makeSpace();
  const space = getClient(platform(), newSpace);
  const branch = inChangeRequest ? await space.open() : undefined;
  return { space, branch, prefix: branch === undefined ? '' : `/change-requests/${branch}`, token: newSpace.token };
}

const readLinks = async ({ space, prefix }: World, page: string) =>
  (await space.callJson<TestLinks>(`${prefix}/content/page/${page}/links`)).items;

/** Pages through all locations of a link. */
async function walk({ space, prefix }: World, link: string, limit: number): Promise<string[]> {
  const paths: string[] = [];
  let next = '';
  do {
    const page = await space.callJson<TestLocations>(`${prefix}/links/${link}/locations?limit=${limit}${next}`);
    expect(page.count).toBe(page.items.length);
    expect(page.count).toBeLessThanOrEqual(limit);
    paths.push(...page.items.map((item) => item.page?.id ?? item.reusableContent?.id ?? ''));
    next = page.next === undefined ? '' : `&page=${page.next.page}`;
  } while (next !== '');
  return paths;
}

/** Defines the tests for listing the locations of a link, on the live content or in a change request. */
export function testLocations(inChangeRequest: boolean): void {
  test('lists every location that links to the target, and no others, page by page', async () => {
    const world = await createLinkedSpaces(inChangeRequest);
    const { space, branch } = world;
    const target = await createPage(space, insertPage('Target'), branch);
    const pages = await space.change(
      Array.from({ length: 12 }, (_, index) =>
        insertLinkingPage(`P ${index}`, [`/pages/${target}`, '/gone', `/only/${index}`]),
      ),
      branch,
    );
    const [toTarget, toNothing, ownLink] = await readLinks(world, pages[7] ?? '');

    expect([toTarget?.locations, ownLink?.locations]).toEqual([1, 1]);
    for (const limit of [5, 12, 1000]) expect(await walk(world, toTarget?.id ?? '', limit)).toEqual(pages);
    expect(await walk(world, toNothing?.id ?? '', 7)).toEqual(pages);
    expect(await walk(world, ownLink?.id ?? '', 7)).toEqual([pages[7]]);
    await space.change([writePage(pages[0] ?? '', 'None')], branch);
    expect(await walk(world, toTarget?.id ?? '', 100)).toEqual(pages.slice(1));
  });

  test('returns 404 for an unknown link or one without locations, and 400 for an invalid page or limit', async () => {
    const world = await createLinkedSpaces(inChangeRequest);
    const { space, branch, prefix } = world;
    const page = await createPage(space, insertLinkingPage('P', ['/a']), branch);
    const [link] = await readLinks(world, page);
    const readStatus = async (rest: string) => (await space.call(`${prefix}/links/${rest}`)).status;

    expect(await readStatus(`${link?.id}/locations`)).toBe(200);
    expect(await readStatus('none/locations')).toBe(404);
    expect(await readStatus(`${link?.id}/locations?page=x`)).toBe(400);
    expect(await readStatus(`${link?.id}/locations?limit=1001`)).toBe(400);
    await space.change([writePage(page, 'None')], branch);
    expect(await readStatus(`${link?.id}/locations`)).toBe(404);
  });

  test('requires access to the content', async () => {
    const world = await createLinkedSpaces(inChangeRequest);
    const { space, branch, prefix } = world;
    const [link] = await readLinks(world, await createPage(space, insertLinkingPage('P', ['/a']), branch));
    const path = `/v1/spaces/${space.space}${prefix}/links/${link?.id}/locations`;

    expect((await json<TestLocations>(path, { token: world.token })).count).toBe(1);
    expect((await platform().request(path, await platform().makeUser({}))).status).toBe(404);
    expect((await platform().request(path)).status).toBe(401);
  });
}
