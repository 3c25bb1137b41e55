import { beforeAll, expect, test, vi } from 'vitest';
import { makePage } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import type { SiteWorld } from '../resolution/site-world.ts';
import { createPublishedSite } from '../resolution/site-world.ts';
import type { InstantResults } from './instant-results.ts';
import { read } from './reads.ts';

let world: SiteWorld;

async function find(words: string, claims: object = {}): Promise<InstantResults> {
  const cookie = `octavo-claims-${world.site.id}=${encodeURIComponent(JSON.stringify(claims))}`;
  const { text } = await read(`${world.base}/~/search.json?q=${encodeURIComponent(words)}`, { headers: { cookie } });
  return JSON.parse(text) as InstantResults;
}

const nothing = { suggestions: [], results: [] };

const getTitles = ({ suggestions }: InstantResults) => suggestions.map(({ title }) => title);

beforeAll(async () => {
  const organization = await platform().makeOrganization();
  const space = await platform().makeSpace({ organization, title: 'Handbook' });
  await makePage(space, 'Start', 'The first page.');
  await makePage(space, 'Herons', 'They fish.\n\n## Grey heron\n\nNests in trees.');
  await makePage(space, 'Hidden heron', '## Heron secrets', { condition: 'visitor.claims.unsigned.staff' });
  world = await createPublishedSite({ organization, spaces: [space.id], visibility: 'public' });
  await vi.waitFor(async () => expect((await find('secrets', { staff: true })).suggestions).toHaveLength(1), 30_000);
});

test('returns titles and headings with links, and no results in texts', async () => {
  const { suggestions, results } = await find('hero');

  expect(results).toEqual([]);
  expect(
    suggestions.map(({ href, ...each }) => ({
      ...each,
      href: new URL(href, `${world.base}/`).pathname + new URL(href, `${world.base}/`).hash,
    })),
  ).toEqual([
    {
      ...{ title: 'Herons', matches: { title: [[0, 6]] }, place: 'Handbook', isHeading: false },
      href: new URL(`${world.base}/herons`).pathname,
    },
    {
      ...{ title: 'Grey heron', matches: { title: [[5, 10]] }, place: 'Herons', isHeading: true },
      href: `${new URL(`${world.base}/herons`).pathname}#grey-heron`,
    },
  ]);
});

test('returns results in texts only if no title or heading contains the words', async () => {
  for (const words of ['nests in tre', 'heron nests']) {
    const { suggestions, results } = await find(words);
    expect([words, suggestions, results.map(({ title }) => title)]).toEqual([words, [], ['Herons']]);
  }
  const [page] = (await find('nesting')).results;
  const [part] = page?.parts ?? [];
  expect(part?.matches.text.map(([start, end]) => part.text.slice(start, end))).toEqual(['Nests']);
});

test('returns nothing without words, and for words that nothing contains', async () => {
  expect(await find(' ')).toEqual(nothing);
  expect(await find('xyzzy')).toEqual(nothing);
});

test('returns hidden titles and headings only to visitors who meet the conditions', async () => {
  expect(getTitles(await find('heron', { staff: true }))).toEqual(
    expect.arrayContaining(['Hidden heron', 'Heron secrets']),
  );
  expect(getTitles(await find('heron'))).toEqual(['Herons', 'Grey heron']);
  expect(await find('secrets')).toEqual(nothing);
});
