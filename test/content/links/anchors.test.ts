import { beforeEach, expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import type { SpaceClient } from '../space-client.ts';
import { getClient, insertPage, writePage } from '../space-client.ts';
import { createPage, insertLinkingPage, listPageLinks, listSpaceLinks } from './link-client.ts';

let space: SpaceClient;
beforeEach(async () => {
  space = getClient(platform(), await platform().makeSpace());
});

const createText = (...headings: string[]) => headings.map((each) => `${each}\n\ntext\n`).join('\n');

test('a link to a missing anchor of a page is reported as broken because of the anchor', async () => {
  const markdown =
    createText('# Target', '## Node.js', '## Own {#my_id}', '### Node.js', '## 1. Math & TeX') +
    '\n- <a id="box"></a>x\n\n```html\n<a id="sample"></a>\n```\n';
  const target = await createPage(space, insertPage('Target', { document: { markdown } }));
  const anchors = [
    'node-js',
    'nodejs',
    'nodejs-1',
    'nodejs_1',
    'my_id',
    'none',
    'Node-JS',
    'target',
    'top',
    ':~:text=a',
    'NONE',
    'id-1.-math-and-tex',
    'box',
    'sample',
  ];
  const links = anchors.map((each) => `[x](/target#${each})`).join(' ');
  const own = `# Here\n\n[a](#here) [b](#gone) ${links} [c](/nowhere#a)`;
  const page = await createPage(space, insertPage('P', { document: { markdown: own } }));
  const { items, stats } = await listPageLinks(space, page);

  expect(items.filter(({ status }) => status === 'broken').map(({ target, reason }) => [target, reason])).toEqual([
    ['#gone', 'no-anchor'],
    ['/target#none', 'no-anchor'],
    ['/target#NONE', 'no-anchor'],
    ['/target#sample', 'no-anchor'],
    ['/nowhere#a', 'no-target'],
  ]);
  expect(stats.broken.total).toBe(5);
  expect(items.find((item) => item.target === '/target#none')?.targetReference).toMatchObject({
    page: { id: target },
    internalLocation: { type: 'anchor', anchor: 'none' },
  });
  for (const { status, reason } of items.filter((item) => item.status === 'ok'))
    expect([status, reason]).toEqual(['ok', undefined]);
  expect((await listSpaceLinks(space, '&status=broken')).items.map(({ id }) => id).sort()).toEqual(
    items
      .filter(({ status }) => status === 'broken')
      .map(({ id }) => id)
      .sort(),
  );
});

test('accepts any anchor of a page with content that is only known when it is rendered', async () => {
  const texts = ['{% include "/reusable-contents/rc_none" %}', '# {{ space.vars.name }}', '<Parts />'];
  await space.change(texts.map((markdown, index) => insertPage(`T ${index}`, { document: { markdown } })));
  const page = await createPage(
    space,
    insertLinkingPage(
      'P',
      texts.map((_, index) => `/t-${index}#any`),
    ),
  );

  expect((await listPageLinks(space, page)).items.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
});

test('a link follows a renamed heading through a change request until the heading is deleted', async () => {
  const target = await createPage(
    space,
    insertPage('Target', { document: { markdown: createText('# Target', '## Old', '## Last') } }),
  );
  const page = await createPage(space, insertLinkingPage('P', ['/target#old', '/target#last']));
  const branch = await space.open();
  await space.change([writePage(target, createText('# Target', '## New', '## Last'))], branch);
  const readAnchors = async (at?: string) =>
    (await listPageLinks(space, page, at)).items.map(({ status, targetReference }) => [
      status,
      targetReference?.internalLocation?.anchor,
    ]);

  expect(await readAnchors(branch)).toEqual([
    ['ok', 'new'],
    ['ok', 'last'],
  ]);
  expect(await readAnchors()).toEqual([
    ['ok', 'old'],
    ['ok', 'last'],
  ]);
  await space.merge(branch);
  expect(await readAnchors()).toEqual([
    ['ok', 'new'],
    ['ok', 'last'],
  ]);

  const read = (query: string) => space.callJson<{ markdown: string }>(`/content/page/${page}?${query}`);
  expect((await read('format.markdown.refs=stable')).markdown).toContain(`</pages/${target}#new>`);
  expect((await read('')).markdown).toContain('/target#old');

  const again = await space.open();
  await space.change([writePage(target, createText('# Target', '## Last'))], again);
  expect(await readAnchors(again)).toEqual([
    ['broken', 'old'],
    ['ok', 'last'],
  ]);
  expect((await listPageLinks(space, page, again)).stats.broken).toEqual({ total: 1, changeRequest: 1 });
});
