import { expect, test } from 'vitest';
import { edit, makePage } from '../../support/content.ts';
import { until } from '../../support/own-platform.ts';
import { getElements, getText, parse } from './html-tree.ts';
import { makeMachineSite } from './machine/machine-site.ts';

/** Returns the links in the main part of a page, with their text. */
function findLinks(html: string): [words: string, href: string][] {
  const main = getElements(parse(html)).find(({ tagName }) => tagName === 'main');
  return (main === undefined ? [] : getElements(main)).flatMap((node): [string, string][] => {
    const { href } = node.properties;
    return node.tagName === 'a' && typeof href === 'string' ? [[getText(node), href]] : [];
  });
}

test.each(['public', 'unlisted', 'share-link', 'visitor-auth'] as const)(
  'the 404 page of a site with the visibility %s suggests similar visible pages, and former URLs redirect',
  async (audience) => {
    const site = await makeMachineSite(audience);
    const owner = { id: site.space, token: site.organization.token };
    await makePage(owner, 'Secret herons', 'Herons again.\n', { condition: 'visitor.claims.isNobody' });
    await makePage(owner, 'Unlisted herons', 'Herons once more.\n', { noIndex: true });
    await makePage(owner, 'Open herons', 'Herons for all.\n');
    const read = async () => {
      const response = await site.get('no/such/herons');
      return { status: response.status, headers: response.headers, html: await response.text() };
    };
    const found = await until(async () => {
      const page = await read();
      return findLinks(page.html).some(([words]) => words === 'Open herons') ? page : undefined;
    });
    const near = findLinks(found.html);

    expect(found.status).toBe(404);
    expect(found.headers.get('x-robots-tag')).toBe('noindex');
    const titles = near.map(([words]) => words);
    expect(titles).toEqual(expect.arrayContaining(['Herons', 'Open herons']));
    expect(titles).not.toContain('Unlisted herons');
    expect(found.html).not.toContain('Secret');
    for (const [, href] of near) {
      const { status, body } = await site.get(href.replace(/^(?:\.\.\/)+/, ''));
      await body?.cancel();
      expect([href, status]).toEqual([href, 200]);
    }

    await edit(owner, [{ operation: 'update_page', page: site.pages[0]?.id, slug: 'birds' }]);
    const former = await site.get('herons');
    expect([former.status, former.headers.get('location')]).toEqual([308, expect.stringMatching(/\/birds$/)]);
  },
);
