import { expect, test } from 'vitest';
import { edit } from '../../support/content.ts';
import { until } from '../../support/own-platform.ts';
import { platform } from '../../support/platform.ts';
import { createPublishedSite } from '../resolution/site-world.ts';
import { getElements, getText, parse } from './html-tree.ts';
import { read } from './reads.ts';

const count = 20;
const maxPagesPerSpace = 10;

/** Publishes spaces with many pages that contain a word, and returns a function that reads the search page. */
async function makeWorld(titles: string[]) {
  const organization = await platform().makeOrganization();
  const spaces: string[] = [];
  for (const title of titles) {
    const space = await platform().makeSpace({ organization, title });
    const pages = Array.from({ length: count }, (_, number) => ({
      ...{ operation: 'insert_page', title: `${title} ${number}`, document: { markdown: 'A heron.' } },
    }));
    await edit(space, pages);
    spaces.push(space.id);
  }
  const { base } = await createPublishedSite({ organization, spaces, visibility: 'public' });
  return async (words: string) => {
    const elements = getElements(parse((await read(`${base}/~/search?q=${encodeURIComponent(words)}`)).text));
    const listTexts = (tag: string) => elements.filter(({ tagName }) => tagName === tag).map(getText);
    return { title: listTexts('title')[0] ?? '', pages: listTexts('h2') };
  };
}

test('the title of the search page names the query that was searched', async () => {
  const find = await makeWorld(['Birds']);
  await until(async () => (await find('heron')).pages.length > 0 || undefined);

  expect((await find('')).title).toMatch(/^Search \|/);
  expect((await find('heron')).title).toMatch(/^Results for “heron” \|/);
  expect((await find('heorn')).title).toMatch(/^Results for “heron” \|/);
  expect((await find('<b> $& nothing')).title).toMatch(/^No results for “<b> \$& nothing” \|/);
});

test('the search page shows more pages of a space if it is the only one of the site', async () => {
  const [one, two] = [await makeWorld(['Birds']), await makeWorld(['Birds', 'Fish'])];

  await until(async () => (await one('heron')).pages.length === count || undefined);
  await until(async () => (await two('heron')).pages.length === 2 * maxPagesPerSpace || undefined);
});
