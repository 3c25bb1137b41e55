import { expect, test } from 'vitest';
import { publishTwoSpaces } from '../../../content/visitors/two-spaces.ts';
import { platform } from '../../../support/platform.ts';
import { getElements, getText, parse } from '../html-tree.ts';

const server = platform();

test('content of another space on the site has its title and its URL on the site', async () => {
  const { base, to, page, write } = await publishTwoSpaces();
  const app = `${server.url}/app/spaces/${to.id}`;
  const cards = [`${app}/content/page/${page}`, app].map(
    (url) => `{% content-ref url="${url}" %}\n[x](${url})\n{% endcontent-ref %}`,
  );
  await write(
    `${cards.join('\n\n')}\n\nA [part](${app}/content/page/${page}#part) and [nothing](${app}/content/page/x).\n`,
  );
  const html = await (await server.request(`${base}/guides/links`)).text();
  const article = getElements(parse(html)).find(({ tagName }) => tagName === 'article');
  const links = article === undefined ? [] : getElements(article).filter(({ tagName }) => tagName === 'a');

  expect(
    links.map((link) => [getText(link), new URL(String(link.properties.href), `${base}/guides/links`).href]),
  ).toEqual([
    ['Create', `${base}/reference/calls/create`],
    ['A space', `${base}/reference`],
    ['part', `${base}/reference/calls/create#part`],
  ]);
  expect(article && getText(article)).toContain('and nothing.');
});
