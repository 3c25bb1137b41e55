import { expect, test, vi } from 'vitest';
import { signVisitorToken } from '../../content/visitors/visitor-client.ts';
import { platform } from '../../support/platform.ts';
import { drawValues, isOfAll, seed } from '../../support/random.ts';
import type { Held, RandomSite } from './random-site.ts';
import { getPlanClaims, isShown, makeRandomSite, nobody, someHeld } from './random-site.ts';
import { read, readAddress, rows, visited } from './reads.ts';

const worlds = [seed];
const visitorsOfEach = isOfAll ? 2 : 1;

/** Returns the ids of everything in the site, whether or not visitors can see it. */
function listIds({ site, spaces }: RandomSite): Record<string, string>[] {
  const ofSite = { organizationId: site.organization.id, siteId: site.id };
  return spaces.flatMap(({ ids, pages, files, contents }) =>
    pages.map(({ id, path, oldPath }, index) => ({
      ...{ ...ofSite, ...ids, pageId: id, pagePath: path, oldPath, revisionId: '' },
      ...{ fileId: files[index] ?? '', reusableContentId: contents[index] ?? '' },
    })),
  );
}

/** Reads every visitor endpoint with every id, and returns the joined response bodies. */
async function readEverything(world: RandomSite, token: string): Promise<string> {
  const seen = new Map<string, Promise<string>>();
  for (const ids of listIds(world)) {
    for (const operation of visited) {
      const { path } = operation.endpoint;
      if (rows[operation.id]?.isOfPreview || path.includes(':revisionId')) continue;
      const key = readAddress(operation, ids);
      if (seen.has(key)) continue;
      seen.set(key, read(operation, ids, token).then(getText));
    }
  }
  return (await Promise.all(seen.values())).join('\n');
}

async function getText(response: Response): Promise<string> {
  expect([response.url, response.status]).toEqual([
    response.url,
    expect.toSatisfy((status) => [200, 404].includes(status)),
  ]);
  return response.text();
}

interface SearchResponse {
  status: number;
  text: string;
}

async function search({ site }: RandomSite, token: string, word: string): Promise<SearchResponse> {
  const body = { query: word, scope: { mode: 'all' } };
  const response = await platform().request(`${site.base}/search`, { token, body });
  return { status: response.status, text: await response.text() };
}

async function expectOnlyShown(world: RandomSite, held: Held) {
  const token = signVisitorToken(world.site.organization.id, world.site.id, { claims: getPlanClaims(held) });
  const text = await readEverything(world, token);
  for (const thing of world.things) {
    const told = thing.markers.filter((marker) => text.includes(marker));
    const isMeant = isShown(thing, held);
    expect([[...held], thing, told]).toEqual([[...held], thing, isMeant ? expect.any(Array) : []]);
    if (isMeant && thing.kind !== 'section')
      expect([[...held], thing, told.length > 0]).toEqual([[...held], thing, true]);
  }
}

test.each(worlds)(
  'visitors can read exactly the content that is visible to them (%i)',
  async (from) => {
    const world = await makeRandomSite(from);

    for (const held of [nobody, ...drawValues(someHeld, visitorsOfEach, from)]) await expectOnlyShown(world, held);
  },
  120_000,
);

test.each(worlds)(
  'visitors can find exactly the content that is visible to them by search (%i)',
  async (from) => {
    const world = await makeRandomSite(from);
    const words = world.things.filter(({ kind }) => /^(?:text|page|text of a block)$/.test(kind));
    const last = words.at(-1)?.markers.at(-1) ?? '';
    await vi.waitFor(
      async () => expect((await search(world, world.site.organization.token, last)).text).toContain('"count":1'),
      { timeout: 30_000 },
    );
    for (const held of drawValues(someHeld, 2, from)) {
      const token = signVisitorToken(world.site.organization.id, world.site.id, { claims: getPlanClaims(held) });
      for (const thing of words) {
        const { status, text } = await search(world, token, thing.markers.at(-1) ?? '');
        expect(status).toBe(200);
        expect([[...held], thing, JSON.parse(text).count]).toEqual([[...held], thing, isShown(thing, held) ? 1 : 0]);
      }
    }
  },
  120_000,
);
