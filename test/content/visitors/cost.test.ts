import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getClient, insertPage } from '../space-client.ts';
import { publishSite } from './visitor-client.ts';

const server = platform({ countsRows: true });

/** Makes a space with `count` pages, and measures a visitor's read of one of them. */
async function getSpace(count: number, condition?: string) {
  const { member, visit, space } = await publishSite();
  const [page = '', other = ''] = await member.change([insertPage('First'), insertPage('Other')]);
  const where = condition === undefined ? {} : { condition };
  await member.change([{ operation: 'update_page', page: other, ...where }]);
  await member.change([
    { operation: 'update_page', page, document: { markdown: `A [link](/pages/${other}) and {{ space.vars.a }}.\n` } },
  ]);
  for (let nth = 0; nth < count; nth += 50)
    await member.change(
      Array.from({ length: Math.min(50, count - nth) }, (_, index) => insertPage(`Page ${nth + index}`)),
    );
  const { token } = visit();
  const visitor = getClient(server, { id: space.id, token });
  const { id: head } = await visitor.head();
  const paths = [`/content/page/${page}`, '/content/path/first', `/revisions/${head}/page/${page}/document`];
  return async () => {
    const costs = [];
    for (const path of paths) costs.push((await visitor.call(path)).cost);
    return costs;
  };
}

test('reading a page costs a visitor one round trip, and the same rows in a space of any size', async () => {
  for (const condition of [undefined, 'visitor.claims.staff']) {
    const costs = [await getSpace(10, condition), await getSpace(500, condition)];
    const [small = [], large] = [await costs[0]?.(), await costs[1]?.()];
    const more = large?.map(({ read }, index) => read - (small[index]?.read ?? 0));
    expect(Math.max(...(more ?? [Number.POSITIVE_INFINITY]))).toBeLessThan(10);
    expect(large?.map(({ trips }) => trips)).toEqual([1, 1, 1]);
    expect(small.map(({ trips }) => trips)).toEqual([1, 1, 1]);
  }
});
