import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holdsSlowly, seed } from '../../support/random.ts';
import type { ReadPage, Way } from './scanned-world.ts';
import { createCondition, createScannedSite, program } from './scanned-world.ts';

/** Queries that end in a space only match whole words. */
const queries = ['otter ', 'walrus ', 'gannet heron ', 'pengiun ', 'walrsu gannet ', 'pengu'];
const corrections: Record<string, string> = { pengiun: 'penguin', walrsu: 'walrus' };

/** Returns the words of a page that a reader sees; undefined if the reader does not see the page. */
function getVisibleWords({ title, text, conditions }: ReadPage, held: string[] | null): string[] | undefined {
  const isMet = (source: string) => held === null || held.some((claim) => source === createCondition(claim));
  if (!conditions.every(isMet)) return undefined;
  const shown = text.replace(/\{% if (\S+) %\}(.*?)\{% endif %\}/gs, (_all, source: string, inner: string) =>
    isMet(source) ? inner : '',
  );
  return `${title} ${shown}`.toLowerCase().split(/[^a-z]+/);
}

/** Compares all searches with a scan of the pages that their readers see. */
async function expectPlainScan(world: Awaited<ReturnType<typeof createScannedSite>>): Promise<void> {
  const all = await world.readAll();
  for (const { name, spaces, claims: held, branch, search } of world.listWays()) {
    const read = branch === undefined ? all : await world.readBranch(spaces[0] ?? '', branch);
    const pages = read
      .filter(({ space }) => spaces.includes(space))
      .flatMap((page) => {
        const visible = getVisibleWords(page, held);
        return visible === undefined ? [] : [{ page, visible }];
      });
    for (const text of queries) {
      const isPrefix = !text.endsWith(' ');
      const terms = text.trim().split(' ');
      const has = (visible: string[], term: string) =>
        visible.some((word) => word === (corrections[term] ?? term) || (isPrefix && word.startsWith(term)));
      const expected = pages.filter(({ visible }) => terms.some((term) => has(visible, term))).map(({ page }) => page);
      const { correctedQuery, spaces: foundSpaces } = await search(text);
      const shown = foundSpaces.flatMap(({ id: space, pages: ofSpace }) =>
        ofSpace.map(({ id, title, path }) => ({ space, id, title, path })),
      );
      const sort = <Item extends { id: string }>(items: Item[]) =>
        items.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      expect([name, text, sort(shown)]).toEqual([
        ...[name, text],
        sort(expected.map(({ space, id, title, path }) => ({ space, id, title, path }))),
      ]);
      const corrected = terms.filter(
        (term) => corrections[term] !== undefined && pages.some(({ visible }) => has(visible, term)),
      );
      if (corrected.length > 0) {
        const expected = terms.map((term) => (corrected.includes(term) ? corrections[term] : term)).join(' ');
        expect([name, text, correctedQuery]).toEqual([name, text, `${expected} `]);
      }
    }
  }
}

const searchAll = async (ways: Way[]) => {
  const results: unknown[] = [];
  for (const { name, search } of ways) for (const text of queries) results.push([name, text, await search(text)]);
  return results;
};

test(`each search finds what a scan of the readable pages finds, independent of hidden text (seed ${seed})`, async () => {
  const property = fc.asyncProperty(program, async ([first, batches]) => {
    const world = await createScannedSite();
    for (const batch of [first, ...batches]) {
      for (const each of batch) await world.run(each);
      await world.indexed();
      await expectPlainScan(world);
      if (batch === first) await world.openChangeRequests();
    }
    await world.hideSpaces();
    await world.indexed();
    const ways = [...world.visits, ...world.guestWay()];
    const before = await searchAll(ways);
    await world.addHiddenText();
    await world.indexed();
    expect(await searchAll(ways)).toEqual(before);
    await world.removeHiddenText();
    await world.indexed();
    expect(await searchAll(ways)).toEqual(before);
  });
  await holdsSlowly(property, { numRuns: 20, fewest: 1, milliseconds: 90_000 });
}, 180_000);
